/**
 * Building blocks of parameter schemas: the rules of formats/parameters/value-rules.ts as zod schemas,
 * and the registry of each parameter's documentation for OpenAPI and the tool schemas.
 */

import { z } from "zod";
import {
	countryRule,
	integerRule,
	monthRule,
	oneOfNamesRule,
	rowIdRule,
	stateRule,
	textRule,
} from "../../../formats/index.js";
import { schemaOfRule } from "../parameters/schema-rule.js";

/** The JSON Schema of a parameter as documented; without `type` it is an `anyOf`. */
export interface ParameterSchema {
	readonly type?: "string" | "integer" | "boolean" | "array";
	readonly [keyword: string]: unknown;
}

export interface ParameterDoc {
	readonly description: string;
	/** In a query string. */
	readonly schema: ParameterSchema;
	/** In JSON arguments, where that differs. */
	readonly json?: ParameterSchema;
	readonly example?: unknown;
}

/** Documentation by parameter schema. */
export const parameterDocs = z.registry<ParameterDoc>();

/** Registers `doc` for `schema`. */
export function documented<T extends z.ZodType>(schema: T, doc: ParameterDoc): T {
	parameterDocs.add(schema, doc as never);
	return schema;
}

/** An optional month, YYYY-MM. */
export function monthParameter(description: string) {
	return documented(schemaOfRule(monthRule).optional(), {
		description,
		schema: { type: "string", pattern: "^\\d{4}-(0[1-9]|1[0-2])$" },
		example: "2026-10",
	});
}

/** A schema of {@link integerRule}. */
export const integer = (minimum: number, maximum: number) => schemaOfRule(integerRule(minimum, maximum));

/** A schema of {@link oneOfNamesRule}. */
export const oneOf = <const T extends string>(...names: readonly T[]) =>
	schemaOfRule(oneOfNamesRule(...names));

/** A schema of {@link textRule}. */
export const text = (minimum = 0) => schemaOfRule(textRule(minimum));

/** A schema of {@link countryRule}. */
export const country = () => schemaOfRule(countryRule);

/** A schema of {@link rowIdRule}. */
export const rowIdentifier = () => schemaOfRule(rowIdRule);

/** A schema of {@link stateRule}. */
export const state = () => schemaOfRule(stateRule);
