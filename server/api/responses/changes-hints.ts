/**
 * Hints in a list of changes (`meta.hints`, docs/API.md §11.5): why it has no entries, or what a key without cursors does
 * about those that did not fit.
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that it reads.
 */

import {
	CHANGE_KINDS,
	type ChangeKind,
	type ChangeSet,
	type ChangesPage,
	type FilteredRow,
	type Filters,
	type Geography,
} from "../../../engine/index.js";
import { type ColumnName, type GivenAliases, groupDigits, PAGE_LIMIT_MAX } from "../../../formats/index.js";
import type { StatsCache } from "../caches/stats-cache.js";
import { type Hint, hintsFor, matching } from "./hints.js";

export interface AskedChanges {
	readonly filters: Filters;
	readonly aliases: GivenAliases;
	readonly kinds: readonly ChangeKind[];
	readonly fields: readonly ColumnName[];
	readonly filtersOn: FilteredRow;
	readonly limit: number;
}

/** What the key may know of the changes. */
export interface ChangesSource {
	readonly geography: Geography | null;
	/** Tracked columns that it reads. */
	readonly readable: readonly ColumnName[];
	readonly stats: StatsCache;
}

/** For entries that did not fit a key without cursors. */
export function cutOffHints({ limit }: AskedChanges): Hint[] {
	const narrow = "narrow them by kind, field, state or other filters";
	const more = limit < PAGE_LIMIT_MAX ? `raise limit, at most to ${groupDigits(PAGE_LIMIT_MAX)}, or ` : "";
	const message = `more entries match than fit; ${more}${narrow}`;
	return [{ param: "limit", value: String(limit), message, nearest: [] }];
}

/** Why no entry matches. REQUIRES: none does. Cost: as of {@link hintsFor}, and one query of the changes. */
export function noChangesHints(set: ChangeSet, asked: AskedChanges, source: ChangesSource): Hint[] {
	const { from, to } = set;
	const { filters, filtersOn, aliases, kinds, fields } = asked;
	const { geography, readable, stats } = source;
	// Filters read the older row of licenses that are gone.
	const isOfOlder = filtersOn === "older" || kinds.every((kind) => kind === "gone");
	const snapshot = isOfOlder ? from : to;
	const rows = snapshot.count(filters, geography);
	if (rows === 0) return hintsFor(filters, { snapshot, geography, stats, aliases });
	const isByField = fields.length < readable.length;
	if (isByField || kinds.length < CHANGE_KINDS.length) {
		const every = { filters, filtersOn, geography, kinds: CHANGE_KINDS, fields: readable };
		const { totals } = set.query({ ...every, after: null, limit: 1 });
		if (entriesOf(totals) > 0) return [isByField ? fieldHint(fields, totals) : kindHint(kinds, totals)];
	}
	const message = `${matching(rows, "row")} in ${snapshot.month}, and none is new, gone or changed between the two months`;
	return [{ param: "from", value: from.month, message, nearest: [] }];
}

export function entriesOf(totals: ChangesPage["totals"]): number {
	return totals.new + totals.gone + totals.changed;
}

function fieldHint(fields: readonly ColumnName[], totals: ChangesPage["totals"]): Hint {
	return { param: "field", value: fields.join(","), message: withEvery(totals), nearest: [] };
}

function kindHint(kinds: readonly ChangeKind[], totals: ChangesPage["totals"]): Hint {
	const nearest = CHANGE_KINDS.filter((kind) => totals[kind] > 0);
	return { param: "kind", value: kinds.join(","), message: withEvery(totals), nearest };
}

function withEvery(totals: ChangesPage["totals"]): string {
	const counts = CHANGE_KINDS.map((kind) => `${groupDigits(totals[kind])} ${kind}`);
	return `without kind and field, these match: ${counts.join(", ")}`;
}
