/** GET /v1/licenses: the filtered, sorted, paginated query (SPEC §4.8). */

import type { Filters, Page, Projection, Query, RowFormat, Snapshot } from "../../../engine/index.js";
import { COLUMNS, type ColumnName } from "../../../formats/index.js";
import { entityTag, fingerprint } from "../entity-tag.js";
import { invalidParameter } from "../errors.js";
import type { Grant } from "../grant.js";
import { hintsFor, isWithoutRows } from "../hints.js";
import { resolveSnapshot } from "../history.js";
import { type Answer, type Body, type Call, JSON_TYPE, type Operation } from "../operation.js";
import { parseParameters } from "../parse-parameters.js";
import {
	DATE_BOUNDS,
	DEPTH_MAX,
	FILTER_NAMES,
	type LicensesParameters,
	licensesParameters,
} from "../schemas/parameters.js";
import { licensesResponse } from "../schemas/responses.js";

export interface LicensesRequest {
	readonly month: string | undefined;
	readonly query: Query;
	readonly projection: Projection;
	readonly format: RowFormat;
	/** Fingerprint of the normalised query. */
	readonly identity: string;
}

const CONTENT_TYPES = {
	json: JSON_TYPE,
	csv: "text/csv; charset=utf-8; header=present",
	ndjson: "application/x-ndjson; charset=utf-8",
} as const satisfies Record<RowFormat, string>;

/** The column that each filter parameter reads. */
const FILTERED_COLUMNS: ReadonlyMap<string, ColumnName> = new Map(
	COLUMNS.flatMap(({ name, filter }): [string, ColumnName][] => {
		if (filter === null) return [];
		if (filter.match !== "range") return [[filter.param, name]];
		return [
			[`${filter.param}_after`, name],
			[`${filter.param}_before`, name],
		];
	}),
);

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
	pathParameter: null,
	response: licensesResponse,
	read(raw, grant) {
		const parameters = parseParameters(licensesParameters, raw);
		const filters = filtersOf(parameters);
		checkTogether(parameters, filters);
		checkScope(filters, parameters, grant);
		return requestOf(parameters, filters, grant);
	},
	answer(request, call) {
		const snapshot = resolveSnapshot(call.services.loaded, call.grant.history, request.month);
		return answerFrom(snapshot, request, call);
	},
};

/** Rules that no parameter breaks alone. */
function checkTogether(parameters: LicensesParameters, filters: Filters): void {
	if (parameters.zip !== undefined && parameters.postal_code !== undefined)
		throw invalidParameter("zip", "zip and postal_code are the same filter; give one of them");
	const bounds = filters as Readonly<Record<string, string | undefined>>;
	for (const { after, before } of DATE_BOUNDS) {
		const from = bounds[after];
		const to = bounds[before];
		if (from !== undefined && to !== undefined && from > to)
			throw invalidParameter(after, `${after} ${from} is later than ${before} ${to}`);
	}
	if (parameters.page * parameters.limit > DEPTH_MAX) {
		throw invalidParameter(
			"page",
			`page × limit may not exceed ${DEPTH_MAX.toLocaleString("en-US")} rows (page ${parameters.page} × limit ${
				parameters.limit
			}); add filters to reach deeper rows`,
		);
	}
}

/** Place of each filter's name in the order of the column table. */
const FILTER_PLACES: ReadonlyMap<string, number> = new Map(FILTER_NAMES.map((name, place) => [name, place]));

/** The filters given, in the order of the column table. */
function filtersOf(parameters: LicensesParameters): Filters {
	const names: string[] = [];
	for (const name in parameters) if (FILTER_PLACES.has(name)) names.push(name);
	if (parameters.zip !== undefined && parameters.postal_code === undefined) names.push("postal_code");
	if (names.length > 1) names.sort((a, b) => placeOf(a) - placeOf(b));
	const given: Record<string, unknown> = {};
	for (const name of names) given[name] = parameters[name] ?? parameters.zip;
	return given as Filters;
}

function placeOf(name: string): number {
	return FILTER_PLACES.get(name) ?? FILTER_PLACES.size;
}

function checkScope(filters: Filters, parameters: LicensesParameters, grant: Grant): void {
	for (const name in filters) {
		const column = FILTERED_COLUMNS.get(name);
		if (column !== undefined) grant.requireColumn(column, name);
	}
	for (const column of parameters.sort) grant.requireColumn(column, "sort");
	for (const state of filters.state ?? []) grant.requireState(state, "state");
	if (filters.country !== undefined) grant.requireCountry(filters.country, "country");
}

function requestOf(parameters: LicensesParameters, filters: Filters, grant: Grant): LicensesRequest {
	const { sort, order, page, limit, count, format } = parameters;
	const projection = grant.projectionOf(parameters.fields);
	const query: Query = { filters, sort, order, page, limit, count, geography: grant.geography };
	const columns = parameters.fields === undefined ? "" : projection.columns.join();
	return {
		month: parameters.snapshot,
		query,
		projection,
		format,
		identity: fingerprint(`${format};${columns};${queryText(query)}`),
	};
}

/** Text that differs wherever two queries do, the grant aside. Cost O(length). */
function queryText({ filters, sort, order, page, limit, count }: Query): string {
	let text = `${sort.join()};${order};${page};${limit};${count}`;
	for (const name in filters) {
		const value = String((filters as Readonly<Record<string, unknown>>)[name]);
		// With its length before it, no value can look like the filter that follows.
		text += `;${name}=${value.length}:${value}`;
	}
	return text;
}

function answerFrom(snapshot: Snapshot, request: LicensesRequest, call: Call): Answer {
	const { grant } = call;
	return {
		tag: entityTag(snapshot.digest, grant.fingerprint, request.identity),
		contentType: CONTENT_TYPES[request.format],
		body: () => renderPage(snapshot, request, call),
	};
}

function renderPage(snapshot: Snapshot, request: LicensesRequest, call: Call): Body {
	const { query, projection, format } = request;
	const { sink, stats } = call.services;
	const page = snapshot.query(query);
	sink.reset();
	if (format !== "json") {
		snapshot.renderRows(page.rows, projection, format, sink);
		return { bytes: sink.view(), headers: paginationHeaders(page, format), rows: page.rows.length };
	}
	const hints =
		isWithoutRows(page) && hasVocabularyFilter(query)
			? hintsFor(query, stats.of(snapshot, query.geography))
			: undefined;
	snapshot.renderList(page, projection, sink, hints);
	return { bytes: sink.view(), headers: "", rows: page.rows.length };
}

function hasVocabularyFilter({ filters }: Query): boolean {
	return filters.license_status !== undefined || filters.member_type !== undefined;
}

/** Pagination of a body that has no envelope (SPEC §4.8 rule 5). `X-Total-Count` is absent with `count=false`. */
function paginationHeaders(page: Page, format: "csv" | "ndjson"): string {
	const total = page.total === null ? "" : `\r\nX-Total-Count: ${page.total}`;
	const file = `licenses-${page.snapshot}-page-${page.query.page}.csv`;
	const disposition = format === "csv" ? `\r\nContent-Disposition: attachment; filename="${file}"` : "";
	return `${total}\r\nX-Page: ${page.query.page}\r\nX-Has-Next: ${page.hasNext}${disposition}`;
}
