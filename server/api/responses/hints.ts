/**
 * Hints for a list without rows: statuses and types are free text that differs by state, so a value
 * that no row has is told the nearest values that rows do have (`meta.hints`). The vocabulary is that
 * of the key's grant, so a hint tells nothing that /v1/stats would not.
 */

import type { Filters, Geography, Page, Stats, VocabularyEntry } from "../../../engine/index.js";
import { findJurisdiction, nearest, quoted } from "../../../formats/index.js";

export interface Hint {
	readonly param: string;
	readonly value: string;
	readonly message: string;
	readonly nearest: readonly string[];
}

/** What hints need of a query. */
export interface HintedQuery {
	readonly filters: Filters;
	readonly geography: Geography | null;
}

const VOCABULARIES = ["license_status", "member_type"] as const;
const NEAREST_MAX = 5;
/** Values of one filter that get a hint each. */
const HINTED_VALUES_MAX = 5;

/** Whether `page` shows that no row matches. */
export function isWithoutRows(page: Page): boolean {
	return page.rows.length === 0 && (page.total === 0 || (page.total === null && page.query.page === 1));
}

/** Hints for the filters of `query` whose value no row in the states asked for has; undefined: none. */
export function hintsFor(query: HintedQuery, stats: Stats): Hint[] | undefined {
	const hints = VOCABULARIES.flatMap((param) => {
		const asked = query.filters[param];
		if (asked === undefined) return [];
		const values = typeof asked === "string" ? [asked] : asked;
		const entries = stats[param].filter((entry) => occursIn(entry, query));
		if (entries.some((entry) => values.includes(entry.value))) return [];
		return values.slice(0, HINTED_VALUES_MAX).map((value) => hint(param, value, entries, query));
	});
	return hints.length === 0 ? undefined : hints;
}

/** Whether a row of the states and country asked for has the value. */
function occursIn(entry: VocabularyEntry, query: HintedQuery): boolean {
	const { state, country } = query.filters;
	return Object.keys(entry.states).some(
		(code) =>
			(state === undefined || state.includes(code)) &&
			(country === undefined || findJurisdiction(code)?.country === country),
	);
}

function hint(param: string, value: string, entries: readonly VocabularyEntry[], query: HintedQuery): Hint {
	const values = entries.map((entry) => entry.value);
	const near = nearest(value, values, NEAREST_MAX);
	const where = query.filters.state?.join(", ") ?? query.filters.country ?? "this snapshot";
	return {
		param,
		value,
		message: `no row in ${where} has ${param} ${quoted(value)}; matching is exact, and /v1/stats lists the values`,
		// Where nothing is similar, the most frequent values say what the vocabulary looks like.
		nearest: near.length > 0 ? near : values.slice(0, NEAREST_MAX),
	};
}
