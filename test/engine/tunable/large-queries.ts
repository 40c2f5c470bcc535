/**
 * Random queries on a large month: half of any shape, the others of the shapes that are answered in ways of their
 * own, which chance seldom makes.
 */

import type { Filters, Query } from "../../../engine/query.js";
import type { ColumnName } from "../../../formats/index.js";
import type { ColumnMonth } from "../../oracle/column-month.js";
import type { Draw } from "../../oracle/draw.js";
import { randomPage, randomQuery, randomSort } from "../../oracle/random-query.js";

const LIMIT_MAX = 1000;

/** Queries that share their filters: the naive scan selects rows once for them all. */
const QUERIES_PER_FILTERS = 4;

/** Filters with the sort columns that they are asked with; null: any. */
interface Asked {
	readonly filters: Filters;
	readonly sort: readonly ColumnName[] | null;
}

/** Sortable columns by a prefix filter on them. */
const PREFIXED = {
	last_name: "member_last_name",
	office_name: "office_name",
	first_name: "member_first_name",
} as const;
const EXACT = {
	license_status: "member_license_status",
	city: "member_city",
	postal_code: "member_postal_code",
	member_type: "member_type",
} as const;

const BOUNDED = {
	issued_after: "member_license_issued",
	expires_before: "member_license_expires",
	expires_after: "member_license_expires",
} as const;

const ORDERED = ["office_name", "member_license_expires", "member_last_name", "member_first_name"] as const;
const COARSE = ["member_license_status", "last_refreshed", "state"] as const;
const MISSING = ["member_address", "agent_count", "member_city", "matched_email"] as const;

/** Some queries of one draw, which differ in order and page. */
export function drawQueries(month: ColumnMonth, draw: Draw): Query[] {
	const asked = drawAsked(month, draw);
	if (asked === null) {
		const any = randomQuery(month, draw, { oneFilterIn: draw.pick([4, 8, 16]), limitMax: LIMIT_MAX });
		return [any, ...others(month, any, null, draw)];
	}
	const { filters, sort } = asked;
	const first: Query = {
		filters,
		sort: sort ?? randomSort(draw),
		order: draw.pick(["asc", "desc"] as const),
		count: true,
		geography: null,
		...randomPage(month.count(filters, null), draw, { oneFilterIn: 1, limitMax: LIMIT_MAX }),
	};
	return [first, ...others(month, first, sort, draw)];
}

function others(month: ColumnMonth, query: Query, sort: Asked["sort"], draw: Draw): Query[] {
	const total = month.count(query.filters, query.geography);
	return Array.from({ length: QUERIES_PER_FILTERS - 1 }, () => ({
		...query,
		sort: sort ?? randomSort(draw),
		order: draw.pick(["asc", "desc"] as const),
		...randomPage(total, draw, { oneFilterIn: 1, limitMax: LIMIT_MAX }),
	}));
}

/** Filters of a shape that has a way of its own; null: any query. */
function drawAsked(month: ColumnMonth, draw: Draw): Asked | null {
	const row = month.row(draw.below(month.rowCount));
	const text = (name: ColumnName) => String(row[name] ?? "a");
	const prefixed = draw.pick(Object.keys(PREFIXED)) as keyof typeof PREFIXED;
	const prefix = () => ({
		[prefixed]:
			Array.from(text(PREFIXED[prefixed]))
				.slice(0, 1 + draw.below(3))
				.join("")
				.trim() || "a",
	});
	const states = (count: number) =>
		[
			...new Set(Array.from({ length: count }, () => String(month.row(draw.below(month.rowCount)).state))),
		].sort();
	switch (draw.below(30)) {
		case 0:
		case 1: {
			// One value by id: a slice of postings.
			const name = draw.pick(Object.keys(EXACT)) as keyof typeof EXACT;
			return { filters: { [name]: text(EXACT[name]) }, sort: [] };
		}
		case 2:
			// A prefix by its own order: a slice of the permutation.
			return { filters: prefix(), sort: [PREFIXED[prefixed]] };
		case 3:
		case 4:
		case 5:
			return { filters: { state: states(4) }, sort: [draw.pick(ORDERED)] };
		case 6:
			return { filters: { state: states(4), ...prefix() }, sort: [PREFIXED[prefixed]] };
		case 7:
		case 8:
		case 9:
		case 10:
			return { filters: { name: text("member_full_name") }, sort: draw.oneIn(6) ? null : [] };
		case 11:
			return { filters: { state: states(1) }, sort: draw.oneIn(2) ? [draw.pick(ORDERED)] : null };
		case 12:
			return {
				filters: { state: states(1), ...prefix() },
				sort: draw.oneIn(2) ? [PREFIXED[prefixed]] : null,
			};
		case 13:
			return { filters: { missing: [draw.pick(MISSING)], ...(draw.oneIn(2) ? prefix() : {}) }, sort: null };
		case 14:
		case 15:
			return { filters: { last_name: "qqqq", state: states(2) }, sort: null };
		case 16:
		case 17:
			// Large groups of rows, ordered further.
			return {
				filters: { issued_after: `${String(row.member_license_issued ?? "2005").slice(0, 4)}-01-01` },
				sort: [draw.pick(COARSE), draw.pick(ORDERED)],
			};
		case 18:
		case 19: {
			// Values of the last rows of states, in the last words of their runs.
			const last = Array.from({ length: 3 }, () => lastOfItsState(month, draw.below(month.rowCount)));
			const name = draw.pick(Object.keys(EXACT)) as keyof typeof EXACT;
			const values = last.map((place) => String(month.columns.value(place, EXACT[name]) ?? "a"));
			const own = last.map((place) => String(month.columns.value(place, "state")));
			return { filters: { state: [...new Set(own)].sort(), [name]: [...new Set(values)] }, sort: null };
		}
		case 20:
		case 21:
		case 22:
		case 23: {
			// One range of an order, by id: counted by the order, with rows that are few in the first states or many.
			const bound = draw.pick(Object.keys(BOUNDED)) as keyof typeof BOUNDED;
			const filters = draw.pick([
				{ [bound]: text(BOUNDED[bound]) },
				{ license_status: text("member_license_status") },
			]);
			return {
				filters: draw.oneIn(2) ? filters : { state: states(1 + draw.below(4)), ...filters },
				sort: [],
			};
		}
		case 24:
		case 25: {
			// A status or type by one column: counted along its order.
			const filters = draw.pick<Asked["filters"]>([
				{ license_status: text("member_license_status") },
				{ member_type: text("member_type") },
				{ status_group: text("license_status_group") },
			]);
			return { filters, sort: [draw.pick(ORDERED)] };
		}
		default:
			return null;
	}
}

/** The last row of the state of a row. */
function lastOfItsState({ columns, rowCount }: ColumnMonth, place: number): number {
	const state = columns.value(place, "state");
	let low = place;
	let high = rowCount - 1;
	while (low < high) {
		const middle = (low + high + 1) >>> 1;
		if (columns.value(middle, "state") === state) low = middle;
		else high = middle - 1;
	}
	return low;
}
