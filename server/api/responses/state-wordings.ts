/**
 * Hints for a status or a type in the words of some licensing bodies: the states that have rows with other words of the same
 * meaning alone, which a filter on the given words leaves out.
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters, Stats } from "../../../engine/index.js";
import { findJurisdiction, groupDigits, quoted } from "../../../formats/index.js";
import { type Hint, type HintSource, listOf, statesText } from "./hints.js";
import { keptHints } from "./kept-hints.js";
import { groupOf, NEAREST_MAX } from "./near-values.js";

/** The filters on words, with the filter on their groups. */
const WORDED = [
	{ param: "license_status", column: "member_license_status", grouped: "status_group" },
	{ param: "member_type", column: "member_type", grouped: "type_group" },
] as const;

/** A word of a vocabulary. */
interface Wording {
	readonly value: string;
	readonly fold: string;
	/** What it means by the built-in table; null: that has no such word. */
	readonly group: string | null;
	/** Rows by state, of those that have the word. */
	readonly states: readonly (readonly [state: string, rows: number])[];
}

type Vocabulary = Stats["license_status"];

/** The words of vocabularies, which statistics keep as long as their snapshot. */
const prepared = new WeakMap<Vocabulary, readonly Wording[]>();

/**
 * Cost O(words of all states), some hundred, where several states are asked for; O(1) for what was asked before, and once
 * for a vocabulary some hundred times as much.
 */
export function wordingHints(filters: Filters, source: HintSource): Hint[] {
	const { snapshot, geography, stats, aliases } = source;
	// Rows of the one state match.
	if (filters.state?.length === 1) return [];
	return WORDED.flatMap((filter) => {
		const { param, column, grouped } = filter;
		const given = filters[param];
		if (given === undefined || filters[grouped] !== undefined) return [];
		const values = listOf(given);
		const name = aliases?.[param] ?? param;
		return keptHints(source, name, values, filters, () =>
			hintsOf(filter, name, values, filters, wordingsOf(column, stats.of(snapshot, geography)[param])),
		);
	});
}

/** None where no state has only other words. */
function hintsOf(
	{ grouped }: (typeof WORDED)[number],
	param: string,
	values: readonly string[],
	filters: Filters,
	wordings: readonly Wording[],
): Hint[] {
	const own = wordings.filter(({ value }) => values.includes(value));
	const meant = new Set(own.map(({ group }) => group));
	const left = leftOutOf(filters, own, sameMeaning(own, meant, wordings));
	if (left.rows === 0) return [];
	const [group] = meant.size === 1 ? meant : [null];
	const all = group === null ? "give these too" : `${grouped} ${group} has all that mean it`;
	const rows = `${groupDigits(left.rows)} ${left.rows === 1 ? "row there has" : "rows there have"}`;
	const message =
		`no row of ${statesText(left.states)} has ${param} ${values.map(quoted).join(" or ")}, and ${rows} ` +
		`other words of that meaning: each state has its own; ${all}`;
	return [{ param, value: values.join(", "), message, nearest: left.words }];
}

function wordingsOf(
	column: "member_license_status" | "member_type",
	vocabulary: Vocabulary,
): readonly Wording[] {
	let wordings = prepared.get(vocabulary);
	if (wordings === undefined) {
		wordings = vocabulary.map(({ value, states }) => {
			const group = groupOf(column, value, Object.keys(states));
			return { value, fold: value.toLowerCase(), group, states: Object.entries(states) };
		});
		prepared.set(vocabulary, wordings);
	}
	return wordings;
}

/** The words that mean what one of `own`, whose groups are `meant`, does, or differ from it in letter case. */
function sameMeaning(
	own: readonly Wording[],
	meant: ReadonlySet<string | null>,
	wordings: readonly Wording[],
): readonly Wording[] {
	const folds = new Set(own.map(({ fold }) => fold));
	return wordings.filter((wording) => {
		const { fold, group } = wording;
		return ((group !== null && meant.has(group)) || folds.has(fold)) && !own.includes(wording);
	});
}

/** The states asked for in which rows have some of `others` and none of `own`, those rows, and their most frequent words. */
function leftOutOf(
	{ state, country }: Filters,
	own: readonly Wording[],
	others: readonly Wording[],
): { readonly states: readonly string[]; readonly rows: number; readonly words: readonly string[] } {
	const having = new Set(own.flatMap(({ states }) => states.map(([code]) => code)));
	const left = new Set<string>();
	const rowsOfWord = new Map<string, number>();
	let rows = 0;
	for (const { value, states } of others) {
		for (const [code, count] of states) {
			const isAsked = state === undefined || state.includes(code);
			const isOfCountry = country === undefined || findJurisdiction(code)?.country === country;
			if (having.has(code) || !isAsked || !isOfCountry) continue;
			left.add(code);
			rows += count;
			rowsOfWord.set(value, (rowsOfWord.get(value) ?? 0) + count);
		}
	}
	const words = [...rowsOfWord].sort(([, a], [, b]) => b - a).map(([word]) => word);
	return { states: [...left].sort(), rows, words: words.slice(0, NEAREST_MAX) };
}
