/**
 * The benchmark's questions as plain data that the engine and every peer understand, and equality of
 * answers: the total, the keys in order, and for lists the bytes of the rows.
 */

import type {
	AggregateRequest,
	AskedLicense,
	Filters,
	Geography,
	OfficesRequest,
	Projection,
	Query,
	RowFormat,
	SuggestRequest,
} from "../../engine/index.js";
import { COLUMNS, DEPTH_MAX } from "../../formats/index.js";

export type Question =
	| {
			readonly kind: "list";
			readonly query: Query;
			readonly projection: Projection;
			readonly format: RowFormat;
	  }
	| { readonly kind: "suggest"; readonly request: SuggestRequest }
	| {
			readonly kind: "aggregate";
			readonly request: AggregateRequest;
			readonly filters: Filters;
			/** Absent: all rows. */
			readonly geography?: Geography | null;
	  }
	| { readonly kind: "row"; readonly id: number; readonly projection: Projection }
	| { readonly kind: "stats"; readonly geography: Geography | null };

/** What peers are not asked, since none has the same rules. */
export type Call =
	| {
			readonly kind: "verify";
			readonly licenses: readonly AskedLicense[];
			readonly projection: Projection;
			readonly geography: Geography | null;
	  }
	| {
			readonly kind: "offices";
			readonly request: OfficesRequest;
			readonly filters: Filters;
			readonly geography: Geography | null;
	  }
	| {
			/** Rows of a license in one month, as its history has them of each. */
			readonly kind: "history";
			readonly state: string;
			readonly licenseNumber: string;
			readonly projection: Projection;
			readonly geography: Geography | null;
	  };

export type AnyQuestion = Question | Call;

/** A list's keys are ids; those of suggestions, statuses and groups are `value␟rows`. */
export interface Answer {
	readonly total: number | null;
	readonly keys: readonly (number | string)[];
	/** The rows of a list as they are sent: the array of a JSON answer, or the whole of CSV and NDJSON. */
	readonly body?: string;
}

/** Separates a suggestion's value from its rows; no value contains it. */
export const KEY_SEPARATOR = "\u001f";

/** A question of one shape, with parameters drawn from the data. */
export interface Shape {
	readonly name: string;
	/** What it asks, in a few words. */
	readonly about: string;
	readonly draw: () => Question;
}

/** The difference between two answers, in one line; null where they are equal. */
export function differenceOf(answer: Answer, expected: Answer): string | null {
	if (answer.total !== expected.total) return `total ${answer.total}, expected ${expected.total}`;
	if (answer.keys.length !== expected.keys.length)
		return `${answer.keys.length} keys, expected ${expected.keys.length}`;
	const at = answer.keys.findIndex((key, i) => key !== expected.keys[i]);
	if (at !== -1) return `key ${at} is ${answer.keys[at]}, expected ${expected.keys[at]}`;
	return bodyDifference(answer.body, expected.body);
}

/** Where two bodies differ first, with what surrounds it; null where they are equal or one is not known. */
function bodyDifference(body: string | undefined, expected: string | undefined): string | null {
	if (body === undefined || expected === undefined || body === expected) return null;
	let at = 0;
	while (body[at] === expected[at]) at++;
	const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 30));
	return `byte ${at} of the rows: ${around(body)}, expected ${around(expected)}`;
}

/** The array of rows in a JSON answer's text: `{"data":[…],"pagination":…}`. */
export function rowsInJson(text: string): string {
	return text.slice('{"data":'.length, text.lastIndexOf(',"pagination":'));
}

/** A question as one line of text. */
export function describe(question: AnyQuestion): string {
	switch (question.kind) {
		case "verify":
			return `verify ${JSON.stringify(question.licenses)}${granted(question.geography)}${projected(question.projection)}`;
		case "offices":
			return `offices ${JSON.stringify(question.request)} ${JSON.stringify(question.filters)}${granted(question.geography)}`;
		case "history": {
			const { state, licenseNumber, geography, projection } = question;
			return `history ${state}:${licenseNumber}${granted(geography)}${projected(projection)}`;
		}
		case "row":
			return `row ${question.id}${projected(question.projection)}`;
		case "stats":
			return `stats ${JSON.stringify(question.geography)}`;
		case "aggregate":
			return `aggregate ${JSON.stringify(question.request)} ${JSON.stringify(question.filters)}${granted(question.geography ?? null)}`;
		case "suggest":
			return `suggest ${JSON.stringify(question.request)}`;
		case "list": {
			const { filters, sort, order, page, limit, count, geography } = question.query;
			const rest = `sort=${sort.join(",")} ${order} page=${page} limit=${limit}${count ? "" : " count=false"}`;
			return `${JSON.stringify(filters)} ${rest}${granted(geography)}${projected(question.projection)} ${question.format}`;
		}
	}
}

function granted(geography: Geography | null): string {
	return geography === null ? "" : ` granted=${JSON.stringify(geography)}`;
}

/** What of a row is sent, where that is not all of it. */
function projected({ columns, masked }: Projection): string {
	const fields = columns.length === COLUMNS.length ? "" : ` fields=${columns.join(",")}`;
	return `${fields}${masked ? " masked" : ""}`;
}

/** The deepest page with this limit. */
export function lastPage(limit: number): number {
	return Math.floor(DEPTH_MAX / limit);
}
