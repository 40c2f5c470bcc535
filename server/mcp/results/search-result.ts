/**
 * The result of search_licenses: a page of rows as arrays of values. It ends at the limit, the budget of bytes
 * or the depth cap, whichever comes first, and its cursor continues after its last row.
 */

import type { Page, Projection, Query, Snapshot } from "../../../engine/index.js";
import { DEPTH_MAX, groupDigits } from "../../../formats/index.js";
import type { CursorPosition } from "../../api/bulk/cursor.js";
import { monthsOf } from "../../api/bulk/walk.js";
import { type LicensesRequest, licensesOperation, pageMeta } from "../../api/endpoints/licenses.js";
import type { Call } from "../../api/operation.js";
import { resolveSnapshot } from "../../api/scope/history-entitlement.js";
import type { ToolAnswer } from "../tool.js";
import { cutNotice, noticeMember, ROWS_BYTES_MAX, THIRD_PARTY_NOTE } from "./budget.js";
import { cursorAt, openCursor, oversizedRow, type PagedList, pageParameters } from "./page-cursor.js";

const COMMA = 0x2c;

const UNREACHABLE = `rows beyond ${groupDigits(DEPTH_MAX)} cannot be paged to; add filters to reach them`;

/** A page, and its position in the whole result. */
interface Found {
	readonly page: Page;
	/** Number of rows before it. */
	readonly passed: number;
	/** Number of rows that the key may page to. */
	readonly reach: number;
}

export const searchLicenses: ToolAnswer = (given, call) => {
	const request = licensesOperation.read(pageParameters(given), call.grant);
	const { filters, sort, order } = request.query;
	const paged: PagedList = { list: "licenses", query: [request.month ?? null, filters, sort, order] };
	const from = openCursor(given, paged, call);
	const snapshot = snapshotOf(request, from, call);
	const found = find(snapshot, request.query, from, call);
	const shown = writeRows(snapshot, request.projection, found.page, call);
	const { sink } = call.services;
	sink.text(`],${paginationOf(found, shown, snapshot, paged, call)}`);
	const applied = JSON.stringify(Object.keys(filters));
	sink.text(`,"meta":{"snapshot":"${snapshot.month}","filters_applied":${applied}`);
	sink.text(
		`${pageMeta(snapshot, { ...found.page, rows: found.page.rows.subarray(0, shown) }, DEPTH_MAX, request, call)}${THIRD_PARTY_NOTE}}}`,
	);
	return sink.view();
};

function snapshotOf({ month }: LicensesRequest, from: CursorPosition | null, call: Call): Snapshot {
	if (from !== null) return monthsOf(from, call)[0];
	return resolveSnapshot(call.services.loaded, call.grant.history, month);
}

/** Finds the page; beyond the depth cap by its position, for keys that may read whole results. */
function find(snapshot: Snapshot, query: Query, from: CursorPosition | null, { grant }: Call): Found {
	const [after, passed] = from === null ? [null, (query.page - 1) * query.limit] : from.position;
	const reach = grant.bulk ? Number.POSITIVE_INFINITY : DEPTH_MAX;
	const limit = Math.min(query.limit, reach - passed);
	const asked: Query = { ...query, limit, page: Math.floor(passed / limit) + 1 };
	const isDeep = passed + limit > DEPTH_MAX;
	const page = isDeep ? snapshot.queryAfter(asked, after, passed) : snapshot.query(asked, passed);
	return { page: { ...page, query }, passed, reach };
}

/** Writes the columns and as many rows as fit; returns how many. */
function writeRows(snapshot: Snapshot, projection: Projection, { rows }: Page, { services }: Call): number {
	const { sink } = services;
	const writer = snapshot.rowWriter(projection);
	sink.reset();
	sink.text(`{"columns":${JSON.stringify(projection.columns)},"rows":[`);
	writer.touch(rows);
	for (let i = 0; i < rows.length; i++) {
		const before = sink.length;
		if (i > 0) sink.byte(COMMA);
		writer.write(rows[i], sink);
		if (sink.length <= ROWS_BYTES_MAX) continue;
		if (i === 0) throw oversizedRow();
		sink.length = before;
		return i;
	}
	return rows.length;
}

/** The members `pagination` and, if not all requested rows are included, `notice`. */
function paginationOf(
	{ page, passed, reach }: Found,
	shown: number,
	snapshot: Snapshot,
	paged: PagedList,
	call: Call,
): string {
	const { limit } = page.query;
	const hasNext = page.hasNext || shown < page.rows.length;
	const end = passed + shown;
	const next =
		hasNext && shown > 0 && end < reach
			? cursorAt({ months: [snapshot], position: [page.rows[shown - 1], end] }, paged, call)
			: null;
	const pagination = { limit, total: page.total, has_next: hasNext, next_cursor: next };
	const isAtCap = hasNext && next === null;
	const notice = isAtCap ? UNREACHABLE : cutNotice(shown, page.rows.length, limit, "rows");
	return `"pagination":${JSON.stringify(pagination)}${noticeMember(notice)}`;
}
