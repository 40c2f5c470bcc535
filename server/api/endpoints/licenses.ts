/** GET /v1/licenses: the filtered, sorted, paginated query (docs/API.md §7.8). */

import type { Filters, Page, Projection, Query, RowFormat, Snapshot } from "../../../engine/index.js";
import {
	type ColumnName,
	depthFault,
	type GivenAliases,
	pagedRowsMax,
	type RawParameters,
	REPEATABLE_FILTERS,
} from "../../../formats/index.js";
import { ROWS_COUNTED, requestsFor } from "../../limits/counted-units.js";
import { streamed, WHOLE_ROWS_MAX } from "../bulk/stream.js";
import { checkLimit, continueWalk, monthsOf, queryTextOf, type Walk, walkOf } from "../bulk/walk.js";
import { invalidParameter } from "../errors.js";
import { type Hint, unreadColumns } from "../hints/hint.js";
import { hintsText } from "../hints/hint-cache.js";
import { leftOutHints } from "../hints/left-out-hints.js";
import { sharedWordHints, similarNameHints } from "../hints/name-match-hints.js";
import { emptyPageHints, unreachableHints } from "../hints/page-hints.js";
import { valuelessSortHints } from "../hints/valueless-state-hints.js";
import { type Answer, type Body, type Call, JSON_TYPE, type Operation } from "../operation.js";
import {
	addFilters,
	addTexts,
	aliasesIn,
	checkFilters,
	filtersOf,
	requireFilters,
} from "../parameters/filter-values.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, Fingerprint } from "../responses/entity-tag.js";
import { type LicensesParameters, licensesParameters } from "../schemas/endpoint-parameters.js";
import { licensesResponse } from "../schemas/endpoint-responses.js";
import { asOf, rowBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

export interface LicensesRequest {
	readonly month: string | undefined;
	readonly query: Query;
	readonly aliases: GivenAliases;
	readonly projection: Projection;
	readonly format: RowFormat;
	/** JSON text of what bounds the answer; see {@link rowBounds}. */
	readonly bounds: string;
	/** Fingerprint of the normalised query. */
	readonly identity: string;
	/** Text of the query for cursors; "" where none is given. */
	readonly text: string;
	readonly walk: Walk | null;
}

/** Content types of rows by format. */
export const CONTENT_TYPES = {
	json: JSON_TYPE,
	csv: "text/csv; charset=utf-8; header=present",
	ndjson: "application/x-ndjson; charset=utf-8",
} as const satisfies Record<RowFormat, string>;

export const licensesOperation: Operation<LicensesRequest> = {
	endpoint: "/v1/licenses",
	operationId: "listLicenses",
	tag: "Licenses",
	revalidated: true,
	summary: "Query licenses",
	description:
		"Filters are combined with AND. A key with a geography or column scope is narrowed to its grant. " +
		"With format=csv or ndjson, pagination is in the headers X-Total-Count, X-Page and X-Has-Next.",
	parameters: licensesParameters,
	repeatable: REPEATABLE_FILTERS,
	pathParameter: null,
	response: licensesResponse,
	read: readRequest,
	answer(request, call) {
		if (request.walk !== null) return answerWalk(request.walk, call);
		const snapshot = resolveSnapshot(call.services.loaded, call.grant.history, request.month);
		return answerFrom(snapshot, request, call);
	},
};

function readRequest(given: RawParameters, grant: Grant, isWalk = false): LicensesRequest {
	const parameters = validateParameters(licensesParameters, given);
	const isPaged = !isWalk && parameters.cursor === undefined;
	checkLimit(parameters.limit, parameters.format, !isPaged, grant);
	checkFilters(parameters);
	if (isPaged) checkDepth(parameters, grant);
	const walk = walkOf(licensesParameters, parameters, given, grant);
	const filters = filtersOf(parameters, given);
	requireFilters(filters, grant, given);
	for (const column of parameters.sort) grant.requireColumn(column, "sort");
	return requestOf(parameters, filters, given, grant, walk);
}

function checkDepth({ page, limit }: LicensesParameters, { bulk }: Grant): void {
	const tooDeep = depthFault(page, limit, bulk);
	if (tooDeep !== null) throw invalidParameter("page", tooDeep);
}

/** Without `sort`, rows come by id, or, where a name is asked for, by how well it matches: an empty list. */
function sortOf(
	{ sort }: LicensesParameters,
	{ name }: Filters,
	given: RawParameters,
): readonly ColumnName[] {
	return name !== undefined && !given.has("sort") ? [] : sort;
}

function requestOf(
	parameters: LicensesParameters,
	filters: Filters,
	given: RawParameters,
	grant: Grant,
	walk: Walk | null,
): LicensesRequest {
	const { order, page, limit, count, format } = parameters;
	const sort = sortOf(parameters, filters, given);
	const text = grant.bulk ? queryTextOf(licensesParameters, parameters, given) : "";
	const projection = grant.projectionOf(parameters.fields);
	const aliases = aliasesIn(given);
	const query: Query = { filters, sort, order, page, limit, count, geography: grant.geography };
	return {
		month: parameters.snapshot,
		query,
		aliases,
		projection,
		format,
		bounds: rowBounds(grant, projection, parameters.fields, given.isNarrowed),
		identity: identityOf(query, aliases, format, parameters.fields === undefined ? [] : projection.columns),
		text,
		walk,
	};
}

/** Fingerprint of the query and the form of its answer, apart from the grant. Cost O(length). */
function identityOf(
	query: Query,
	aliases: GivenAliases,
	format: RowFormat,
	columns: readonly ColumnName[],
): string {
	const { filters, sort, order, page, limit, count } = query;
	const identity = new Fingerprint()
		.text(format)
		.text(order)
		.number(page)
		.number(limit)
		.number(count ? 1 : 0);
	addTexts(identity, columns);
	addTexts(identity, sort);
	addFilters(identity, filters, aliases);
	return identity.toString();
}

/** A page of a walk by cursor. */
function answerWalk(walk: Walk, call: Call): Answer {
	const { given, cursor } = continueWalk("licenses", walk, REPEATABLE_FILTERS, call);
	const request = { ...readRequest(given, call.grant, true), walk };
	const { loaded } = call.services;
	const [month] = cursor === null ? [null] : monthsOf(cursor, call);
	const snapshot = month ?? resolveSnapshot(loaded, call.grant.history, request.month);
	const [after, passed] = cursor === null ? [null, 0] : cursor.position;
	const identity = `${request.identity}-${after ?? ""}-${passed}`;
	const { limit, filters, geography } = request.query;
	const isLong = limit > WHOLE_ROWS_MAX;
	// Counted once, for the limits and for the page.
	let counted: number | null = null;
	const rowsOfPage = () => {
		counted ??= Math.min(limit, snapshot.count(filters, geography) - passed);
		return counted;
	};
	return {
		tag: entityTag(snapshot.digest, call.grant.fingerprint, identity),
		contentType: CONTENT_TYPES[request.format],
		snapshot: null,
		requests: () => (isLong ? requestsFor(rowsOfPage(), ROWS_COUNTED) : 1),
		unit: ROWS_COUNTED,
		body() {
			// After pages of another limit, which need not end where one of this limit would, it is not the first.
			const query = { ...request.query, page: Math.ceil(passed / limit) + 1 };
			const render = (page: Page) => renderPage(snapshot, request, { ...page, query }, passed, call);
			if (!isLong) return render(snapshot.queryAfter(request.query, after, passed));
			const { works, walkPages } = call.services;
			const place = { snapshot, after, passed };
			const found = works.result(() => walkPages.find(place, request.query, rowsOfPage()), call.key.id);
			const body = render(found.page);
			if (body.next !== undefined) return { ...body, ended: () => walkPages.giveBack(found) };
			walkPages.giveBack(found);
			return body;
		},
	};
}

/** The cursor after a page's last row, for keys that have them; null after the last page. */
function nextCursorOf(
	snapshot: Snapshot,
	{ rows, hasNext }: Page,
	passed: number,
	{ text }: LicensesRequest,
	{ grant, services }: Call,
): string | null | undefined {
	if (!grant.bulk) return undefined;
	if (!hasNext || rows.length === 0) return null;
	return services.cursors.write({
		list: "licenses",
		months: [snapshot],
		grant: services.cursors.grantOf(grant.tag),
		position: [rows[rows.length - 1], passed + rows.length],
		query: text,
	});
}

function answerFrom(snapshot: Snapshot, request: LicensesRequest, call: Call): Answer {
	const { grant } = call;
	return {
		tag: entityTag(snapshot.digest, grant.fingerprint, request.identity),
		contentType: CONTENT_TYPES[request.format],
		snapshot,
		rowFormat: request.format,
		body() {
			const { query } = request;
			return renderPage(snapshot, request, snapshot.query(query), (query.page - 1) * query.limit, call);
		},
	};
}

/** `passed`: rows before the page. */
function renderPage(
	snapshot: Snapshot,
	request: LicensesRequest,
	found: Page,
	passed: number,
	call: Call,
): Body {
	const { query, projection, format } = request;
	const { sink, arrivals } = call.services;
	const nextCursor = nextCursorOf(snapshot, found, passed, request, call);
	// In V8 of Node 20, an object with a property after a spread has a hidden class of its own, which is garbage too.
	const page: Page = nextCursor === undefined ? found : { nextCursor, ...found };
	const next = page.hasNext && depthFault(query.page + 1, query.limit) === null;
	// A walk has cursors in place of page numbers.
	const pageNumber = request.walk === null ? { page: query.page, next } : undefined;
	if (format !== "json") {
		const { rows } = page;
		const body = streamed({
			rows: rows.length,
			headers: paginationHeaders(page, format),
			sink,
			arrivals,
			isWalk: request.walk !== null,
			begin: () => snapshot.renderRows(rows.subarray(0, 0), projection, format, sink),
			write: (first, end) => snapshot.renderRows(rows.subarray(first, end), projection, format, sink, false),
		});
		return { pageNumber, ...body };
	}
	sink.reset();
	snapshot.renderList(
		page,
		projection,
		sink,
		pageMeta(snapshot, page, pagedRowsMax(query.limit), request, call),
	);
	return { bytes: sink.view(), headers: "", rows: page.rows.length, pageNumber };
}

/**
 * What `meta` says about a page beside its query, as JSON text that continues an object. `reach`: number of rows that
 * can be paged to.
 */
export function pageMeta(
	snapshot: Snapshot,
	page: Page,
	reach: number,
	{ query: { filters, geography, sort }, aliases, bounds, walk }: LicensesRequest,
	{ grant, services }: Call,
): string {
	const source = { snapshot, geography, stats: services.stats, aliases, unread: unreadColumns(grant) };
	let hints: readonly Hint[] = [];
	if (page.rows.length === 0) hints = emptyPageHints(page, source);
	else if (page.hasNext && !grant.bulk)
		hints = unreachableHints(page.query.page, page.query.limit, reach, "rows");
	const matches = snapshot.nameMatches(page);
	if (hints.length === 0 && page.query.page === 1 && walk === null) {
		hints = leftOutHints(filters, source);
		const sortHints = valuelessSortHints(sort, filters, source);
		if (sortHints.length > 0) hints = [...hints, ...sortHints];
		if (matches !== null)
			hints = [...hints, ...sharedWordHints(matches, filters), ...similarNameHints(matches, filters, source)];
	}
	const truncated = isTruncated(page, reach, walk) ? ',"truncated":true' : "";
	const matched = matches === null ? "" : `,"match":${JSON.stringify(matches.words)}`;
	const hinted = hints.length === 0 ? "" : `,"hints":${hintsText(hints)}`;
	return `,"as_of":"${asOf(snapshot.month)}"${bounds}${truncated}${matched}${hinted}`;
}

/** Whether more rows match than pages reach. Without a count that is known on the last of these pages alone. */
function isTruncated({ total, hasNext, query }: Page, reach: number, walk: Walk | null): boolean {
	if (total !== null) return total > reach;
	return hasNext && walk === null && depthFault(query.page + 1, query.limit) !== null;
}

/** Pagination of a body that has no envelope (docs/API.md §7.8.5). `X-Total-Count` is absent with `count=false`. */
function paginationHeaders(page: Page, format: "csv" | "ndjson"): string {
	const total = page.total === null ? "" : `\r\nX-Total-Count: ${page.total}`;
	const file = `licenses-${page.snapshot}-page-${page.query.page}.csv`;
	const disposition = format === "csv" ? `\r\nContent-Disposition: attachment; filename="${file}"` : "";
	const next = page.nextCursor == null ? "" : `\r\nX-Next-Cursor: ${page.nextCursor}`;
	return `${total}\r\nX-Page: ${page.query.page}\r\nX-Has-Next: ${page.hasNext}${next}${disposition}`;
}
