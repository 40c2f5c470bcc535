/**
 * Paging by cursor: the parameters besides the query, and the starting position. The first page is requested
 * with `cursor=*`, further ones with `next_cursor` of a page. They continue in the same snapshots, under the
 * same grant and in the same order, until `next_cursor` is null.
 */

import type { CountedGroup, Snapshot } from "../../../engine/index.js";
import { groupDigits, type ListKind, PAGE_LIMIT_MAX, RawParameters } from "../../../formats/index.js";
import { ApiError, invalidParameter } from "../errors.js";
import type { Call } from "../operation.js";
import { decodeQuery } from "../parameters/request-query.js";
import { listKindOf, type ParameterObject } from "../parameters/validation.js";
import type { Grant } from "../scope/grant.js";
import { historyDenied, readsMonth } from "../scope/history-entitlement.js";
import type { CursorList, OpenedCursor } from "./cursor.js";

/** Value of `cursor` for the first page. */
export const FIRST_PAGE = "*";

/** Maximum rows of one response in CSV or NDJSON by cursor. */
export const STREAM_LIMIT_MAX = 100_000;
/** When that applies, as errors about `limit` say it. */
export const STREAM_LIMIT_CONDITION = "with cursor and format=csv or ndjson";

/** Parameters that are not part of the result: they may differ from page to page. */
const OUTSIDE_QUERY = new Set(["cursor", "limit", "top", "format", "page"]);

/** Paging as requested. */
export interface Walk {
	readonly cursor: string;
	/** Text of the query's given parameters; "": none. */
	readonly query: string;
	/** Limit, or groups, and format as given. */
	readonly form: string;
}

/**
 * The given parameters as text, which decodes to the same parameters and is the same for all spellings that `schema`
 * reads alike. `parameters`: those of `given` as read by it. `isQuery` false: the parameters that are not part of
 * the result.
 */
export function queryTextOf(
	schema: ParameterObject<unknown>,
	parameters: Readonly<Record<string, unknown>>,
	{ names, values }: RawParameters,
	isQuery = true,
): string {
	const pairs: [string, string][] = [];
	for (let i = 0; i < names.length; i++) {
		if (values[i] === undefined || names[i] === "page" || names[i] === "cursor") continue;
		if (OUTSIDE_QUERY.has(names[i]) === isQuery) continue;
		const kind = listKindOf(schema, names[i]);
		for (const text of textsOf(kind, parameters[names[i]])) pairs.push([names[i], text]);
	}
	pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
	return new URLSearchParams(pairs).toString();
}

/** The texts that a parameter's value is given by: of a list between commas one, of other lists one each. */
function textsOf(kind: ListKind | undefined, value: unknown): string[] {
	const texts = (Array.isArray(value) ? value : [value]).map(String);
	if (kind !== "sequence") texts.sort();
	return kind === undefined ? texts : [texts.join(",")];
}

/**
 * The paging that a request asks for; null: none. Throws ApiError if the request has a page number too, or if the key
 * lacks the entitlement. REQUIRES: the parameters are checked, since their faults come before those of the grant.
 */
export function walkOf(
	schema: ParameterObject<unknown>,
	parameters: Readonly<Record<string, unknown>> & { readonly cursor?: string },
	given: RawParameters,
	grant: Grant,
): Walk | null {
	const { cursor } = parameters;
	if (cursor === undefined) return null;
	if (given.has("page")) throw invalidParameter("page", "page and cursor exclude each other; leave page out");
	if (!grant.bulk) {
		const message = "cursor needs the bulk entitlement, which this key does not have; leave cursor out";
		throw new ApiError("scope_denied", message, "cursor");
	}
	const query = queryTextOf(schema, parameters, given);
	return { cursor, query, form: queryTextOf(schema, parameters, given, false) };
}

/** Throws for a limit above that of pages, unless the format is streamed. */
export function checkLimit(limit: number, format: string, isWalk: boolean, grant: Grant): void {
	if (limit <= PAGE_LIMIT_MAX) return;
	if (grant.bulk && isWalk && format !== "json") return;
	const max = groupDigits(PAGE_LIMIT_MAX);
	const more = grant.bulk ? `, or to ${groupDigits(STREAM_LIMIT_MAX)} ${STREAM_LIMIT_CONDITION}` : "";
	throw invalidParameter("limit", `limit must be a whole number from 1 to ${max}${more}; got "${limit}"`);
}

/** The next page: the parameters of its query, and its position; null: the beginning. */
export interface Continued {
	readonly given: RawParameters;
	readonly cursor: OpenedCursor | null;
}

/**
 * Decodes the position of a request. Throws ApiError: `invalid_parameter` for a text that is not a cursor of
 * this list or not of the given query, `scope_denied` if the cursor was created under another grant.
 */
export function continueWalk(
	list: CursorList,
	{ cursor, query, form }: Walk,
	repeatable: ReadonlySet<string>,
	{ grant, services }: Call,
): Continued {
	const formOnly = decodeQuery(form);
	if (cursor === FIRST_PAGE)
		return { given: decodeQuery([query, form].filter(Boolean).join("&"), repeatable), cursor: null };
	const opened = services.cursors.read(list, cursor);
	if (opened === null) {
		throw invalidParameter("cursor", `cursor is not one of this list; begin with cursor=${FIRST_PAGE}`);
	}
	if (opened.grant !== services.cursors.grantOf(grant.tag)) {
		const message = "this key's grant is another than the cursor was given under; begin again";
		throw new ApiError("scope_denied", message, "cursor");
	}
	if (query !== "" && !opened.isOf(query)) {
		const message =
			"cursor is of another query; beside it send the same parameters, or limit and format alone";
		throw invalidParameter("cursor", message);
	}
	const own = opened.query ?? (query === "" ? null : query);
	if (own === null) {
		const message =
			"this cursor's query is too long to be in it; send the query's parameters beside the cursor";
		throw invalidParameter("cursor", message);
	}
	const given = own === "" ? new RawParameters() : decodeQuery(own, repeatable);
	for (let i = 0; i < formOnly.names.length; i++) given.add(formOnly.names[i], formOnly.values[i]);
	return { given, cursor: opened };
}

/** A position among groups: after the last group of a page. */
export interface GroupPosition {
	readonly after: CountedGroup;
	/** Number of groups before the page. */
	readonly passed: number;
}

/** The position of a cursor of `aggregate` or `offices`. */
export function groupPositionOf({ position: [first, second, rows, passed] }: OpenedCursor): GroupPosition {
	return { after: { first, second, rows }, passed };
}

/** The cursor of the position after `next`, the last of `passed` groups; null if no group follows. */
export function groupCursor(
	list: "aggregate" | "offices",
	snapshot: Snapshot,
	next: CountedGroup | null,
	passed: number,
	query: string,
	{ grant, services: { cursors } }: Call,
): string | null {
	if (next === null) return null;
	const position = [next.first, next.second, next.rows, passed];
	return cursors.write({ list, months: [snapshot], grant: cursors.grantOf(grant.tag), position, query });
}

/**
 * The open snapshots of a cursor. Throws `history_denied` if the key no longer reads one since a newer month was
 * published, `snapshot_gone` if one was retired or rebuilt.
 */
export function monthsOf(cursor: Pick<OpenedCursor, "months">, { grant, services }: Call): Snapshot[] {
	const { loaded } = services;
	const latest = loaded.latest?.month ?? "";
	return cursor.months.map(({ month, digest }) => {
		if (month < latest && !readsMonth(grant.history, month, latest))
			throw historyDenied(loaded, grant.history, month, "cursor");
		const snapshot = loaded.find(month);
		if (snapshot !== undefined && snapshot.digest === digest) return snapshot;
		const what = snapshot === undefined ? "is no longer loaded" : "was built anew";
		throw new ApiError("snapshot_gone", `snapshot ${month}, which the cursor goes on in, ${what}`, "cursor");
	});
}
