/** GET /v1/licenses: the filtered, sorted, paginated query (SPEC §4.8). */

import type { Filters, Page, Projection, Query, RowFormat, Snapshot } from "../../../engine/index.js";
import { COLUMNS, type ColumnName } from "../../../formats/index.js";
import { invalidParameter } from "../errors.js";
import { type Answer, type Body, type Call, JSON_TYPE, type Operation } from "../operation.js";
import type { RawParameters } from "../parameters/raw-parameters.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, Fingerprint } from "../responses/entity-tag.js";
import { hintsFor, isWithoutRows } from "../responses/hints.js";
import {
	DATE_BOUNDS,
	DEPTH_MAX,
	FILTER_NAMES,
	type LicensesParameters,
	licensesParameters,
} from "../schemas/endpoint-parameters.js";
import { licensesResponse } from "../schemas/endpoint-responses.js";
import type { Grant } from "../scope/grant.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

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
	read(given, grant) {
		const parameters = validateParameters(licensesParameters, given);
		const filters = filtersOf(parameters, given);
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

/** Each filter's place in the order of the column table, which is a bit of a set of them; `zip` has its column's. */
const FILTER_PLACES: ReadonlyMap<string, number> = new Map([
	...FILTER_NAMES.map((name, place): [string, number] => [name, place]),
	["zip", FILTER_NAMES.indexOf("postal_code")],
]);

/** The filters given and no others, in the order of the column table whatever the order given. */
function filtersOf(parameters: LicensesParameters, { names }: RawParameters): Filters {
	let given = 0;
	for (let i = 0; i < names.length; i++) {
		const place = FILTER_PLACES.get(names[i]);
		if (place !== undefined) given |= 1 << place;
	}
	const filters: Record<string, unknown> = {};
	for (let left = given; left !== 0; left &= left - 1) {
		const name = FILTER_NAMES[31 - Math.clz32(left & -left)];
		const value = parameters[name] ?? (name === "postal_code" ? parameters.zip : undefined);
		if (value !== undefined) filters[name] = value;
	}
	return filters;
}

function checkScope(filters: Filters, parameters: LicensesParameters, grant: Grant): void {
	if (!grant.isOfAllColumns) checkColumns(filters, parameters, grant);
	for (const state of filters.state ?? []) grant.requireState(state, "state");
	if (filters.country !== undefined) grant.requireCountry(filters.country, "country");
}

function checkColumns(filters: Filters, parameters: LicensesParameters, grant: Grant): void {
	for (const [name, value] of Object.entries(filters)) {
		const column = FILTERED_COLUMNS.get(name);
		if (value !== undefined && column !== undefined) grant.requireColumn(column, name);
	}
	for (const column of parameters.sort) grant.requireColumn(column, "sort");
}

function requestOf(parameters: LicensesParameters, filters: Filters, grant: Grant): LicensesRequest {
	const { sort, order, page, limit, count, format } = parameters;
	const projection = grant.projectionOf(parameters.fields);
	const query: Query = { filters, sort, order, page, limit, count, geography: grant.geography };
	return {
		month: parameters.snapshot,
		query,
		projection,
		format,
		identity: identityOf(query, format, parameters.fields === undefined ? [] : projection.columns),
	};
}

/** Differs wherever two queries, the grant aside, or their forms of answer do. Cost O(length). */
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
	for (const name in filters) {
		const value = (filters as Readonly<Record<string, string | readonly string[]>>)[name];
		identity.number(FILTER_PLACES.get(name) as number);
		if (typeof value === "string") identity.text(value);
		else addTexts(identity, value);
	}
	return identity.toString();
}

function addTexts(identity: Fingerprint, texts: readonly string[]): void {
	identity.number(texts.length);
	for (let i = 0; i < texts.length; i++) identity.text(texts[i]);
}

function answerFrom(snapshot: Snapshot, request: LicensesRequest, call: Call): Answer {
	const { grant } = call;
	return {
		tag: entityTag(snapshot.digest, grant.fingerprint, request.identity),
		contentType: CONTENT_TYPES[request.format],
		snapshot,
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
