/** GET /v1/aggregate with `compare`: the rows of each group in two months, and how far they changed (docs/API.md §11.3). */

import type {
	ComparedGroups,
	ComparedRequest,
	DimensionName,
	Filters,
	Geography,
	GroupSort,
	Snapshot,
} from "../../../engine/index.js";
import { type GivenAliases, groupDigits } from "../../../formats/index.js";
import { invalidParameter } from "../errors.js";
import { groupSpellingHints, nullGroupHints } from "../hints/group-hints.js";
import { type Hint, hintsMember, mayMention, ofMonth, unreadColumns } from "../hints/hint.js";
import { leftOutHints } from "../hints/left-out-hints.js";
import { nameCountHints } from "../hints/name-match-hints.js";
import { hintsFor } from "../hints/no-row-hints.js";
import { missingStatesHints } from "../hints/one-month-hints.js";
import { type Answer, type Call, cachedJsonAnswer } from "../operation.js";
import { entityTag } from "../responses/entity-tag.js";
import type { AggregateParameters } from "../schemas/aggregate-parameters.js";
import { asOf, grantBounds } from "../scope/answer-bounds.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

/** What a comparison adds to an aggregate. */
export interface Comparison {
	/** The older month. */
	readonly month: string;
	readonly sort: GroupSort;
}

/** What of an aggregate a comparison reads. */
export interface ComparedCall {
	readonly month: string | undefined;
	readonly request: {
		readonly by: readonly DimensionName[];
		readonly top: number;
		readonly minCount: number;
	};
	readonly filters: Filters;
	readonly aliases: GivenAliases;
	/** Fingerprint of the request, the months and the sort aside. */
	readonly identity: string;
}

/** The comparison asked for; null: none. Throws `invalid_parameter` for what does not go with it, or not without it. */
export function comparisonOf(parameters: AggregateParameters): Comparison | null {
	const { compare, sort, by = [], cursor, snapshot } = parameters;
	if (compare === undefined) {
		if (sort === "rows") return null;
		throw invalidParameter("sort", `sort ${sort} needs compare, the older month to compare with, as YYYY-MM`);
	}
	if (by.length > 1)
		throw invalidParameter("by", `compare takes one dimension; got ${by.length}: ${by.join(", ")}`);
	if (cursor !== undefined)
		throw invalidParameter("cursor", "compare and cursor exclude each other; leave cursor out");
	if (snapshot !== undefined) requireOlder(compare, snapshot);
	return { month: compare, sort };
}

function requireOlder(compare: string, month: string): void {
	if (compare >= month)
		throw invalidParameter("compare", `compare ${compare} is not before ${month}, the month asked for`);
}

/**
 * Describes the answer of `asked`; its `body` does the work. Throws ApiError: `invalid_parameter`, `history_denied`,
 * `not_found`, `unavailable`.
 */
export function comparedAnswer(asked: ComparedCall, comparison: Comparison, call: Call): Answer {
	const { grant, services } = call;
	const { loaded, jsonCache } = services;
	const newer = resolveSnapshot(loaded, grant.history, asked.month);
	requireOlder(comparison.month, newer.month);
	const older = resolveSnapshot(loaded, grant.history, comparison.month, "compare");
	const identity = `aggregate-${comparison.sort}-${asked.identity}`;
	const tag = entityTag(`${older.digest}${newer.digest}`, grant.fingerprint, identity);
	// Not the tag alone: its fingerprint can be forged.
	const name = `${tag} ${JSON.stringify(asked)}`;
	return cachedJsonAnswer(jsonCache, tag, name, () => bodyOf(older, newer, asked, comparison, call));
}

function bodyOf(older: Snapshot, newer: Snapshot, asked: ComparedCall, { sort }: Comparison, call: Call) {
	const { key, grant, services } = call;
	const { filters } = asked;
	const { by, top, minCount } = asked.request;
	const { geography } = grant;
	const request: ComparedRequest = { by: by[0], sort, top, minCount };
	const find = () => services.loaded.comparedGroupsInSlices(older, newer, request, filters, geography);
	const found = services.works.result(find, key.id);
	const { groups, hasMore } = found;
	const hints = hintsOf(found, request, asked, older, newer, call);
	return {
		data: groups.map(({ by, rows, rowsBefore }) => ({
			by,
			rows,
			rows_before: rowsBefore,
			change: rows - rowsBefore,
		})),
		// Groups after these are reached by a greater top or by filters alone.
		...(grant.bulk ? { pagination: { limit: top, has_next: hasMore, next_cursor: null } } : {}),
		meta: {
			snapshot: newer.month,
			compare: older.month,
			by,
			filters_applied: Object.keys(filters),
			rows: found.rows,
			rows_before: found.rowsBefore,
			groups: found.groupCount,
			other_rows: found.otherRows,
			as_of: asOf(newer.month),
			...grantBounds(grant),
			...(hasMore ? { truncated: true } : {}),
			...hintsMember(hints),
		},
	};
}

/**
 * Why there is no group, and no row of one month; else what filters and spellings leave out of the groups, of the newer
 * month, and what states do not publish or have no row of, of both.
 */
function hintsOf(
	found: ComparedGroups,
	request: ComparedRequest,
	{ filters, aliases }: ComparedCall,
	older: Snapshot,
	newer: Snapshot,
	{ grant, services: { stats } }: Pick<Call, "grant" | "services">,
): Hint[] {
	const { geography } = grant;
	const unread = unreadColumns(grant);
	const [before, now] = [older, newer].map((snapshot) => ({
		snapshot,
		geography,
		stats,
		aliases,
		unread,
	}));
	const { groups, rows, rowsBefore } = found;
	if (rows === 0 && rowsBefore === 0) return hintsFor(filters, now);
	const without = rows === 0 ? now : rowsBefore === 0 ? before : null;
	// Else all rows of the other month look like growth, or like a decline.
	const unmet = without === null ? [] : ofMonth(hintsFor(filters, without), without.snapshot.month);
	if (groups.length === 0) return [noGroupsHint(found, request, older.month, newer.month), ...unmet];
	if (without === null && mayMention(now, "state"))
		unmet.push(...oneMonthHints(filters, geography, older, newer));
	const compared = without === null ? before : undefined;
	const leftOut =
		rows === 0
			? []
			: [
					...leftOutHints(filters, now, older, compared),
					...nullGroupHints([request.by], filters, now, compared),
				];
	const ofNow = groupSpellingHints([request.by], groups, filters, now);
	// A name that is spelled otherwise than a month ago is a group that is new, and one that is gone.
	const ofGroups =
		ofNow.length > 0
			? ofNow
			: groupSpellingHints([request.by], groups, filters, before, ` in ${older.month}`);
	return [...unmet, ...leftOut, ...nameCountHints(found, filters), ...ofGroups];
}

/** States of which one of the months has no row at all. */
function oneMonthHints(
	filters: Filters,
	geography: Geography | null,
	older: Snapshot,
	newer: Snapshot,
): Hint[] {
	const asked = { filters, geography };
	const use = { param: "compare", value: older.month };
	return [
		...missingStatesHints(asked, newer, older, { ...use, effect: "growth includes" }),
		...missingStatesHints(asked, older, newer, { ...use, effect: "decline includes" }),
	];
}

/** Where rows match, and no group changed as `sort` asks, or none that did has enough of them. */
function noGroupsHint(
	{ smallGroups }: ComparedGroups,
	{ sort, minCount }: ComparedRequest,
	older: string,
	newer: string,
): Hint {
	if (smallGroups === 0) {
		const message = `no group has ${sort === "growth" ? "more" : "fewer"} rows in ${newer} than in ${older}`;
		return { param: "sort", value: sort, message, nearest: [] };
	}
	const what =
		sort === "rows" ? "no group" : sort === "growth" ? "no group that grew" : "no group that declined";
	const message = `${what} has ${groupDigits(minCount)} rows or more in ${older} or ${newer}`;
	return { param: "min_count", value: String(minCount), message, nearest: [] };
}
