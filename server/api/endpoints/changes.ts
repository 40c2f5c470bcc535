/** GET /v1/changes: what changed from one month to a later one (docs/API.md §11.5). */

import {
	CHANGE_KINDS,
	type ChangePosition,
	type ChangeSet,
	type ChangesPage,
	ChangesWriter,
	type Filters,
	isMissingChanges,
	type Projection,
	type RowFormat,
	type Snapshot,
} from "../../../engine/index.js";
import {
	type ColumnName,
	type GivenAliases,
	type RawParameters,
	REPEATABLE_FILTERS,
} from "../../../formats/index.js";
import type { OpenedCursor } from "../bulk/cursor.js";
import { streamed } from "../bulk/stream.js";
import { checkLimit, continueWalk, monthsOf, queryTextOf, type Walk, walkOf } from "../bulk/walk.js";
import { ApiError, invalidParameter } from "../errors.js";
import {
	type AskedChanges,
	beyondReachHints,
	type ChangesSource,
	changesHints,
	cutOffHints,
	entriesOf,
	noChangesHints,
} from "../hints/changes-hints.js";
import { unreadColumns } from "../hints/hint.js";
import type { Answer, Body, Call, Operation } from "../operation.js";
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
import { type ChangesParameters, changesParameters } from "../schemas/changes-parameters.js";
import { changesResponse } from "../schemas/changes-response.js";
import { asOf, rowBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { latestSnapshot, requireHistory, resolveSnapshot } from "../scope/history-entitlement.js";
import { CONTENT_TYPES } from "./licenses.js";

export interface ChangesRequest extends AskedChanges {
	readonly from: string | undefined;
	readonly to: string | undefined;
	readonly projection: Projection;
	readonly format: RowFormat;
	/** JSON text of what bounds the answer. */
	readonly bounds: string;
	/** Fingerprint of all of the above. */
	readonly identity: string;
	/** Text of the query for cursors. */
	readonly query: string;
	readonly walk: Walk | null;
}

/** What cannot be read without the license's own columns. */
const LICENSE_COLUMNS: readonly ColumnName[] = ["state", "member_state_license_number"];

/** Parameters that may be given several times. */
const REPEATABLE: ReadonlySet<string> = new Set([...REPEATABLE_FILTERS, "kind", "field"]);

export const changesOperation: Operation<ChangesRequest> = {
	endpoint: "/v1/changes",
	operationId: "listChanges",
	tag: "Extensions",
	revalidated: true,
	summary: "List licenses that are new, gone or changed from one month to another",
	description:
		"A license is its state and license number. Filters read the newer row, for licenses that are gone and with filters_on=older the older. " +
		"Needs a history entitlement over both months; meta.totals counts all entries that match.",
	parameters: changesParameters,
	repeatable: REPEATABLE,
	pathParameter: null,
	response: changesResponse,
	authorize(grant, loaded) {
		requireHistory(loaded, grant.history);
	},
	read: readRequest,
	answer(request, call) {
		if (request.walk === null) return answerFrom(request, null, call);
		const { given, cursor } = continueWalk("changes", request.walk, REPEATABLE, call);
		return answerFrom({ ...readRequest(given, call.grant, true), walk: request.walk }, cursor, call);
	},
};

function readRequest(given: RawParameters, grant: Grant, isWalk = false): ChangesRequest {
	const parameters = validateParameters(changesParameters, given);
	const { from, to } = parameters;
	if (from !== undefined && to !== undefined && from >= to)
		throw invalidParameter("from", `from ${from} is not before to ${to}`);
	checkLimit(parameters.limit, parameters.format, isWalk || parameters.cursor !== undefined, grant);
	checkFilters(parameters);
	const walk = walkOf(changesParameters, parameters, given, grant);
	grant.requireShown(LICENSE_COLUMNS, "changes");
	const filters = filtersOf(parameters, given);
	const aliases = aliasesIn(given);
	requireFilters(filters, grant, given);
	for (const field of parameters.field ?? []) grant.requireColumn(field, "field");
	const projection = grant.projectionOf(parameters.fields);
	// The changes listed depend on the columns granted, whichever columns rows show.
	const isNarrowed = given.isNarrowed || !grant.hasAllTracked;
	// A field says that changed licenses are meant, unless kinds say more.
	const kinds = parameters.kind ?? (parameters.field === undefined ? CHANGE_KINDS : (["changed"] as const));
	if (parameters.filters_on === "older" && kinds.every((kind) => kind === "new"))
		throw invalidParameter("filters_on", "new licenses have no older row; ask for kind gone or changed");
	return {
		from,
		to,
		filters,
		aliases,
		kinds,
		fields: parameters.field ?? grant.tracked,
		filtersOn: parameters.filters_on,
		limit: parameters.limit,
		projection,
		format: parameters.format,
		bounds: rowBounds(grant, projection, parameters.fields, isNarrowed),
		identity: identityOf(parameters, kinds, filters, aliases),
		query: queryTextOf(changesParameters, parameters, given),
		walk,
	};
}

function identityOf(
	parameters: ChangesParameters,
	kinds: readonly string[],
	filters: Filters,
	aliases: GivenAliases,
): string {
	const { format, limit, fields = [], field = [], filters_on } = parameters;
	const identity = new Fingerprint().text(format).text(filters_on).number(limit);
	for (const texts of [fields, field, kinds]) addTexts(identity, texts);
	addFilters(identity, filters, aliases);
	return identity.toString();
}

/** The two months, or those of a cursor. Throws `history_denied`, `not_found`, `unavailable`, `snapshot_gone`. */
export function monthsAsked(
	{ from, to }: ChangesRequest,
	cursor: Pick<OpenedCursor, "months"> | null,
	call: Call,
): readonly [Snapshot, Snapshot] {
	const { loaded } = call.services;
	const { history } = call.grant;
	if (cursor !== null) {
		const [older, newer] = monthsOf(cursor, call);
		return [older, newer];
	}
	const newer = to === undefined ? latestSnapshot(loaded) : resolveSnapshot(loaded, history, to, "to");
	if (from !== undefined) {
		if (from >= newer.month) throw invalidParameter("from", `from ${from} is not before to ${newer.month}`);
		return [resolveSnapshot(loaded, history, from, "from"), newer];
	}
	const older = loaded.snapshots.find(({ month }) => month < newer.month);
	if (older !== undefined) return [resolveSnapshot(loaded, history, older.month, "from"), newer];
	throw new ApiError("not_found", `no snapshot before ${newer.month} is loaded`, "from");
}

function answerFrom(request: ChangesRequest, cursor: OpenedCursor | null, call: Call): Answer {
	const [from, to] = monthsAsked(request, cursor, call);
	const position = cursor === null ? "" : `-${cursor.position.join(".")}`;
	const digests = `${from.digest}${to.digest}`;
	return {
		tag: entityTag(digests, call.grant.fingerprint, `${request.identity}${position}`),
		contentType: CONTENT_TYPES[request.format],
		snapshot: null,
		body: () => render(changesBetween(from, to, call), request, cursor, call),
	};
}

/**
 * The changes between two months. Throws RequestPending while they are opened or composed, `unavailable` where they
 * cannot be.
 */
export function changesBetween(from: Snapshot, to: Snapshot, { key, services }: Call): ChangeSet {
	try {
		return services.works.result(() => services.loaded.changesInSlices(from, to), key.id);
	} catch (error) {
		if (!isMissingChanges(error)) throw error;
		services.onMissingChanges(error);
		const message = `the changes from ${from.month} to ${to.month} are not ready here; consecutive months are`;
		throw new ApiError("unavailable", message);
	}
}

function render(set: ChangeSet, request: ChangesRequest, cursor: OpenedCursor | null, call: Call): Body {
	const { filters, filtersOn, kinds, fields, limit, projection, format } = request;
	const { grant, services } = call;
	const after = cursor === null ? null : positionOf(cursor);
	const page = set.query({ filters, filtersOn, geography: grant.geography, kinds, fields, after, limit });
	const rows = page.runs.reduce((sum, run) => sum + run.rows.length, 0);
	const next = nextCursor(set, page, (cursor?.position[2] ?? 0) + rows, request, call);
	const writer = new ChangesWriter(set, projection, (column) => grant.reads(column), format);
	if (format !== "json") {
		const headers = headersOf(set, page, format, next);
		const write = (first: number, end: number) => writer.entries(page, first, end, services.sink);
		const { sink, arrivals } = services;
		const isWalk = request.walk !== null;
		return streamed({ rows, headers, sink, arrivals, isWalk, begin: () => writer.header(sink), write });
	}
	const { sink } = services;
	sink.reset();
	sink.text('{"data":[');
	writer.entries(page, 0, rows, sink);
	const nextMember = grant.bulk ? `,"next_cursor":${JSON.stringify(next)}` : "";
	const { totals } = page;
	sink.text(
		`],"pagination":{"limit":${limit},"has_next":${page.hasNext}${nextMember}},` +
			`"meta":{"from":"${set.from.month}","to":"${set.to.month}","totals":${JSON.stringify(totals)},` +
			`"as_of":"${asOf(set.to.month)}"${request.bounds}${hintsOf(set, page, request, cursor, call)}}}`,
	);
	return { bytes: sink.view(), headers: "", rows };
}

function sourceOf({ grant, services }: Call): ChangesSource {
	return {
		geography: grant.geography,
		readable: grant.tracked,
		unread: unreadColumns(grant),
		stats: services.stats,
	};
}

/** Hints and whether entries are missing, as JSON text that continues an object; empty: neither is needed. */
function hintsOf(
	set: ChangeSet,
	{ totals, hasNext }: ChangesPage,
	request: ChangesRequest,
	cursor: OpenedCursor | null,
	call: Call,
): string {
	if (hasNext && !call.grant.bulk) {
		const hints = [...cutOffHints(request), ...changesHints(set, request, totals, sourceOf(call))];
		return `,"truncated":true,"hints":${JSON.stringify(hints)}`;
	}
	return cursor === null ? firstPageHintsOf(set, totals, request, call) : "";
}

/**
 * Hints of the first page, as JSON text that continues an object: why no entry matches, or what is left out, and
 * that more match than the `reach` entries that pages have. Empty: none is needed.
 */
export function firstPageHintsOf(
	set: ChangeSet,
	totals: ChangesPage["totals"],
	request: ChangesRequest,
	call: Call,
	reach = Number.POSITIVE_INFINITY,
): string {
	const source = sourceOf(call);
	const hints =
		entriesOf(totals) === 0
			? noChangesHints(set, request, source)
			: [...beyondReachHints(totals, reach), ...changesHints(set, request, totals, source)];
	return hints.length === 0 ? "" : `,"hints":${JSON.stringify(hints)}`;
}

export function positionOf({ position: [kind, row] }: Pick<OpenedCursor, "position">): ChangePosition {
	return { kind: CHANGE_KINDS[kind], row };
}

function nextCursor(
	{ from, to }: ChangeSet,
	{ last, hasNext }: ChangesPage,
	passed: number,
	{ query }: ChangesRequest,
	{ grant, services }: Call,
): string | null {
	if (!grant.bulk || !hasNext || last === null) return null;
	const { cursors } = services;
	return cursors.write({
		list: "changes",
		months: [from, to],
		grant: cursors.grantOf(grant.tag),
		position: [CHANGE_KINDS.indexOf(last.kind), last.row, passed],
		query,
	});
}

function headersOf(
	{ from, to }: ChangeSet,
	{ totals, hasNext }: ChangesPage,
	format: RowFormat,
	next: string | null,
): string {
	const file = `changes-${from.month}-${to.month}.csv`;
	const disposition = format === "csv" ? `\r\nContent-Disposition: attachment; filename="${file}"` : "";
	const cursor = next === null ? "" : `\r\nX-Next-Cursor: ${next}`;
	return `\r\nX-Total-Count: ${entriesOf(totals)}\r\nX-Has-Next: ${hasNext}${cursor}${disposition}`;
}
