/** From raw parameters to typed ones: unknown names and broken rules become one precise 400. */

import type { z } from "zod";
import { type ApiError, invalidParameter } from "./errors.js";
import { didYouMean, quoted } from "./nearest.js";

/** A schema of parameters: a strict object of them. */
export interface ParameterObject<T> {
	readonly shape: Readonly<Record<string, z.ZodType>>;
	safeParse(given: unknown): z.ZodSafeParseResult<T>;
}

/**
 * `given` as `schema` reads it. Cost: about a microsecond. Throws ApiError `invalid_parameter` for
 * the first parameter that is unknown, missing or breaks its rule.
 */
export function parseParameters<T>(schema: ParameterObject<T>, given: Readonly<Record<string, unknown>>): T {
	for (const name in given) {
		if (!Object.hasOwn(schema.shape, name)) throw unknownParameter(name, Object.keys(schema.shape));
	}
	const parsed = schema.safeParse(given);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	const name = String(issue.path[0] ?? "");
	if (given[name] === undefined) throw invalidParameter(name, `${name} is required`);
	throw invalidParameter(name, `${name} ${issue.message}`);
}

/** A 400 for a parameter that is none of those `allowed`. */
export function unknownParameter(name: string, allowed: readonly string[]): ApiError {
	if (allowed.length === 0)
		return invalidParameter(name, `no parameter ${quoted(name)}: this endpoint takes none`);
	const suggestion = didYouMean(name, allowed) || ".";
	return invalidParameter(
		name,
		`no parameter ${quoted(name)}${suggestion} The parameters are ${allowed.join(", ")}`,
	);
}
