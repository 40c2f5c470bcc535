/**
 * Building blocks of parameter schemas. A schema accepts what a query string gives (text) and what
 * JSON arguments give (numbers, booleans, arrays of text), and yields the typed value. What a
 * caller is told of a parameter (OpenAPI, tool schemas) is registered beside its rule, so the two
 * are written in one place.
 *
 * A rule's message reads on from the parameter's name: `must be a whole number …`.
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
import { Broken, ruled } from "../parameters/rule.js";

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

/** What is told of each parameter schema. */
export const parameterDocs = z.registry<ParameterDoc>();

/** Registers `doc` for `schema`. */
export function documented<T extends z.ZodType>(schema: T, doc: ParameterDoc): T {
	parameterDocs.add(schema, doc as never);
	return schema;
}

/** A whole number, in decimal digits where it is text. */
export function integer(minimum: number, maximum: number) {
	const rule = `must be a whole number from ${minimum.toLocaleString("en-US")} to ${maximum.toLocaleString("en-US")}`;
	return ruled((given): number | Broken => {
		if (typeof given !== "string" && typeof given !== "number") return new Broken(rule);
		const value = typeof given === "number" ? given : wholeNumber(given);
		if (Number.isSafeInteger(value) && value >= minimum && value <= maximum) return value;
		return new Broken(`${rule}; got ${quoted(String(given))}`);
	});
}

function wholeNumber(text: string): number {
	return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}

/** One of a few words, in this very spelling. */
export function word<const T extends string>(...words: readonly T[]) {
	const rule = `must be one of ${words.join(", ")}`;
	return ruled((given): T | Broken => {
		if (typeof given !== "string") return new Broken(rule);
		if ((words as readonly string[]).includes(given)) return given as T;
		return new Broken(`${rule}; got ${quoted(given)}${didYouMean(given, words)}`);
	});
}

/** `true` or `false`. */
export function truth() {
	const rule = "must be true or false";
	return ruled((given): boolean | Broken => {
		if (typeof given === "boolean") return given;
		if (typeof given !== "string") return new Broken(rule);
		if (given === "true" || given === "false") return given === "true";
		return new Broken(`${rule}; got ${quoted(given)}`);
	});
}

/** Any text of at least `minimum` characters (code points). */
export function text(minimum = 0) {
	return ruled((given): string | Broken => {
		if (typeof given !== "string") return new Broken("must be text");
		if (minimum === 0 || [...given].length >= minimum) return given;
		return new Broken(`must have at least ${minimum} characters`);
	});
}

/** An ISO date that the calendar has. */
export function isoDate() {
	const rule = "must be a calendar date written YYYY-MM-DD";
	return ruled((given): string | Broken => {
		if (typeof given !== "string") return new Broken(rule);
		return isIsoDate(given) ? given : new Broken(`${rule}; got ${quoted(given)}`);
	});
}

/** A month as snapshots are named. */
export function month() {
	const rule = "must be a month written YYYY-MM, from 2000-01 on";
	return ruled((given): string | Broken => {
		if (typeof given !== "string") return new Broken(rule);
		return isMonth(given) ? given : new Broken(`${rule}; got ${quoted(given)}`);
	});
}

const COUNTRIES = ["US", "CA"] as const;
const STATES = JURISDICTIONS.map((j) => j.state);

/** A country code, in either case. */
export function country() {
	const rule = "must be US or CA";
	return ruled((given): CountryCode | Broken => {
		if (typeof given !== "string") return new Broken(rule);
		const code = COUNTRIES.find((c) => c === given.toUpperCase());
		return code ?? new Broken(`${rule}; got ${quoted(given)}${didYouMean(given, COUNTRIES)}`);
	});
}

/** A state or province code, in either case. */
export function state() {
	return ruled((given): string | Broken => {
		return typeof given === "string" ? knownState(given) : new Broken("must be a state or province code");
	});
}

/** State or province codes, in either case. */
export function states() {
	const rule = "must be a list of state or province codes";
	return ruled((given) => list(rule, given, knownState), true);
}

function knownState(given: string): string | Broken {
	const code = given.toUpperCase();
	if (findJurisdiction(code) !== undefined) return code;
	return new Broken(
		`has no state or province ${quoted(given)}${suggestState(given)} The codes are ${STATES.join(", ")}`,
	);
}

/** A full name, such as `Texas`, is told its code. */
function suggestState(given: string): string {
	const named = JURISDICTIONS.find((j) => j.name.toLowerCase() === given.trim().toLowerCase());
	if (named !== undefined) return `; did you mean "${named.state}"?`;
	return didYouMean(given, STATES) || ".";
}

/** Names of columns among `allowed`, which `noun` calls ("column", "sort column"). */
export function columns(noun: string, allowed: readonly ColumnName[]) {
	const known = (item: string): ColumnName | Broken => {
		if ((allowed as readonly string[]).includes(item)) return item as ColumnName;
		const suggestion = didYouMean(item, allowed) || ".";
		return new Broken(`has no ${noun} ${quoted(item)}${suggestion} The ${noun}s are ${allowed.join(", ")}`);
	};
	return ruled((given) => list(`must be a list of ${noun}s`, given, known), true);
}

/** Comma-separated text or an array of text; items are trimmed, none is empty, and each counts once. */
function list<T>(rule: string, given: unknown, read: (item: string) => T | Broken): T[] | Broken {
	if (typeof given !== "string" && !isTexts(given)) return new Broken(rule);
	const items = (typeof given === "string" ? given.split(",") : given).map((item) => item.trim());
	if (items.includes("")) return new Broken(`${rule}; an item of the list is empty`);
	const values = new Set<T>();
	for (const item of items) {
		const value = read(item);
		if (value instanceof Broken) return value;
		values.add(value);
	}
	return [...values];
}

/** Whether `given` is an array of text, with something in it. */
function isTexts(given: unknown): given is string[] {
	return Array.isArray(given) && given.length > 0 && given.every((item) => typeof item === "string");
}
