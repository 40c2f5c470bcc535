/**
 * Hints for a status or a type in the words of some licensing bodies: the states that have rows with other words of the same
 * meaning alone, which a filter on the given words leaves out.
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters } from "../../../engine/index.js";
import { findJurisdiction, groupDigits, quoted } from "../../../formats/index.js";
import { type Hint, type HintSource, listOf, statesText } from "./hints.js";
import { groupOf, NEAREST_MAX } from "./near-values.js";

/** The filters on words, with the filter on their groups. */
const WORDED = [
	{ param: "license_status", column: "member_license_status", grouped: "status_group" },
	{ param: "member_type", column: "member_type", grouped: "type_group" },
] as const;

/** A word of a vocabulary with its rows by state. */
interface Wording {
	readonly value: string;
	readonly states: Readonly<Record<string, number>>;
}

/** The groups of words, by the objects that statistics keep as long as their snapshot. */
const groups = new WeakMap<Wording, string | null>();

/** Cost O(words of all states), some hundred, where several states are asked for. */
export function wordingHints(filters: Filters, { snapshot, geography, stats, aliases }: HintSource): Hint[] {
	// Rows of the one state match.
	if (filters.state?.length === 1) return [];
	return WORDED.flatMap(({ param, column, grouped }) => {
		const given = filters[param];
		if (given === undefined || filters[grouped] !== undefined) return [];
		const values = listOf(given);
		const wordings = stats.of(snapshot, geography)[param];
		const own = wordings.filter(({ value }) => values.includes(value));
		const meant = new Set(own.map((wording) => groupOfWording(column, wording)));
		const left = leftOutOf(filters, own, sameMeaning(column, own, meant, wordings));
		if (left.rows === 0) return [];
		const [group] = meant.size === 1 ? meant : [null];
		const all = group === null ? "give these too" : `${grouped} ${group} has all that mean it`;
		const name = aliases?.[param] ?? param;
		const rows = `${groupDigits(left.rows)} ${left.rows === 1 ? "row there has" : "rows there have"}`;
		const message =
			`no row of ${statesText(left.states)} has ${name} ${values.map(quoted).join(" or ")}, and ${rows} ` +
			`other words of that meaning: each state has its own; ${all}`;
		return [{ param: name, value: values.join(", "), message, nearest: left.words }];
	});
}

function groupOfWording(column: "member_license_status" | "member_type", wording: Wording): string | null {
	let group = groups.get(wording);
	if (group === undefined) {
		group = groupOf(column, wording.value, Object.keys(wording.states));
		groups.set(wording, group);
	}
	return group;
}

/** The words that mean what one of `own`, whose groups are `meant`, does, or differ from it in letter case. */
function sameMeaning(
	column: "member_license_status" | "member_type",
	own: readonly Wording[],
	meant: ReadonlySet<string | null>,
	wordings: readonly Wording[],
): readonly Wording[] {
	const folds = new Set(own.map(({ value }) => value.toLowerCase()));
	return wordings.filter((wording) => {
		if (own.includes(wording)) return false;
		const group = groupOfWording(column, wording);
		return folds.has(wording.value.toLowerCase()) || (group !== null && meant.has(group));
	});
}

/** The states asked for in which rows have some of `others` and none of `own`, those rows, and their most frequent words. */
function leftOutOf(
	{ state, country }: Filters,
	own: readonly Wording[],
	others: readonly Wording[],
): { readonly states: readonly string[]; readonly rows: number; readonly words: readonly string[] } {
	const having = new Set(own.flatMap((wording) => Object.keys(wording.states)));
	const states = new Set<string>();
	const rowsOfWord = new Map<string, number>();
	let rows = 0;
	for (const other of others) {
		for (const [code, count] of Object.entries(other.states)) {
			const isAsked = state === undefined || state.includes(code);
			const isOfCountry = country === undefined || findJurisdiction(code)?.country === country;
			if (having.has(code) || !isAsked || !isOfCountry) continue;
			states.add(code);
			rows += count;
			rowsOfWord.set(other.value, (rowsOfWord.get(other.value) ?? 0) + count);
		}
	}
	const words = [...rowsOfWord].sort(([, a], [, b]) => b - a).map(([word]) => word);
	return { states: [...states].sort(), rows, words: words.slice(0, NEAREST_MAX) };
}
