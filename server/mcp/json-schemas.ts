/**
 * The tools' JSON Schemas. They are put into an agent's context, so they hold what an agent needs to choose
 * and to fill in arguments, and no rule that the error of a broken one would say: inputs are made from what
 * is registered beside each parameter's rule, and `$defs` hold what several properties share.
 */

import type { z } from "zod";
import { type ParameterDoc, type ParameterSchema, parameterDocs } from "../api/schemas/value-types.js";
import type { JsonObject } from "./json-rpc.js";

/** A schema as the protocol wants it: an object, by the default dialect (2020-12). */
export interface ObjectSchema {
	readonly type: "object";
	readonly properties: Readonly<Record<string, JsonObject>>;
	readonly required?: string[];
	readonly [keyword: string]: unknown;
}

export interface OutputSchema {
	readonly type: "object";
	readonly required: string[];
	readonly [keyword: string]: unknown;
}

/** What a tool says of its arguments, by name; those whose names say enough are left out. */
export type ArgumentTexts = Readonly<Record<string, string>>;

/** What properties refer to. */
const DEFS = {
	/** One value or several: of repeatable filters, and of lists of columns and states. */
	s: { type: ["string", "array"], items: { type: "string" } },
} as const;

type DefName = keyof typeof DEFS;

/** The input schema of the parameters `names` of `shape`. */
export function inputSchema(
	shape: Readonly<Record<string, z.ZodType>>,
	names: readonly string[],
	texts: ArgumentTexts,
	changes: Readonly<Record<string, JsonObject>> = {},
): ObjectSchema {
	const used = new Set<DefName>();
	const properties = names.map((name) => {
		const doc = parameterDocs.get(shape[name]);
		if (doc === undefined) throw new TypeError(`parameter ${name} is not documented`);
		const description = texts[name] === undefined ? {} : { description: texts[name] };
		return [name, { ...(changes[name] ?? briefSchema(name, doc, used)), ...description }] as const;
	});
	const required = names.filter((name) => !shape[name].safeParse(undefined).success);
	const defs = Object.fromEntries([...used].map((name) => [name, DEFS[name]]));
	return {
		type: "object",
		properties: Object.fromEntries(properties),
		...(required.length === 0 ? {} : { required }),
		additionalProperties: false,
		...(used.size === 0 ? {} : { $defs: defs }),
	};
}

function briefSchema(name: string, { schema, json }: ParameterDoc, used: Set<DefName>): JsonObject {
	const shown: ParameterSchema = json ?? schema;
	const refer = (def: DefName) => {
		used.add(def);
		return { $ref: `#/$defs/${def}` };
	};
	if (name === "state" || shown.type === "array" || shown.type === undefined) return refer("s");
	if (shown.enum !== undefined) return { enum: shown.enum };
	return { type: shown.type };
}

/** An output schema: an object that has these members. */
export function outputSchema(...members: readonly string[]): OutputSchema {
	return { type: "object", required: [...members] };
}
