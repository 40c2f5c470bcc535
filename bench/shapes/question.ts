/**
 * What the benchmark asks, as plain data that the engine and every peer can be asked alike, and what
 * counts as the same answer: the total and the keys in order.
 */

import type { Geography, Projection, Query, RowFormat, SuggestRequest } from "../../engine/index.js";
import { DEPTH_MAX } from "../../formats/index.js";

export type Question =
	| {
			readonly kind: "list";
			readonly query: Query;
			readonly projection: Projection;
			readonly format: RowFormat;
	  }
	| { readonly kind: "suggest"; readonly request: SuggestRequest }
	| { readonly kind: "row"; readonly id: number }
	| { readonly kind: "stats"; readonly geography: Geography | null };

/** A list's keys are ids; those of suggestions and of the statuses of statistics are `value␟rows`. */
export interface Answer {
	readonly total: number | null;
	readonly keys: readonly (number | string)[];
}

/** What keeps a suggestion's value from its rows: no value holds it. */
export const KEY_SEPARATOR = "\u001f";

/** A question that a shape asks with parameters drawn from the data. */
export interface Shape {
	readonly name: string;
	/** What it asks, in a few words. */
	readonly about: string;
	readonly draw: () => Question;
}

/** What differs between two answers, in one line; null where they are the same. */
export function differenceOf(answer: Answer, expected: Answer): string | null {
	if (answer.total !== expected.total) return `total ${answer.total}, expected ${expected.total}`;
	if (answer.keys.length !== expected.keys.length)
		return `${answer.keys.length} keys, expected ${expected.keys.length}`;
	const at = answer.keys.findIndex((key, i) => key !== expected.keys[i]);
	return at === -1 ? null : `key ${at} is ${answer.keys[at]}, expected ${expected.keys[at]}`;
}

/** A question in one line, for people. */
export function describe(question: Question): string {
	switch (question.kind) {
		case "row":
			return `row ${question.id}`;
		case "stats":
			return `stats ${JSON.stringify(question.geography)}`;
		case "suggest":
			return `suggest ${JSON.stringify(question.request)}`;
		case "list": {
			const { filters, sort, order, page, limit, count } = question.query;
			const rest = `sort=${sort.join(",")} ${order} page=${page} limit=${limit}${count ? "" : " count=false"}`;
			return `${JSON.stringify(filters)} ${rest} ${question.format}`;
		}
	}
}

/** The deepest page of so many rows. */
export function lastPage(limit: number): number {
	return Math.floor(DEPTH_MAX / limit);
}
