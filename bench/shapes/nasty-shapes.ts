/** The named shapes' nastier kin: what an indexed store is bad at, and what a client may ask all the same. */

import type { ColumnName } from "../../formats/index.js";
import { list } from "./named-shapes.js";
import type { Shape } from "./question.js";
import { ValueSource } from "./value-source.js";

/** Deepest page of 100 rows that the API's depth cap allows. */
const LAST_PAGE = 500;

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

/** Sorts of the slowest that begin by a column of few values, or by one that the filter leaves few of. */
const GROUPED_SORTS: readonly (readonly ColumnName[])[] = [
	["member_license_status", "state", "last_refreshed", "member_license_issued"],
	["member_license_status", "member_license_expires", "office_name", "member_first_name"],
	["member_license_expires", "member_license_status", "state", "member_full_name"],
];

/** The nasty shapes over `source`. */
export function nastyShapes(source: ValueSource): Shape[] {
	return [
		...sortedShapes(source),
		...combinedShapes(source),
		...huntedShapes(source),
		...unevenShapes(source),
	];
}

function sortedShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	const unrelated: readonly ColumnName[] = ["office_name", "member_full_name", "member_license_issued"];
	return [
		{
			name: "two letters by another column",
			about: "2 letters of a last name, sorted by an unrelated column",
			draw: () =>
				list({
					filters: { last_name: source.prefix("member_last_name", 2) },
					sort: [draw.pick(unrelated)],
					page: 1 + draw.below(20),
				}),
		},
		{
			name: "thirty states, rare status",
			about: "30 states with a rare status, sorted by office",
			draw: () =>
				list({
					filters: {
						state: source.states(30).map((s) => s.state),
						license_status: source.rare("member_license_status"),
					},
					sort: ["office_name"],
				}),
		},
		{
			name: "weak filter, deep, other sort",
			about: "a country and an early date, sorted by full name at page 500",
			draw: () =>
				list({
					filters: { country: "US", issued_after: `19${60 + draw.below(40)}-01-01` },
					sort: ["member_full_name"],
					page: LAST_PAGE,
				}),
		},
		{
			name: "one status by full name, deep",
			about: "a status sorted by full name, page 500",
			draw: () =>
				list({
					filters: { license_status: source.value("member_license_status") },
					sort: ["member_full_name"],
					page: LAST_PAGE,
				}),
		},
		{
			name: "descending with many nulls",
			about: "all rows by first issue date, descending, any page",
			draw: () =>
				list({ sort: ["member_license_first_issued"], order: "desc", page: 1 + draw.below(LAST_PAGE) }),
		},
		{
			name: "three sort columns, deep",
			about: "all rows by refresh date, office and first name, descending, page 500",
			draw: () =>
				list({
					sort: ["last_refreshed", "office_name", "member_first_name"],
					order: "desc",
					page: LAST_PAGE - draw.below(3),
				}),
		},
		{
			name: "office letter by expiry, deep",
			about: "1 letter of an office name, sorted by expiry, deep",
			draw: () =>
				list({
					filters: { office_name: source.prefix("office_name", 1) },
					sort: ["member_license_expires"],
					page: 1 + draw.below(LAST_PAGE),
				}),
		},
	];
}

function combinedShapes(source: ValueSource): Shape[] {
	return [
		{
			name: "no hits",
			about: "a prefix that no last name has",
			draw: () =>
				list({
					filters: { last_name: `qx${source.prefix("member_last_name", 3)}q`, country: "US" },
					sort: ["office_name"],
				}),
		},
		{
			name: "everything combined",
			about: "states, prefixes, status, type, dates, two sort columns, descending",
			draw: () => {
				const state = source.state();
				const row = source.rowOf(state);
				return list({
					filters: {
						state: [state.state, ...source.states(10).map((s) => s.state)],
						country: state.country === "US" ? "US" : "CA",
						last_name: source.prefix("member_last_name", 1, row),
						license_status: source.value("member_license_status", row),
						member_type: source.value("member_type", row),
						issued_after: "1980-01-01",
						expires_after: ValueSource.shift(source.value("member_license_expires", row), -400),
						expires_before: ValueSource.shift(source.value("member_license_expires", row), 400),
					},
					sort: ["member_license_status", "member_license_expires"],
					order: "desc",
				});
			},
		},
		{
			name: "type and city, desc",
			about: "a city and a type, sorted by status then issue date, descending",
			draw: () => {
				const row = source.row();
				return list({
					filters: {
						city: source.value("member_city", row),
						member_type: source.value("member_type", row),
					},
					sort: ["member_license_status", "member_license_issued"],
					order: "desc",
				});
			},
		},
	];
}

/** What the hunt for the slowest query found (`bench worst`), with parameters drawn anew. */
function huntedShapes(source: ValueSource): Shape[] {
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
					page: 1 + draw.below(2),
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
					page: 50_000,
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

/** What it found where columns hang together: rows that lie far from even along an order. */
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
			about: "1 letter of an office name, sorted by first name and more, the 50,000th row",
			draw: () =>
				list({
					filters: { office_name: source.prefix("office_name", 1) },
					sort: ["member_first_name", "office_name", "member_full_name"],
					order: "desc",
					limit: 1000,
					page: 50,
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
					page: 1 + draw.below(50),
				});
			},
		},
		{
			name: "type by number, deep",
			about: "a type sorted by license number, descending, page 500",
			draw: () =>
				list({
					filters: { member_type: source.value("member_type") },
					sort: ["member_state_license_number"],
					order: "desc",
					page: LAST_PAGE,
				}),
		},
	];
}
