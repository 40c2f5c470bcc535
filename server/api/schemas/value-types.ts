/**
 * Building blocks of parameter schemas. A schema accepts text from a query string and JSON arguments
 * (numbers, booleans, arrays of text), and yields the typed value. A parameter's documentation for
 * OpenAPI and the tool schemas is registered beside its rule.
 *
 * A rule's message continues the parameter's name: `must be a whole number …`.
 */

import { z } from "zod";
import {
	type ColumnName,
	type CountryCode,
	findJurisdiction,
	isIsoDate,
	isMonth,
	JURISDICTIONS,
} from "../../../formats/index.js";
import { didYouMean, quoted } from "../parameters/nearest.js";
import { RuleViolation, schemaOfRule } from "../parameters/rule.js";

/** The JSON Schema of a parameter as documented. */
export interface ParameterSchema {
	readonly type: "string" | "integer" | "boolean" | "array";
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

/** A whole number, in decimal digits where it is text. */
export function integer(minimum: number, maximum: number) {
	const rule = `must be a whole number from ${minimum.toLocaleString("en-US")} to ${maximum.toLocaleString("en-US")}`;
	return schemaOfRule((given): number | RuleViolation => {
		if (typeof given !== "string" && typeof given !== "number") return new RuleViolation(rule);
		const value = typeof given === "number" ? given : wholeNumber(given);
		if (Number.isSafeInteger(value) && value >= minimum && value <= maximum) return value;
		return new RuleViolation(`${rule}; got ${quoted(String(given))}`);
	});
}

function wholeNumber(text: string): number {
	return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}

/** One of `words`, case-sensitive. */
export function oneOf<const T extends string>(...words: readonly T[]) {
	const rule = `must be one of ${words.join(", ")}`;
	return schemaOfRule((given): T | RuleViolation => {
		if (typeof given !== "string") return new RuleViolation(rule);
		if ((words as readonly string[]).includes(given)) return given as T;
		return new RuleViolation(`${rule}; got ${quoted(given)}${didYouMean(given, words)}`);
	});
}

/** `true` or `false`. */
export function trueOrFalse() {
	const rule = "must be true or false";
	return schemaOfRule((given): boolean | RuleViolation => {
		if (typeof given === "boolean") return given;
		if (typeof given !== "string") return new RuleViolation(rule);
		if (given === "true" || given === "false") return given === "true";
		return new RuleViolation(`${rule}; got ${quoted(given)}`);
	});
}

/** Any text of at least `minimum` characters (code points). */
export function text(minimum = 0) {
	return schemaOfRule((given): string | RuleViolation => {
		if (typeof given !== "string") return new RuleViolation("must be text");
		if (minimum === 0 || [...given].length >= minimum) return given;
		return new RuleViolation(`must have at least ${minimum} characters`);
	});
}

/** An ISO date that the calendar has. */
export function isoDate() {
	const rule = "must be a calendar date written YYYY-MM-DD";
	return schemaOfRule((given): string | RuleViolation => {
		if (typeof given !== "string") return new RuleViolation(rule);
		return isIsoDate(given) ? given : new RuleViolation(`${rule}; got ${quoted(given)}`);
	});
}

/** A month, `YYYY-MM`. */
export function month() {
	const rule = "must be a month written YYYY-MM, from 2000-01 on";
	return schemaOfRule((given): string | RuleViolation => {
		if (typeof given !== "string") return new RuleViolation(rule);
		return isMonth(given) ? given : new RuleViolation(`${rule}; got ${quoted(given)}`);
	});
}

const COUNTRIES = ["US", "CA"] as const;
const STATES = JURISDICTIONS.map((j) => j.state);

/** A country code, in either case. */
export function country() {
	const rule = "must be US or CA";
	return schemaOfRule((given): CountryCode | RuleViolation => {
		if (typeof given !== "string") return new RuleViolation(rule);
		const code = COUNTRIES.find((c) => c === given.toUpperCase());
		return code ?? new RuleViolation(`${rule}; got ${quoted(given)}${didYouMean(given, COUNTRIES)}`);
	});
}

/** A state or province code, in either case. */
export function state() {
	return schemaOfRule((given): string | RuleViolation => {
		return typeof given === "string"
			? knownState(given)
			: new RuleViolation("must be a state or province code");
	});
}

/** State or province codes, in either case. */
export function stateList() {
	const rule = "must be a list of state or province codes";
	return schemaOfRule((given) => list(rule, given, knownState), true);
}

function knownState(given: string): string | RuleViolation {
	const code = given.toUpperCase();
	if (findJurisdiction(code) !== undefined) return code;
	return new RuleViolation(
		`has no state or province ${quoted(given)}${suggestState(given)} The codes are ${STATES.join(", ")}`,
	);
}

/** Suggests the code for a full name such as `Texas`, else the nearest code. */
function suggestState(given: string): string {
	const named = JURISDICTIONS.find((j) => j.name.toLowerCase() === given.trim().toLowerCase());
	if (named !== undefined) return `; did you mean "${named.state}"?`;
	return didYouMean(given, STATES) || ".";
}

/** Column names among `allowed`; `noun` names them in messages ("column", "sort column"). */
export function columnList(noun: string, allowed: readonly ColumnName[]) {
	const known = (item: string): ColumnName | RuleViolation => {
		if ((allowed as readonly string[]).includes(item)) return item as ColumnName;
		const suggestion = didYouMean(item, allowed) || ".";
		return new RuleViolation(
			`has no ${noun} ${quoted(item)}${suggestion} The ${noun}s are ${allowed.join(", ")}`,
		);
	};
	return schemaOfRule((given) => list(`must be a list of ${noun}s`, given, known), true);
}

/** Comma-separated text or an array of text. Items are trimmed; an empty one is an error; a repeated one counts once. */
function list<T>(
	rule: string,
	given: unknown,
	read: (item: string) => T | RuleViolation,
): T[] | RuleViolation {
	if (typeof given !== "string" && !isTexts(given)) return new RuleViolation(rule);
	const items = (typeof given === "string" ? given.split(",") : given).map((item) => item.trim());
	if (items.includes("")) return new RuleViolation(`${rule}; an item of the list is empty`);
	const values = new Set<T>();
	for (const item of items) {
		const value = read(item);
		if (value instanceof RuleViolation) return value;
		values.add(value);
	}
	return [...values];
}

/** Whether `given` is a non-empty array of text. */
function isTexts(given: unknown): given is string[] {
	return Array.isArray(given) && given.length > 0 && given.every((item) => typeof item === "string");
}
