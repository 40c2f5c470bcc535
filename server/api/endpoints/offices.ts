/** GET /v1/offices: offices with their licenses, cities and brokers (docs/API.md §11.8). */

import type {
	Filters,
	Office,
	OfficeSort,
	OfficesPage,
	OfficesRequest,
	Snapshot,
} from "../../../engine/index.js";
import {
	type ColumnName,
	depthFault,
	pagedRowsMax,
	quoted,
	type RawParameters,
} from "../../../formats/index.js";
import { type GroupList, type GroupListCall, groupListAnswer } from "../bulk/group-list.js";
import { type GroupPosition, groupCursor, queryTextOf, walkOf } from "../bulk/walk.js";
import { invalidParameter } from "../errors.js";
import { type Hint, type HintSource, hintsMember, placeOf } from "../hints/hint.js";
import { leftOutHints } from "../hints/left-out-hints.js";
import { nearWords } from "../hints/near-values.js";
import { hintsFor } from "../hints/no-row-hints.js";
import { lastPageHint, unreachableHints } from "../hints/page-hints.js";
import { unpublishedHints } from "../hints/unpublished-hints.js";
import { matching, rowsOf, statesText } from "../hints/wording.js";
import type { Call, Operation } from "../operation.js";
import { addFilters, addTexts, filtersOf, requireFilters } from "../parameters/filter-values.js";
import { validateParameters } from "../parameters/validation.js";
import { Fingerprint } from "../responses/entity-tag.js";
import { OFFICE_FILTERS, officesParameters } from "../schemas/offices-parameters.js";
import { officesResponse } from "../schemas/offices-response.js";
import { asOf, grantBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";

export interface OfficesCall extends GroupListCall {
	readonly request: OfficesRequest;
	/** Order of offices whose names match as `name` does. */
	readonly nearSort: OfficeSort;
	readonly filters: Filters;
}

/** The parameters that may be given several times. */
const REPEATABLE: ReadonlySet<string> = new Set(OFFICE_FILTERS);

const OFFICES: GroupList<OfficesCall> = {
	list: "offices",
	repeatable: REPEATABLE,
	read: readRequest,
	bodyOf,
};

export const officesOperation: Operation<OfficesCall> = {
	endpoint: "/v1/offices",
	operationId: "listOffices",
	tag: "Extensions",
	revalidated: true,
	summary: "List offices",
	description:
		"Offices of the licenses that match, by name and state: how many licenses each has, how many of them are " +
		"active, in which cities, under which brokers. A key with a geography scope sees its own rows only.",
	parameters: officesParameters,
	repeatable: REPEATABLE,
	pathParameter: null,
	response: officesResponse,
	read: readRequest,
	answer: (asked, call) => groupListAnswer(OFFICES, asked, call),
};

function readRequest(given: RawParameters, grant: Grant): OfficesCall {
	const parameters = validateParameters(officesParameters, given);
	const { name, page, limit } = parameters;
	const like = name === undefined ? null : [name];
	// Loosely matching names are ranked by their match.
	const nearSort = given.has("sort") ? parameters.sort : "match";
	const sort = like === null ? parameters.sort : nearSort;
	const tooDeep = depthFault(page, limit, grant.bulk);
	if (tooDeep !== null) throw invalidParameter("page", tooDeep);
	const walk = walkOf(officesParameters, parameters, given, grant);
	// Here `name` is the office's, not the licensee's.
	const { name: _name, ...filters } = filtersOf(parameters, given);
	requireFilters(filters, grant, given);
	grant.requireShown(["office_name", "state"], "offices");
	const request = { like, sort, offset: (page - 1) * limit, limit };
	const identity = new Fingerprint().text(sort).number(page).number(limit);
	addTexts(identity, like ?? []);
	// `nearSort` applies if no office has the prefix, so it identifies the response too.
	if (filters.office_name !== undefined) identity.text(nearSort);
	addFilters(identity, filters);
	const text = grant.bulk ? queryTextOf(officesParameters, parameters, given) : "";
	return {
		month: parameters.snapshot,
		request,
		nearSort,
		filters,
		identity: identity.toString(),
		text,
		walk,
	};
}

function bodyOf(snapshot: Snapshot, asked: OfficesCall, position: GroupPosition | null, call: Call) {
	const { grant, services } = call;
	const { nearSort, filters, text } = asked;
	const request = position === null ? asked.request : { ...asked.request, after: position.after };
	const { found, sort, matched } = findOffices(snapshot, request, nearSort, filters, call);
	const applied = Object.keys(filters);
	const source = { snapshot, geography: grant.geography, stats: services.stats };
	let hints: Hint[] = [];
	if (found.total === 0) hints = hintsOf(request, filters, source, call);
	else if (position === null) hints = pageHints(request, found, grant);
	if (hints.length === 0 && position === null && request.offset === 0)
		hints = [...leftOutHints(filters, source), ...officelessHints(filters, source)];
	if (grant.reads("license_status_group"))
		hints = [...hints, ...uncountedHints(found.offices, filters, source)];
	const before = position?.passed ?? request.offset;
	const passed = before + found.offices.length;
	const cursor = groupCursor("offices", snapshot, found.next, passed, text, call);
	return {
		data: found.offices.map((office) => entryOf(office, grant)),
		pagination: {
			...paginationOf(before, request.limit, found),
			...(grant.bulk ? { next_cursor: cursor } : {}),
		},
		meta: {
			snapshot: snapshot.month,
			sort,
			filters_applied: request.like === null ? applied : ["name", ...applied],
			...(matched === null ? {} : { matched }),
			rows: found.rows,
			as_of: asOf(snapshot.month),
			...grantBounds(grant, {
				narrowed: !MEMBER_COLUMNS.every((column) => grant.reads(column)),
				columns: [],
			}),
			...(found.total > pagedRowsMax(request.limit) ? { truncated: true } : {}),
			...hintsMember(hints),
		},
	};
}

interface FoundOffices {
	readonly found: OfficesPage;
	readonly sort: OfficeSort;
	/** How office names matched; null if there was no such filter. */
	readonly matched: "prefix" | "name" | null;
}

/** The offices of the query; if no name has the prefix, those whose names match it as `name` would. */
function findOffices(
	snapshot: Snapshot,
	request: OfficesRequest,
	nearSort: OfficeSort,
	filters: Filters,
	call: Call,
): FoundOffices {
	const found = officesOf(snapshot, request, filters, call);
	const { like, sort } = request;
	const { office_name: prefix, ...others } = filters;
	if (prefix === undefined) return { found, sort, matched: like === null ? null : "name" };
	if (found.total > 0 || like !== null || !snapshot.indexesWords) return { found, sort, matched: "prefix" };
	const texts = typeof prefix === "string" ? [prefix] : prefix;
	const near: OfficesRequest = { ...request, like: texts, sort: nearSort };
	return { found: officesOf(snapshot, near, others, call), sort: near.sort, matched: "name" };
}

function officesOf(
	{ groups }: Snapshot,
	request: OfficesRequest,
	filters: Filters,
	{ key, grant, services }: Call,
): OfficesPage {
	return services.works.result(() => groups.officesInSlices(request, filters, grant.geography), key.id);
}

/** Of a page after the last: which is the last; of the last under the depth cap: what to do about the offices after it. */
function pageHints(
	{ offset, limit }: OfficesRequest,
	{ offices, total, next }: OfficesPage,
	grant: Grant,
): Hint[] {
	const page = offset / limit + 1;
	if (offices.length === 0) return [lastPageHint(page, limit, total, "office")];
	if (next === null || grant.bulk) return [];
	return unreachableHints(page, limit, pagedRowsMax(limit), "offices");
}

/** The states whose rows are in no office. None with a prefix, for which {@link leftOutHints} tells them. */
function officelessHints(filters: Filters, source: HintSource): Hint[] {
	if (filters.office_name !== undefined) return [];
	const effect = (rows: string) => `offices leave out ${rows}`;
	const value = filters.state?.join() ?? "";
	return unpublishedHints("office_name", filters, source, { param: "state", value, effect });
}

/** For offices of states without statuses, none of whose licenses can be counted as active. Cost O(offices of the page). */
function uncountedHints(
	offices: readonly Office[],
	filters: Filters,
	{ snapshot, geography }: HintSource,
): Hint[] {
	const without = snapshot.statesWithout("license_status_group", filters, geography);
	const shown = without
		.map(({ state }) => state)
		.filter((code) => offices.some(({ state }) => state === code));
	if (shown.length === 0) return [];
	const message = `no row of ${statesText(shown)} has a value in license_status_group, so active is 0 for all offices there`;
	return [{ param: "state", value: shown.join(","), message, nearest: [] }];
}

/** Why no office was found. Cost: as of {@link hintsFor}, or where they are looked for by name another query of offices and {@link nearWords}. */
function hintsOf(request: OfficesRequest, filters: Filters, source: HintSource, call: Call): Hint[] {
	const { like } = request;
	if (source.snapshot.count(filters, source.geography) === 0) return hintsFor(filters, source);
	const value = like?.join(" ") ?? "";
	const { snapshot, geography } = source;
	const without = snapshot.statesWithout("office_name", filters, geography);
	// What no row of some states has is no reason for others.
	const isOfStates = without.length > 0 && without.length === filters.state?.length;
	const named = statesText(without.map(({ state }) => state));
	const none = isOfStates ? `: no row of ${named} has an office_name` : "";
	const message =
		like === null
			? `no row that matches has an office${none}`
			: `no office in ${rowsOf(filters, geography)}${besideText(filters)} has a name like ${quoted(value)}${none}` +
				unfilteredText(request, filters, snapshot, call);
	const nearest =
		like === null ? [] : nearWords("office_name", value, { snapshot, place: placeOf(filters), geography });
	return [{ param: like === null ? "office_name" : "name", value, message, nearest }];
}

/** The filters beside the state that a name was looked for under. */
function besideText(filters: Filters): string {
	const others = Object.keys(filters).filter((param) => param !== "state");
	return others.length === 0 ? "" : ` with this ${others.join(" and ")}`;
}

/** How many offices have a name like the one asked for without the other filters; empty: none has, or there are no others. */
function unfilteredText(request: OfficesRequest, filters: Filters, snapshot: Snapshot, call: Call): string {
	const given = Object.keys(filters);
	if (given.length === 0) return "";
	const { total } = officesOf(snapshot, { ...request, offset: 0, limit: 1 }, {}, call);
	return total === 0 ? "" : `; without ${given.join(" and ")}, ${matching(total, "office")}`;
}

/** Columns without which an office lacks a member. */
const MEMBER_COLUMNS: readonly ColumnName[] = ["member_city", "license_status_group", "office_broker_name"];

/** An office with the columns of `grant`. */
function entryOf({ officeName, state, cities, licenses, active, brokers }: Office, grant: Grant) {
	return {
		office_name: officeName,
		state,
		...(grant.reads("member_city") ? { cities } : {}),
		licenses,
		...(grant.reads("license_status_group") ? { active } : {}),
		...(grant.reads("office_broker_name") ? { brokers } : {}),
	};
}

/** `before`: offices before the page. */
function paginationOf(before: number, limit: number, { total, next }: OfficesPage) {
	return {
		page: Math.ceil(before / limit) + 1,
		limit,
		total,
		total_pages: Math.ceil(total / limit),
		has_next: next !== null,
		has_prev: before > 0,
	};
}
