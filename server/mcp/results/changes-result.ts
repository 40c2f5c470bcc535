/**
 * The result of license_changes: entries whose rows are arrays of values, without the older row of a changed
 * license, which `changes` describes. Its limits and cursor are as in a search.
 */

import { CHANGE_KINDS, type ChangesPage, ChangesWriter } from "../../../engine/index.js";
import { groupDigits, PAGE_LIMIT_MAX } from "../../../formats/index.js";
import {
	changesBetween,
	changesOperation,
	firstPageHintsOf,
	monthsAsked,
	positionOf,
} from "../../api/endpoints/changes.js";
import { asOf } from "../../api/scope/answer-bounds.js";
import type { ToolAnswer } from "../tool.js";
import { cutNotice, noticeMember, ROWS_BYTES_MAX, THIRD_PARTY_NOTE } from "./budget.js";
import { cursorAt, openCursor, oversizedRow, type PagedList, pageParameters } from "./page-cursor.js";

const COMMA = 0x2c;

const UNREACHABLE = `entries beyond the first ${groupDigits(PAGE_LIMIT_MAX)} are read by keys with the bulk entitlement; narrow them by kind, field, state or other filters`;

export const licenseChanges: ToolAnswer = (given, call) => {
	const { grant, services } = call;
	const request = changesOperation.read(pageParameters(given), grant);
	const { filters, filtersOn, kinds, fields, projection, bounds } = request;
	const paged: PagedList = {
		list: "changes",
		// As it was before filtersOn, so that cursors outlive an upgrade.
		query: [
			request.from ?? null,
			request.to ?? null,
			filters,
			kinds,
			fields,
			...(filtersOn === "older" ? [filtersOn] : []),
		],
	};
	const cursor = openCursor(given, paged, call);
	const [from, to] = monthsAsked(request, cursor, call);
	const set = changesBetween(from, to, call);
	const passed = cursor === null ? 0 : cursor.position[2];
	// Over HTTP a key without the bulk entitlement reads one page.
	const reach = grant.bulk ? Number.POSITIVE_INFINITY : PAGE_LIMIT_MAX;
	const limit = Math.min(request.limit, reach - passed);
	const after = cursor === null ? null : positionOf(cursor);
	const page = set.query({ filters, filtersOn, geography: grant.geography, kinds, fields, after, limit });

	const { sink } = services;
	sink.reset();
	sink.text(`{"columns":${JSON.stringify(projection.columns)},"data":[`);
	const writer = new ChangesWriter(set, projection, (column) => grant.reads(column), "array");
	const entries = entriesOf(page);
	let shown = 0;
	for (; shown < entries.length; shown++) {
		const before = sink.length;
		if (shown > 0) sink.byte(COMMA);
		writer.entries(page, shown, shown + 1, sink);
		if (sink.length <= ROWS_BYTES_MAX) continue;
		if (shown === 0) throw oversizedRow();
		sink.length = before;
		break;
	}
	const hasNext = page.hasNext || shown < entries.length;
	const end = passed + shown;
	const next =
		hasNext && shown > 0 && end < reach
			? cursorAt({ months: [from, to], position: [...entries[shown - 1], end] }, paged, call)
			: null;
	const pagination = { limit: request.limit, has_next: hasNext, next_cursor: next };
	const isUnreachable = hasNext && next === null;
	const notice = isUnreachable ? UNREACHABLE : cutNotice(shown, entries.length, request.limit, "entries");
	sink.text(
		`],"pagination":${JSON.stringify(pagination)},"meta":{"from":"${from.month}","to":"${to.month}",` +
			`"totals":${JSON.stringify(page.totals)},"as_of":"${asOf(to.month)}"${bounds}` +
			`${isUnreachable ? ',"truncated":true' : ""}${cursor === null ? firstPageHintsOf(set, page.totals, request, call, reach) : ""}${THIRD_PARTY_NOTE}}${noticeMember(notice)}}`,
	);
	return sink.view();
};

/** Kind and row of each entry of a page, as in cursors. */
function entriesOf({ runs }: ChangesPage): [number, number][] {
	return runs.flatMap(({ kind, rows }) =>
		Array.from(rows, (row): [number, number] => [CHANGE_KINDS.indexOf(kind), row]),
	);
}
