/**
 * Hints where rows match an office or a last name: rows that have another spelling of it, which neither a prefix nor a whole
 * name in any letter case finds (docs/API.md §7.8.6).
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters } from "../../../engine/index.js";
import { fold, groupDigits, quoted } from "../../../formats/index.js";
import { cachedHints } from "./hint-cache.js";
import { type Hint, type HintSource, listOf, placeOf, rowsOf, rowsText } from "./hints.js";
import { NEAREST_MAX } from "./near-values.js";
import { LOOKED_AT_MAX } from "./spelling-hints.js";

/** The filters on names that find one spelling. */
const NAMED = [
	{ param: "first_name", column: "member_first_name", remedy: "give one of these instead" },
	{ param: "last_name", column: "member_last_name", remedy: "give these too" },
	{ param: "office_name", column: "office_name", remedy: "give these too" },
	{ param: "office_name_is", column: "office_name", remedy: "office_name takes several, each a prefix" },
] as const;

type Named = (typeof NAMED)[number];

/**
 * One hint for each filter, on the first {@link LOOKED_AT_MAX} values. Cost: of each value as of
 * `Snapshot.otherSpellings`, and a count for each spelling.
 */
export function nameSpellingHints(filters: Filters, source: HintSource): Hint[] {
	const { last_name, office_name, office_name_is } = filters;
	if (last_name === undefined && office_name === undefined && office_name_is === undefined) return [];
	return NAMED.flatMap((named) => {
		const given = filters[named.param];
		if (given === undefined) return [];
		const values = listOf(given);
		if (!values.some((value) => source.snapshot.isSpelledOtherwise(named.column, value))) return [];
		return cachedHints(source, named.param, values, filters, () => hintsOf(named, values, filters, source));
	});
}

function hintsOf(
	{ param, column, remedy }: Named,
	values: readonly string[],
	filters: Filters,
	{ snapshot, geography }: HintSource,
): Hint[] {
	const place = placeOf(filters);
	const folds = values.map(fold);
	const isFound = (name: string) => {
		const folded = fold(name);
		return folds.some((each) => (param === "office_name_is" ? folded === each : folded.startsWith(each)));
	};
	const counted = snapshot.valueRows(column, place, geography);
	const others = new Map<string, number>();
	const spelled: string[] = [];
	for (const value of values.slice(0, LOOKED_AT_MAX)) {
		if (!snapshot.isSpelledOtherwise(column, value)) continue;
		const left = snapshot.otherSpellings(column, value).filter((name) => !isFound(name));
		const known = others.size;
		for (const name of left) {
			const rows = counted.ofValue(name);
			if (rows > 0) others.set(name, rows);
		}
		if (others.size > known) spelled.push(value);
	}
	if (others.size === 0) return [];
	const rows = [...others.values()].reduce((sum, each) => sum + each, 0);
	const names = [...others].sort(([, a], [, b]) => b - a).map(([name]) => name);
	const nearest = names.slice(0, NEAREST_MAX);
	const more = names.length - nearest.length;
	const unnamed = more === 0 ? "" : ` and ${groupDigits(more)} more ${more === 1 ? "spelling" : "spellings"}`;
	const message =
		`${rowsText(rows)} in ${rowsOf(place, geography)} ${rows === 1 ? "has" : "have"} ${column} ` +
		`${nearest.map(quoted).join(", ")}${unnamed}, which ${param} ${spelled.map(quoted).join(", ")} leaves out: ${remedy}`;
	return [{ param, value: spelled.join(", "), message, nearest }];
}
