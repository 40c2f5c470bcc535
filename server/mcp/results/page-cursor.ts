/**
 * Cursors of tools: the position after a page's last row. The arguments of the call are repeated with it, so
 * that it is short; a hash binds it to them, to the grant and to the snapshots.
 */

import { integerRule, PAGE_LIMIT_MAX, type RawParameters, RuleViolation } from "../../../formats/index.js";
import type { CursorList, CursorPosition } from "../../api/bulk/cursor.js";
import { ApiError, invalidParameter } from "../../api/errors.js";
import type { Call } from "../../api/operation.js";
import { parametersOf } from "../arguments.js";
import type { RawArguments } from "../tool.js";

/** A list with its arguments and grant, for which its cursors are valid. */
export interface PagedList {
	readonly list: CursorList;
	/** Distinct for any two different queries. */
	readonly query: unknown;
}

const pageLimit = integerRule(1, PAGE_LIMIT_MAX);

/**
 * The arguments of a page but for the cursor, which has another form than that of HTTP. Throws ApiError for a limit
 * above that of pages: the formats and cursors with which HTTP allows more are no arguments of tools.
 */
export function pageParameters(given: RawArguments): RawParameters {
	const { cursor: _, ...own } = given;
	const limit = pageLimit(own.limit);
	if (limit instanceof RuleViolation) throw invalidParameter("limit", `limit ${limit.message}`);
	return parametersOf(own);
}

function subjectOf({ list, query }: PagedList, { grant }: Call): string {
	return JSON.stringify([list, grant.tag, query]);
}

/** The position of the argument `cursor`; null: it is absent. Throws ApiError. */
export function openCursor(
	{ cursor, page }: RawArguments,
	paged: PagedList,
	call: Call,
): CursorPosition | null {
	if (cursor === undefined) return null;
	if (page !== undefined)
		throw invalidParameter("page", "page and cursor exclude each other; leave page out");
	const read =
		typeof cursor === "string"
			? call.services.cursors.readShort(paged.list, cursor, subjectOf(paged, call))
			: "unknown";
	if (read === "unknown")
		throw invalidParameter(
			"cursor",
			"cursor is not one that this tool gave; take pagination.next_cursor of a result, or leave it out to begin",
		);
	if (read === "other")
		throw invalidParameter(
			"cursor",
			"cursor goes on with another query; repeat the filters, sort, order and snapshot of the call that gave it, with the same key",
		);
	return read;
}

/** The cursor of a position. */
export function cursorAt(position: Omit<CursorPosition, "list">, paged: PagedList, call: Call): string {
	return call.services.cursors.writeShort({ list: paged.list, ...position }, subjectOf(paged, call));
}

/** A row that is larger than any result. */
export function oversizedRow(): ApiError {
	return new ApiError(
		"invalid_parameter",
		"one row of this is larger than a result may be; ask for fewer fields",
		"fields",
	);
}
