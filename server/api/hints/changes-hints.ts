/**
 * Hints in a list of changes (`meta.hints`, docs/API.md §11.5): why it has no entries, or what a key without cursors does
 * about those that did not fit.
 */

import {
	CHANGE_KINDS,
	type ChangeKind,
	type ChangeSet,
	type ChangesPage,
	type FilteredRow,
	type Filters,
	type Geography,
	type Snapshot,
} from "../../../engine/index.js";
import { type ColumnName, type GivenAliases, groupDigits, PAGE_LIMIT_MAX } from "../../../formats/index.js";
import type { StatsCache } from "../caches/stats-cache.js";
import { type Hint, mayMention, ofMonth } from "./hint.js";
import { leftOutHints } from "./left-out-hints.js";
import { hintsFor } from "./no-row-hints.js";
import { missingStatesHints } from "./one-month-hints.js";
import { counted, matching, statesText } from "./wording.js";

/** What a request asks of the changes between two months. */
export interface AskedChanges {
	readonly filters: Filters;
	readonly aliases: GivenAliases;
	readonly kinds: readonly ChangeKind[];
	/** Columns whose change makes a license changed. */
	readonly fields: readonly ColumnName[];
	readonly filtersOn: FilteredRow;
	readonly limit: number;
}

/** What the key may know of the changes. */
export interface ChangesSource {
	readonly geography: Geography | null;
	/** Tracked columns that it reads. */
	readonly readable: readonly ColumnName[];
	/** As in the source of a hint. */
	readonly unread: readonly ColumnName[];
	readonly stats: StatsCache;
}

/** For entries that did not fit a key without cursors. */
export function cutOffHints({ limit }: AskedChanges): Hint[] {
	const narrow = "narrow them by kind, field, state or other filters";
	const more = limit < PAGE_LIMIT_MAX ? `raise limit, at most to ${groupDigits(PAGE_LIMIT_MAX)}, or ` : "";
	const message = `more entries match than fit; ${more}${narrow}`;
	return [{ param: "limit", value: String(limit), message, nearest: [] }];
}

/** For the first page of a list of which pages reach `reach` entries: where more match. */
export function beyondReachHints(totals: ChangesPage["totals"], reach: number): Hint[] {
	const total = entriesOf(totals);
	if (total <= reach) return [];
	const message =
		`${groupDigits(total)} entries match, of which this key's pages reach the first ${groupDigits(reach)}: narrow them ` +
		"by kind, field, state or other filters; keys with the bulk entitlement read all";
	return [{ param: "cursor", value: "", message, nearest: [] }];
}

/**
 * Where entries match: what the filters and fields leave out, or why no row of the newer month matches where licenses that
 * are gone do. Cost: as of {@link leftOutHints}; where only these match, of {@link hintsFor} and a query of the changes.
 */
export function changesHints(
	set: ChangeSet,
	asked: AskedChanges,
	totals: ChangesPage["totals"],
	source: ChangesSource,
): Hint[] {
	const { filters, aliases } = asked;
	const { geography, stats, unread } = source;
	const { to } = set;
	const isGoneAlone = !readsOlder(asked) && totals.gone > 0 && totals.gone === entriesOf(totals);
	if (!isGoneAlone || to.count(filters, geography) > 0) {
		const excluded = [...excludedHints(set, asked, source), ...oneMonthHints(set, asked, totals, source)];
		return totals.changed === 0 ? excluded : [...excluded, ...publishedOnceHints(set, asked, source)];
	}
	const ofNewer = ofMonth(hintsFor(filters, { snapshot: to, geography, stats, aliases, unread }), to.month);
	return [...otherRowHints(set, asked, source), ...ofNewer];
}

/** States of which one of the months has no row at all, where licenses are new or gone. */
function oneMonthHints(
	{ from, to }: ChangeSet,
	{ filters }: AskedChanges,
	totals: ChangesPage["totals"],
	source: ChangesSource,
): Hint[] {
	if (!mayMention(source, "state")) return [];
	const asked = { filters, geography: source.geography };
	const ofNew = { param: "from", value: from.month, effect: "new are" };
	const ofGone = { param: "to", value: to.month, effect: "gone are" };
	return [
		...(totals.new === 0 ? [] : missingStatesHints(asked, to, from, ofNew)),
		...(totals.gone === 0 ? [] : missingStatesHints(asked, from, to, ofGone)),
	];
}

/** What the filters and fields leave out, in the month that filters read. Cost: as of {@link leftOutHints}. */
function excludedHints(set: ChangeSet, asked: AskedChanges, source: ChangesSource): Hint[] {
	const { filters, aliases } = asked;
	const { geography, stats, unread } = source;
	const isOfOlder = readsOlder(asked);
	const snapshot = isOfOlder ? set.from : set.to;
	// Filters read the older row of licenses that are gone, so values of either month find some.
	const leftOut = leftOutHints(filters, { snapshot, geography, stats, aliases, unread }, set.from);
	const ofRead = isOfOlder ? ofMonth(leftOut, snapshot.month) : leftOut;
	return [...ofRead, ...valuelessFieldHints(set, asked, source)];
}

/** Whether filters read rows of the older month alone, as those of licenses that are gone. */
function readsOlder({ filtersOn, kinds }: AskedChanges): boolean {
	return filtersOn === "older" || kinds.every((kind) => kind === "gone");
}

/**
 * For fields by which licenses are to be changed: the states asked for without a value in either month, so that no license
 * of theirs can have changed. None where all fields are asked for. Cost O(fields × states without values).
 */
function valuelessFieldHints(
	{ from, to }: ChangeSet,
	{ filters, fields, kinds }: AskedChanges,
	{ geography, readable }: ChangesSource,
): Hint[] {
	if (isEveryField(fields, readable) || !kinds.includes("changed")) return [];
	return fields.flatMap((field) => {
		const before = new Set(from.statesWithout(field, filters, geography).map(({ state }) => state));
		const without = to.statesWithout(field, filters, geography).filter(({ state }) => before.has(state));
		if (without.length === 0) return [];
		const named = statesText(without.map(({ state }) => state));
		const message = `no row of ${named} has a value in ${field} in either month, so none is changed in it there`;
		return [{ param: "field", value: field, message, nearest: [] }];
	});
}

/**
 * The states asked for that publish fields in one of the months alone, and how many of the entries are changed in these, which
 * nothing but the publishing may have changed. One hint for all fields of the same states and month. Cost as of
 * {@link valuelessFieldHints}, and a query of the changes for each.
 */
function publishedOnceHints(set: ChangeSet, asked: AskedChanges, source: ChangesSource): Hint[] {
	const { from, to } = set;
	return [...publishedHints(from, to, set, asked, source), ...publishedHints(to, from, set, asked, source)];
}

/** Those of {@link publishedOnceHints} for states without values in the month `valueless`. */
function publishedHints(
	valueless: Snapshot,
	published: Snapshot,
	set: ChangeSet,
	{ filters, filtersOn, fields }: AskedChanges,
	{ geography }: ChangesSource,
): Hint[] {
	const fieldsOf = new Map<string, { states: string[]; columns: ColumnName[] }>();
	for (const field of fields) {
		const also = new Set(published.statesWithout(field, filters, geography).map(({ state }) => state));
		const without = valueless.statesWithout(field, filters, geography).map(({ state }) => state);
		const states = without.filter((state) => !also.has(state));
		const same = fieldsOf.get(states.join());
		if (same !== undefined) same.columns.push(field);
		else if (states.length > 0) fieldsOf.set(states.join(), { states, columns: [field] });
	}
	return [...fieldsOf.values()].flatMap(({ states, columns }) => {
		const { totals } = set.query({
			filters: { ...filters, state: states },
			filtersOn,
			geography,
			kinds: ["changed"],
			fields: columns,
			after: null,
			limit: 1,
		});
		if (totals.changed === 0) return [];
		const message =
			`no row of ${statesText(states)} has a value in ${columns.join(", ")} in ${valueless.month}, unlike in ` +
			`${published.month}; ${counted(totals.changed, "license")} there ${totals.changed === 1 ? "is" : "are"} changed in it`;
		return [{ param: "field", value: columns.join(","), message, nearest: [] }];
	});
}

/** Whether fields leave out no change. A group column does, though there may be as many fields. */
function isEveryField(fields: readonly ColumnName[], readable: readonly ColumnName[]): boolean {
	return readable.every((field) => fields.includes(field));
}

/** Why no entry matches. REQUIRES: none does. Cost: as of {@link hintsFor}, and two queries of the changes. */
export function noChangesHints(set: ChangeSet, asked: AskedChanges, source: ChangesSource): Hint[] {
	const { from, to } = set;
	const { filters, filtersOn, kinds, fields } = asked;
	const { geography, readable } = source;
	const snapshot = readsOlder(asked) ? from : to;
	const rows = snapshot.count(filters, geography);
	const ofOther = otherRowHints(set, asked, source);
	if (rows === 0) return [...ofOther, ...unmetHints(set, asked, source)];
	const leftOut = [...ofOther, ...excludedHints(set, asked, source)];
	const isByField = !isEveryField(fields, readable);
	if (isByField || kinds.length < CHANGE_KINDS.length) {
		const every = { filters, filtersOn, geography, kinds: CHANGE_KINDS, fields: readable };
		const { totals } = set.query({ ...every, after: null, limit: 1 });
		if (entriesOf(totals) > 0) {
			const hint = isByField ? fieldHint(fields, totals) : kindHint(kinds, totals);
			return [hint, ...leftOut];
		}
	}
	if (ofOther.length > 0) return leftOut;
	const message = `${matching(rows, "row")} in ${snapshot.month}, and none is new, gone or changed between the two months`;
	return [{ param: "from", value: from.month, message, nearest: [] }, ...leftOut];
}

/**
 * Why no row of the month that filters read matches. REQUIRES: none does. Filters read the older row of licenses that are
 * gone, so where they are asked for and the newer month has no similar value, those of the older month are named.
 */
function unmetHints({ from, to }: ChangeSet, asked: AskedChanges, source: ChangesSource): Hint[] {
	const { filters, aliases, kinds } = asked;
	const { geography, stats, unread } = source;
	const hintsIn = (snapshot: Snapshot) => hintsFor(filters, { snapshot, geography, stats, aliases, unread });
	if (readsOlder(asked)) return ofMonth(hintsIn(from), from.month);
	const ofNewer = hintsIn(to);
	if (!kinds.includes("gone") || hasNearest(ofNewer) || from.count(filters, geography) > 0) return ofNewer;
	const ofOlder = hintsIn(from);
	return hasNearest(ofOlder) ? ofMonth(ofOlder, from.month) : ofNewer;
}

function hasNearest(hints: readonly Hint[]): boolean {
	return hints.some(({ nearest }) => nearest.length > 0);
}

/**
 * How many entries match by the other row of each license. None where none do beside licenses that are gone, which the other
 * row finds no more of, or every kind asked for has but one row.
 */
function otherRowHints(
	set: ChangeSet,
	{ filters, filtersOn, kinds, fields }: AskedChanges,
	{ geography }: ChangesSource,
): Hint[] {
	const other = filtersOn === "older" ? "newer" : "older";
	if (!kinds.includes("changed") && !(other === "newer" && kinds.includes("new"))) return [];
	const { totals } = set.query({
		...{ filters, filtersOn: other, geography, kinds, fields },
		...{ after: null, limit: 1 },
	});
	if (totals.new + totals.changed === 0) return [];
	const message = `with filters_on ${other}, these match: ${totalsText(totals)}`;
	return [{ param: "filters_on", value: filtersOn, message, nearest: [other] }];
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
	return `without kind and field, these match: ${totalsText(totals)}`;
}

function totalsText(totals: ChangesPage["totals"]): string {
	return CHANGE_KINDS.map((kind) => `${groupDigits(totals[kind])} ${kind}`).join(", ");
}
