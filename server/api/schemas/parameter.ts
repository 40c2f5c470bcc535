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
	findJurisdiction,
	isIsoDate,
	isMonth,
	JURISDICTIONS,
} from "../../../formats/index.js";
import { didYouMean, quoted } from "../nearest.js";

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

type Context = { addIssue(issue: { code: "custom"; message: string }): void };

function refuse(context: Context, message: string): never {
	context.addIssue({ code: "custom", message });
	return z.NEVER;
}

/** A whole number, in decimal digits where it is text. */
export function integer(minimum: number, maximum: number) {
	const rule = `must be a whole number from ${minimum.toLocaleString("en-US")} to ${maximum.toLocaleString("en-US")}`;
	return z.union([z.string(), z.number()], { error: rule }).transform((given, context) => {
		const value = typeof given === "number" ? given : wholeNumber(given);
		if (Number.isSafeInteger(value) && value >= minimum && value <= maximum) return value;
		return refuse(context, `${rule}; got ${quoted(String(given))}`);
	});
}

function wholeNumber(text: string): number {
	return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}

/** One of a few words, in this very spelling. */
export function word<const T extends string>(...words: readonly T[]) {
	const rule = `must be one of ${words.join(", ")}`;
	return z.string({ error: rule }).transform((given, context): T => {
		if ((words as readonly string[]).includes(given)) return given as T;
		return refuse(context, `${rule}; got ${quoted(given)}${didYouMean(given, words)}`);
	});
}

/** `true` or `false`. */
export function truth() {
	const rule = "must be true or false";
	return z.union([z.string(), z.boolean()], { error: rule }).transform((given, context) => {
		if (typeof given === "boolean") return given;
		if (given === "true" || given === "false") return given === "true";
		return refuse(context, `${rule}; got ${quoted(given)}`);
	});
}

/** Any text. */
export function text() {
	return z.string({ error: "must be text" });
}

/** An ISO date that the calendar has. */
export function isoDate() {
	const rule = "must be a calendar date written YYYY-MM-DD";
	return z.string({ error: rule }).transform((given, context) => {
		return isIsoDate(given) ? given : refuse(context, `${rule}; got ${quoted(given)}`);
	});
}

/** A month as snapshots are named. */
export function month() {
	const rule = "must be a month written YYYY-MM, from 2000-01 on";
	return z.string({ error: rule }).transform((given, context) => {
		return isMonth(given) ? given : refuse(context, `${rule}; got ${quoted(given)}`);
	});
}

const COUNTRIES = ["US", "CA"] as const;
const STATES = JURISDICTIONS.map((j) => j.state);

/** A country code, in either case. */
export function country() {
	const rule = "must be US or CA";
	return z.string({ error: rule }).transform((given, context) => {
		const code = COUNTRIES.find((c) => c === given.toUpperCase());
		return code ?? refuse(context, `${rule}; got ${quoted(given)}${didYouMean(given, COUNTRIES)}`);
	});
}

/** A state or province code, in either case. */
export function state() {
	return z.string({ error: "must be a state or province code" }).transform((given, context) => {
		return knownState(given, context);
	});
}

/** State or province codes, in either case. */
export function states() {
	return list("must be a list of state or province codes").transform((given, context) => {
		return unique(given.map((item) => knownState(item, context)));
	});
}

function knownState(given: string, context: Context): string {
	const code = given.toUpperCase();
	if (findJurisdiction(code) !== undefined) return code;
	return refuse(
		context,
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
	return list(`must be a list of ${noun}s`).transform((given, context) => {
		return unique(
			given.map((item): ColumnName => {
				if ((allowed as readonly string[]).includes(item)) return item as ColumnName;
				const suggestion = didYouMean(item, allowed) || ".";
				return refuse(
					context,
					`has no ${noun} ${quoted(item)}${suggestion} The ${noun}s are ${allowed.join(", ")}`,
				);
			}),
		);
	});
}

/** Comma-separated text or an array of text; items are trimmed, and none is empty. */
function list(rule: string) {
	return z.union([z.string(), z.array(z.string()).min(1)], { error: rule }).transform((given, context) => {
		const items = (typeof given === "string" ? given.split(",") : given).map((item) => item.trim());
		return items.includes("") ? refuse(context, `${rule}; an item of the list is empty`) : items;
	});
}

function unique<T>(items: readonly T[]): T[] {
	return [...new Set(items)];
}
