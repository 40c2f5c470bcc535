/**
 * The benchmark's questions as plain data that the engine and every peer understand, and equality of
 * answers: the total and the keys in order.
 */

import type {
	AggregateRequest,
	Filters,
	Geography,
	Projection,
	Query,
	RowFormat,
	SuggestRequest,
} from "../../engine/index.js";
import { DEPTH_MAX } from "../../formats/index.js";

export type Question =
	| {
			readonly kind: "list";
			readonly query: Query;
			readonly projection: Projection;
			readonly format: RowFormat;
	  }
	| { readonly kind: "suggest"; readonly request: SuggestRequest }
	| { readonly kind: "aggregate"; readonly request: AggregateRequest; readonly filters: Filters }
	| { readonly kind: "row"; readonly id: number; readonly projection: Projection }
	| { readonly kind: "stats"; readonly geography: Geography | null };

/** A list's keys are ids; those of suggestions, statuses and groups are `value␟rows`. */
export interface Answer {
	readonly total: number | null;
	readonly keys: readonly (number | string)[];
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
	return at === -1 ? null : `key ${at} is ${answer.keys[at]}, expected ${expected.keys[at]}`;
}

/** A question as one line of text. */
export function describe(question: Question): string {
	switch (question.kind) {
		case "row":
			return `row ${question.id}`;
		case "stats":
			return `stats ${JSON.stringify(question.geography)}`;
		case "aggregate":
			return `aggregate ${JSON.stringify(question.request)} ${JSON.stringify(question.filters)}`;
		case "suggest":
			return `suggest ${JSON.stringify(question.request)}`;
		case "list": {
			const { filters, sort, order, page, limit, count } = question.query;
			const rest = `sort=${sort.join(",")} ${order} page=${page} limit=${limit}${count ? "" : " count=false"}`;
			return `${JSON.stringify(filters)} ${rest} ${question.format}`;
		}
	}
}

/** The deepest page with this limit. */
export function lastPage(limit: number): number {
	return Math.floor(DEPTH_MAX / limit);
}
