/** GET /v1/aggregate: how many licenses each group has (docs/API.md §11.3). */

import type { AggregateRequest, DimensionName, Filters, Snapshot } from "../../../engine/index.js";
import { dimensionColumn } from "../../../engine/index.js";
import {
	type GivenAliases,
	groupDigits,
	type RawParameters,
	REPEATABLE_FILTERS,
} from "../../../formats/index.js";
import { type GroupList, type GroupListCall, groupListAnswer } from "../bulk/group-list.js";
import { FIRST_PAGE, type GroupPosition, groupCursor, queryTextOf, walkOf } from "../bulk/walk.js";
import { groupSpellingHints, nullGroupHints } from "../hints/group-hints.js";
import { type Hint, hintsMember, unreadColumns } from "../hints/hint.js";
import { leftOutHints } from "../hints/left-out-hints.js";
import { nameCountHints } from "../hints/name-match-hints.js";
import { hintsFor } from "../hints/no-row-hints.js";
import type { Call, Operation } from "../operation.js";
import {
	addFilters,
	addTexts,
	aliasesIn,
	checkFilters,
	filtersOf,
	requireFilters,
} from "../parameters/filter-values.js";
import { validateParameters } from "../parameters/validation.js";
import { Fingerprint } from "../responses/entity-tag.js";
import { aggregateParameters, continuedAggregateParameters } from "../schemas/aggregate-parameters.js";
import { aggregateResponse } from "../schemas/aggregate-response.js";
import { asOf, grantBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { type Comparison, comparedAnswer, comparisonOf } from "./compared-groups.js";

export interface AggregateCall extends GroupListCall {
	readonly request: AggregateRequest;
	readonly filters: Filters;
	readonly aliases: GivenAliases;
	/** Null: of one month. */
	readonly comparison: Comparison | null;
}

const AGGREGATE: GroupList<AggregateCall> = {
	list: "aggregate",
	repeatable: REPEATABLE_FILTERS,
	read: readRequest,
	bodyOf,
};

export const aggregateOperation: Operation<AggregateCall> = {
	endpoint: "/v1/aggregate",
	operationId: "aggregateLicenses",
	tag: "Extensions",
	revalidated: true,
	summary: "Count licenses by group",
	description:
		"Counts the licenses that match the filters by one or two dimensions: most rows first, then by value. " +
		"Counts are exact; a key with a geography scope counts its own rows only. " +
		"With compare, each group has its rows in an older month as well, and sort=growth or decline lists those that changed most.",
	parameters: aggregateParameters,
	repeatable: REPEATABLE_FILTERS,
	pathParameter: null,
	response: aggregateResponse,
	read: readRequest,
	answer: (asked, call) =>
		asked.comparison === null
			? groupListAnswer(AGGREGATE, asked, call)
			: comparedAnswer(asked, asked.comparison, call),
};

function readRequest(given: RawParameters, grant: Grant): AggregateCall {
	const schema = schemaFor(given);
	const parameters = validateParameters(schema, given);
	checkFilters(parameters);
	const comparison = comparisonOf(parameters);
	const walk = walkOf(schema, parameters, given, grant);
	const filters = filtersOf(parameters, given);
	const { by = [], top, min_count: minCount } = parameters;
	for (const name of by) grant.requireColumn(dimensionColumn(name), "by");
	requireFilters(filters, grant, given);
	const request = { by, top, minCount };
	const text = grant.bulk ? queryTextOf(schema, parameters, given) : "";
	const aliases = aliasesIn(given);
	const identity = identityOf(request, filters, aliases);
	return { month: parameters.snapshot, request, filters, aliases, comparison, identity, text, walk };
}

/** A cursor carries the dimensions. */
function schemaFor(given: RawParameters) {
	const cursor = given.names.indexOf("cursor");
	const isContinued = cursor >= 0 && given.values[cursor] !== FIRST_PAGE;
	return isContinued ? continuedAggregateParameters : aggregateParameters;
}

function bodyOf(
	snapshot: Snapshot,
	{ request, filters, aliases, text }: AggregateCall,
	position: GroupPosition | null,
	call: Call,
) {
	const { grant, services } = call;
	const { geography } = grant;
	const asked = position === null ? request : { ...request, after: position.after };
	const found = () => snapshot.groups.aggregateInSlices(asked, filters, geography);
	const counted = services.works.result(found, call.key.id);
	const { groups, rows, groupCount, otherRows, next } = counted;
	const isEmpty = position === null && groups.length === 0;
	const source = { snapshot, geography, stats: services.stats, aliases, unread: unreadColumns(grant) };
	let hints: Hint[] = [];
	if (rows === 0) hints = hintsFor(filters, source);
	else if (isEmpty) hints = smallGroupsHints(request);
	else if (position === null)
		hints = [
			...leftOutHints(filters, source),
			...nameCountHints(counted, filters),
			...nullGroupHints(request.by, filters, source),
			...groupSpellingHints(request.by, groups, filters, source),
		];
	const passed = (position?.passed ?? 0) + groups.length;
	const pagination = {
		limit: request.top,
		has_next: next !== null,
		next_cursor: groupCursor("aggregate", snapshot, next, passed, text, call),
	};
	return {
		data: groups,
		...(grant.bulk ? { pagination } : {}),
		meta: {
			snapshot: snapshot.month,
			by: request.by,
			filters_applied: Object.keys(filters),
			rows,
			groups: groupCount,
			other_rows: otherRows,
			as_of: asOf(snapshot.month),
			...grantBounds(grant),
			...(next === null ? {} : { truncated: true }),
			...hintsMember(hints),
		},
	};
}

/** Where rows match, and no group has enough of them. */
function smallGroupsHints({ minCount }: AggregateRequest): Hint[] {
	const message = `no group has ${groupDigits(minCount)} rows or more`;
	return [{ param: "min_count", value: String(minCount), message, nearest: [] }];
}

/** Differs wherever two requests do, the grant aside. Cost O(length). */
function identityOf(
	{ by, top, minCount }: AggregateRequest,
	filters: Filters,
	aliases: GivenAliases,
): string {
	const identity = new Fingerprint().number(top).number(minCount);
	addTexts(identity, by as readonly DimensionName[]);
	addFilters(identity, filters, aliases);
	return identity.toString();
}
