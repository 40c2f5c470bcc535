/** GET /v1/licenses: the filtered, sorted, paginated query (docs/API.md §7.8). */

import type { Filters, Page, Projection, Query, RowFormat, Snapshot } from "../../../engine/index.js";
import {
	type ColumnName,
	DEPTH_MAX,
	depthFault,
	type RawParameters,
	REPEATABLE_FILTERS,
} from "../../../formats/index.js";
import { invalidParameter } from "../errors.js";
import { type Answer, type Body, type Call, JSON_TYPE, type Operation } from "../operation.js";
import {
	addFilters,
	addTexts,
	checkFilters,
	filtersOf,
	requireFilters,
} from "../parameters/filter-values.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, Fingerprint } from "../responses/entity-tag.js";
import { hintsFor, isWithoutRows } from "../responses/hints.js";
import { type LicensesParameters, licensesParameters } from "../schemas/endpoint-parameters.js";
import { licensesResponse } from "../schemas/endpoint-responses.js";
import { asOf, continuedJson, grantBounds, shownBy } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

export interface LicensesRequest {
	readonly month: string | undefined;
	readonly query: Query;
	readonly projection: Projection;
	readonly format: RowFormat;
	/** JSON text of what bounds the answer; see {@link continuedJson}. */
	readonly bounds: string;
	/** Fingerprint of the normalised query. */
	readonly identity: string;
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
	read(given, grant) {
		const parameters = validateParameters(licensesParameters, given);
		checkTogether(parameters);
		const filters = filtersOf(parameters, given);
		requireFilters(filters, grant);
		for (const column of parameters.sort) grant.requireColumn(column, "sort");
		return requestOf(parameters, filters, sortOf(parameters, filters, given), grant);
	},
	answer(request, call) {
		const snapshot = resolveSnapshot(call.services.loaded, call.grant.history, request.month);
		return answerFrom(snapshot, request, call);
	},
};

/** Rules on several parameters together. */
function checkTogether(parameters: LicensesParameters): void {
	checkFilters(parameters);
	const tooDeep = depthFault(parameters.page, parameters.limit);
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
	sort: readonly ColumnName[],
	grant: Grant,
): LicensesRequest {
	const { order, page, limit, count, format } = parameters;
	const projection = grant.projectionOf(parameters.fields);
	const query: Query = { filters, sort, order, page, limit, count, geography: grant.geography };
	return {
		month: parameters.snapshot,
		query,
		projection,
		format,
		bounds: continuedJson(grantBounds(grant, shownBy(projection, parameters.fields))),
		identity: identityOf(query, format, parameters.fields === undefined ? [] : projection.columns),
	};
}

/** Fingerprint of the query and the form of its answer, apart from the grant. Cost O(length). */
function identityOf(query: Query, format: RowFormat, columns: readonly ColumnName[]): string {
	const { filters, sort, order, page, limit, count } = query;
	const identity = new Fingerprint()
		.text(format)
		.text(order)
		.number(page)
		.number(limit)
		.number(count ? 1 : 0);
	addTexts(identity, columns);
	addTexts(identity, sort);
	addFilters(identity, filters);
	return identity.toString();
}

function answerFrom(snapshot: Snapshot, request: LicensesRequest, call: Call): Answer {
	const { grant } = call;
	return {
		tag: entityTag(snapshot.digest, grant.fingerprint, request.identity),
		contentType: CONTENT_TYPES[request.format],
		snapshot,
		rowFormat: request.format,
		body: () => renderPage(snapshot, request, call),
	};
}

function renderPage(snapshot: Snapshot, request: LicensesRequest, call: Call): Body {
	const { query, projection, format } = request;
	const { sink, stats } = call.services;
	const page = snapshot.query(query);
	const next = page.hasNext && depthFault(query.page + 1, query.limit) === null;
	const place = { page: query.page, next };
	sink.reset();
	if (format !== "json") {
		snapshot.renderRows(page.rows, projection, format, sink);
		return { bytes: sink.view(), headers: paginationHeaders(page, format), rows: page.rows.length, place };
	}
	const hints =
		isWithoutRows(page) && hasVocabularyFilter(query)
			? hintsFor(query, stats.of(snapshot, query.geography))
			: undefined;
	const truncated = page.total !== null && page.total > DEPTH_MAX ? ',"truncated":true' : "";
	const matches = snapshot.nameMatches(page);
	const matched = matches === null ? "" : `,"match":${JSON.stringify(matches)}`;
	const hinted = hints === undefined ? "" : `,"hints":${JSON.stringify(hints)}`;
	const moreMeta = `,"as_of":"${asOf(snapshot.month)}"${request.bounds}${truncated}${matched}${hinted}`;
	snapshot.renderList(page, projection, sink, moreMeta);
	return { bytes: sink.view(), headers: "", rows: page.rows.length, place };
}

function hasVocabularyFilter({ filters }: Query): boolean {
	return filters.license_status !== undefined || filters.member_type !== undefined;
}

/** Pagination of a body that has no envelope (docs/API.md §7.8.5). `X-Total-Count` is absent with `count=false`. */
function paginationHeaders(page: Page, format: "csv" | "ndjson"): string {
	const total = page.total === null ? "" : `\r\nX-Total-Count: ${page.total}`;
	const file = `licenses-${page.snapshot}-page-${page.query.page}.csv`;
	const disposition = format === "csv" ? `\r\nContent-Disposition: attachment; filename="${file}"` : "";
	return `${total}\r\nX-Page: ${page.query.page}\r\nX-Has-Next: ${page.hasNext}${disposition}`;
}
