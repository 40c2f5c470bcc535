/** Shapes of the slowest queries that `bench worst` found, with parameters drawn anew. */

import type { ColumnName } from "../../formats/index.js";
import { list } from "./named-shapes.js";
import { lastPage, type Shape } from "./question.js";
import { ValueSource } from "./value-source.js";

/** Deepest page of 100 rows. */
const LAST_PAGE = lastPage(100);

/** Deepest page of 1,000 rows. */
const LAST_LARGE_PAGE = lastPage(1000);

/** Sorts of the slowest queries found. */
const HUNTED_SORTS: readonly (readonly ColumnName[])[] = [
	["office_name"],
	["office_name", "member_first_name"],
	["office_name", "member_license_status", "last_refreshed"],
	["member_license_status", "member_license_issued"],
	["member_last_name"],
	["member_last_name", "member_license_issued"],
	["member_first_name", "member_license_first_issued", "member_license_issued"],
	["member_state_license_number"],
];

/**
 * Sorts of the slowest queries that begin with a column of few values, or with one that the filter
 * leaves few values of.
 */
const GROUPED_SORTS: readonly (readonly ColumnName[])[] = [
	["member_license_status", "state", "last_refreshed", "member_license_issued"],
	["member_license_status", "member_license_expires", "office_name", "member_first_name"],
	["member_license_expires", "member_license_status", "state", "member_full_name"],
];

/** The hunted shapes over `source`. */
export function huntedShapes(source: ValueSource): Shape[] {
	return [...plainShapes(source), ...unevenShapes(source), ...datedShapes(source), ...groupedShapes(source)];
}

function plainShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	return [
		{
			name: "type by status and number, 1,000 rows",
			about: "a type whose rows lie far along the statuses, sorted by status and license number",
			draw: () =>
				list({
					filters: { member_type: source.value("member_type") },
					sort: ["member_license_status", "member_state_license_number"],
					limit: 1000,
					page: 1 + draw.below(10),
				}),
		},
		{
			name: "type and issued by status and state, 1,000 rows",
			about: "a type issued after a date, sorted by status and state",
			draw: () =>
				list({
					filters: {
						member_type: source.value("member_type"),
						issued_after: source.value("member_license_issued"),
					},
					sort: ["member_license_status", "state"],
					limit: 1000,
				}),
		},
		{
			name: "office prefix and two dates, 1,000 rows",
			about: "2 letters of an office name and two date bounds, sorted by any of eight ways",
			draw: () =>
				list({
					filters: {
						office_name: source.prefix("office_name", 2),
						issued_before: source.value("member_license_issued"),
						expires_after: source.value("member_license_expires"),
					},
					sort: draw.pick(HUNTED_SORTS),
					order: "desc",
					limit: 1000,
					page: 2,
				}),
		},
		{
			name: "status and issued by three columns, 1,000 rows",
			about: "a status issued after a date, sorted by that status, expiry and full name",
			draw: () =>
				list({
					filters: {
						license_status: source.value("member_license_status"),
						issued_after: source.value("member_license_issued"),
					},
					sort: ["member_license_status", "member_license_expires", "member_full_name"],
					order: "desc",
					limit: 1000,
					page: 2,
				}),
		},
		{
			name: "the row at the depth cap",
			about: "a status of a country that expires before a date, by license number, the 50,000th row",
			draw: () =>
				list({
					filters: {
						license_status: source.value("member_license_status"),
						country: "US",
						expires_before: ValueSource.shift(source.value("member_license_expires"), 4000),
					},
					sort: ["member_state_license_number"],
					limit: 1,
					page: lastPage(1),
				}),
		},
		{
			name: "all rows by three columns",
			about: "all rows by status, first issue and refresh date",
			draw: () =>
				list({
					sort: ["member_license_status", "member_license_first_issued", "last_refreshed"],
					page: 1 + draw.below(LAST_PAGE),
				}),
		},
	];
}

/** Found where columns are correlated: matching rows are not uniformly distributed along an order. */
function unevenShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	return [
		{
			name: "issued window by first issue, 1,000 rows",
			about: "120 days of issue in a country, sorted by first issue: few rows far before all others",
			draw: () => {
				const after = source.value("member_license_issued");
				return list({
					filters: { country: "US", issued_after: after, issued_before: ValueSource.shift(after, 120) },
					sort: ["member_license_first_issued", "member_last_name", "state"],
					limit: 1000,
				});
			},
		},
		{
			name: "status and two dates by office, 1,000 rows",
			about: "a status and two date bounds by office, descending: what expires late may have none",
			draw: () =>
				list({
					filters: {
						license_status: source.value("member_license_status"),
						first_issued_after: source.value("member_license_first_issued"),
						expires_after: ValueSource.shift(source.value("member_license_expires"), -200),
					},
					sort: ["office_name", "member_first_name"],
					order: "desc",
					limit: 1000,
					page: 2,
				}),
		},
		{
			name: "office letter by first name, deep, 1,000 rows",
			about: "1 letter of an office name, sorted by first name and more, up to the 50,000th row",
			draw: () =>
				list({
					filters: { office_name: source.prefix("office_name", 1) },
					sort: ["member_first_name", "office_name", "member_full_name"],
					order: "desc",
					limit: 1000,
					page: LAST_LARGE_PAGE - draw.below(20),
				}),
		},
		{
			name: "type and two weeks of expiry, deep, 1,000 rows",
			about: "a type that expires within two weeks, by status and more, up to the 50,000th row",
			draw: () => {
				const row = source.row();
				const expires = source.value("member_license_expires", row);
				return list({
					filters: {
						member_type: source.value("member_type", row),
						expires_after: ValueSource.shift(expires, -7),
						expires_before: ValueSource.shift(expires, 7),
					},
					sort: draw.pick(GROUPED_SORTS),
					order: "desc",
					limit: 1000,
					page: 1 + draw.below(LAST_LARGE_PAGE),
				});
			},
		},
		{
			name: "type by number, deep",
			about: "a type sorted by license number, descending, pages 481 to 500",
			draw: () =>
				list({
					filters: { member_type: source.value("member_type") },
					sort: ["member_state_license_number"],
					order: "desc",
					page: LAST_PAGE - draw.below(20),
				}),
		},
	];
}

/** Correlated dates: a bound on one leaves rows at one end of another's order, with few exceptions. */
function datedShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	return [
		{
			name: "issued before by first issue, 1,000 rows",
			about: "issued before a date, by first issue and first name, descending: few are first issued later",
			draw: () =>
				list({
					filters: { issued_before: source.value("member_license_issued") },
					sort: ["member_license_first_issued", "member_first_name", "state"],
					order: "desc",
					limit: 1000,
					page: 1 + draw.below(2),
				}),
		},
		{
			name: "first issued after by issue, 1,000 rows",
			about: "first issued after a date, by issue and last name: few are issued earlier",
			draw: () =>
				list({
					filters: { first_issued_after: source.value("member_license_first_issued") },
					sort: ["member_license_issued", "member_last_name", "member_state_license_number"],
					limit: 1000,
					page: 1 + draw.below(2),
				}),
		},
		{
			name: "issued before by first issue, deep, 1,000 rows",
			about: "issued in a country before a date, by first issue, state and office, the 50,000th row",
			draw: () =>
				list({
					filters: { country: "US", issued_before: source.value("member_license_issued") },
					sort: ["member_license_first_issued", "state", "office_name"],
					order: "desc",
					limit: 1000,
					page: LAST_LARGE_PAGE,
				}),
		},
		{
			name: "three states by first issue, 1,000 rows",
			about: "three states, whose rows may all lack the date that they are sorted by",
			draw: () =>
				list({
					filters: { state: source.states(3).map((s) => s.state) },
					sort: ["member_license_first_issued", "member_license_issued"],
					limit: 1000,
				}),
		},
	];
}

/** Columns of few values first: large groups within large groups. */
function groupedShapes(source: ValueSource): Shape[] {
	return [
		{
			name: "two dates by status and first name, deep, 1,000 rows",
			about: "issued and first issued after dates, by status, first name and issue, the 50,000th row",
			draw: () =>
				list({
					filters: {
						issued_after: source.value("member_license_issued"),
						first_issued_after: source.value("member_license_first_issued"),
					},
					sort: ["member_license_status", "member_first_name", "member_license_issued"],
					order: "desc",
					limit: 1000,
					page: LAST_LARGE_PAGE,
				}),
		},
		{
			name: "country and two dates by four columns, deep, 1,000 rows",
			about: "a country and two dates, by status, refresh date, state and office, the 50,000th row",
			draw: () =>
				list({
					filters: {
						country: "US",
						issued_before: source.value("member_license_issued"),
						expires_before: ValueSource.shift(source.value("member_license_expires"), 400),
					},
					sort: ["member_license_status", "last_refreshed", "state", "office_name"],
					limit: 1000,
					page: LAST_LARGE_PAGE,
				}),
		},
		{
			name: "first issue by refresh date and number, deep, 1,000 rows",
			about: "first issued after a date, by refresh date and license number, descending, the 50,000th row",
			draw: () =>
				list({
					filters: { first_issued_after: source.value("member_license_first_issued") },
					sort: ["last_refreshed", "member_state_license_number"],
					order: "desc",
					limit: 1000,
					page: LAST_LARGE_PAGE,
				}),
		},
	];
}
