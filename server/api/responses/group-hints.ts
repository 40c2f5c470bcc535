/**
 * Hints for groups by a name: that other spellings of it, which are groups of their own, have rows as well, so that neither
 * its rows nor its rank is that of the name (docs/API.md §11.3).
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { AggregateGroup, DimensionName, Filters } from "../../../engine/index.js";
import { groupDigits, quoted } from "../../../formats/index.js";
import { HintWork } from "./hint-work.js";
import type { Hint, HintSource } from "./hints.js";

/** Groups whose spellings are looked for, the largest first. */
const GROUPS_MAX = 20;
/** Spellings that a hint names. */
const NAMED_MAX = 3;
/** Spellings that are counted, most of which may have no row that the filters leave. */
const COUNTED_MAX = 20;

/** A spelling that has rows beside those of a group. */
interface Spelling {
	readonly group: string;
	readonly other: string;
	readonly rows: number;
}

/**
 * For groups by an office's or a city's name alone, of which `where` says more after each spelling. None where a filter says
 * which spelling is meant. Cost: looking up {@link GROUPS_MAX} names, and at most {@link COUNTED_MAX} counts as far as
 * {@link HintWork} reaches, until {@link NAMED_MAX} have rows.
 */
export function groupSpellingHints(
	by: readonly DimensionName[],
	groups: readonly AggregateGroup[],
	filters: Filters,
	source: HintSource,
	where = "",
): Hint[] {
	const [name] = by;
	if (by.length > 1 || (name !== "office_name" && name !== "member_city")) return [];
	if (name === "office_name" ? filters.office_name_is !== undefined : filters.city !== undefined) return [];
	const spellings = findSpellings(name, groups.slice(0, GROUPS_MAX), filters, source);
	if (spellings.length === 0) return [];
	const found = spellings.map(({ group, other, rows }) => {
		const count = `${groupDigits(rows)} more ${rows === 1 ? "row is" : "rows are"} of ${quoted(other)}${where}`;
		return `beside ${quoted(group)} ${count}`;
	});
	const together = togetherText(name, spellings);
	const message = `each spelling is a group of its own: ${found.join(", ")}; ${together}`;
	return [{ param: "by", value: name, message, nearest: spellings.map(({ other }) => other) }];
}

/** Which filter counts the rows of a name and of its other spellings. */
function togetherText(name: "office_name" | "member_city", spellings: readonly Spelling[]): string {
	if (name === "member_city") return "city takes several spellings, whose rows it counts together";
	return spellings.every(({ group, other }) => isSameFold(group, other))
		? "office_name_is counts a name in all letter cases"
		: "office_name takes several spellings, whose rows it counts together with those of names that begin with one";
}

/** Whether two names differ in letter case alone. */
function isSameFold(a: string, b: string): boolean {
	return a.toLowerCase() === b.toLowerCase();
}

function findSpellings(
	name: "office_name" | "member_city",
	groups: readonly AggregateGroup[],
	filters: Filters,
	source: HintSource,
): Spelling[] {
	const found: Spelling[] = [];
	const known = new Set<string>();
	const work = source.work ?? new HintWork(source.snapshot);
	let counted = 0;
	for (const { by } of groups) {
		const group = by[name] ?? null;
		if (group === null || known.has(group)) continue;
		const others = source.snapshot.otherSpellings(name, group);
		for (const other of others) {
			known.add(other);
			if (work.isSpent || ++counted > COUNTED_MAX) return found;
			const rows = rowsOfSpelling(name, other, filters, source);
			if (rows > 0) found.push({ group, other, rows });
			if (found.length === NAMED_MAX) return found;
		}
	}
	return found;
}

/** The rows that match `filters` and have exactly this name. */
function rowsOfSpelling(
	name: "office_name" | "member_city",
	value: string,
	filters: Filters,
	{ snapshot, geography }: HintSource,
): number {
	if (name === "member_city") return snapshot.count({ ...filters, city: value }, geography);
	const { groups } = snapshot.aggregate(
		{ by: ["office_name"], top: 1000, minCount: 1 },
		{ ...filters, office_name_is: value },
		geography,
	);
	return groups.find(({ by }) => by.office_name === value)?.rows ?? 0;
}
