/** From raw parameters to typed ones: unknown names and broken rules become one precise 400. */

import type { z } from "zod";
import { type ApiError, invalidParameter } from "./errors.js";
import { didYouMean, quoted } from "./nearest.js";

/** A schema of parameters: a strict object of them. */
export interface ParameterObject<T> {
	readonly shape: Readonly<Record<string, z.ZodType>>;
	safeParse(given: unknown): z.ZodSafeParseResult<T>;
}

/** What a schema makes of parameters that are not given. */
interface Absent {
	readonly defaults: Readonly<Record<string, unknown>>;
	readonly required: readonly string[];
}

const absentOf = new WeakMap<object, Absent>();

/**
 * `given` as `schema` reads it. Throws ApiError `invalid_parameter` for the first parameter that is
 * unknown, missing or breaks its rule. Values are shared between results and not to be changed.
 *
 * Only what is given is parsed: the schema is an object of independent parameters, so the rest is
 * the same each time. Cost: a fraction of a microsecond a given parameter.
 */
export function parseParameters<T>(schema: ParameterObject<T>, given: Readonly<Record<string, unknown>>): T {
	const { defaults, required } = whereAbsent(schema);
	const read: Record<string, unknown> = { ...defaults };
	let sound = true;
	for (const name in given) {
		if (!Object.hasOwn(schema.shape, name)) throw unknownParameter(name, Object.keys(schema.shape));
		if (given[name] === undefined) continue;
		const parsed = schema.shape[name].safeParse(given[name]);
		if (parsed.success) read[name] = parsed.data;
		else sound = false;
	}
	for (const name of required) if (given[name] === undefined) sound = false;
	return sound ? (read as T) : parseWhole(schema, given);
}

function whereAbsent(schema: ParameterObject<unknown>): Absent {
	const known = absentOf.get(schema);
	if (known !== undefined) return known;
	const defaults: Record<string, unknown> = {};
	const required: string[] = [];
	for (const [name, parameter] of Object.entries(schema.shape)) {
		const parsed = parameter.safeParse(undefined);
		if (!parsed.success) required.push(name);
		else if (parsed.data !== undefined) defaults[name] = parsed.data;
	}
	const absent = { defaults, required };
	absentOf.set(schema, absent);
	return absent;
}

/** The slow way, which finds the fault to tell: the first in the schema's order. */
function parseWhole<T>(schema: ParameterObject<T>, given: Readonly<Record<string, unknown>>): T {
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
