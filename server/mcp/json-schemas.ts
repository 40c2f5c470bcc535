/**
 * The tools' JSON Schemas, made from the zod schemas that validate: inputs from what is registered
 * beside each parameter's rule, outputs from the response schemas. They are put into an agent's
 * context, so they are kept short.
 */

import { z } from "zod";
import { type ParameterDoc, parameterDocs } from "../api/schemas/value-types.js";
import type { JsonObject } from "./message.js";

/** A schema as the protocol wants it: an object, by the default dialect (2020-12). */
export interface ObjectSchema {
	readonly type: "object";
	readonly properties: Readonly<Record<string, JsonObject>>;
	readonly required?: string[];
	readonly additionalProperties: false;
	readonly [keyword: string]: unknown;
}

/** What a tool says otherwise of a parameter than HTTP's documentation does. */
export type ParameterChanges = Readonly<Record<string, JsonObject>>;

/** The input schema of the parameters `names` of `shape`. */
export function inputSchema(
	shape: Readonly<Record<string, z.ZodType>>,
	names: readonly string[],
	changes: ParameterChanges,
): ObjectSchema {
	const properties = names.map((name) => {
		const doc = parameterDocs.get(shape[name]);
		if (doc === undefined) throw new TypeError(`parameter ${name} is not documented`);
		return [name, { ...propertySchema(doc), ...changes[name] }] as const;
	});
	const required = names.filter((name) => !shape[name].safeParse(undefined).success);
	return {
		type: "object",
		properties: Object.fromEntries(properties),
		...(required.length === 0 ? {} : { required }),
		additionalProperties: false,
	};
}

function propertySchema({ description, schema, json, example }: ParameterDoc): JsonObject {
	const examples = json === undefined && example !== undefined ? { examples: [example] } : {};
	return { ...(json ?? schema), description, ...examples };
}

/** The output schema of `response`. */
export function outputSchema(response: z.ZodType): ObjectSchema {
	const { $schema: _, ...schema } = z.toJSONSchema(response, {
		override: ({ jsonSchema }) => shorten(jsonSchema),
	});
	return schema as unknown as ObjectSchema;
}

/** Leaves out what says the same twice: the pattern of a named format, the bounds of every integer. */
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
	if (schema.format !== undefined) delete schema.pattern;
	if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
	if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
