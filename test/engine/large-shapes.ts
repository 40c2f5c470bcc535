/**
 * Shapes of queries for a large month: the shapes that the speed figures report, and more extreme variants,
 * together taking every access path.
 */

import type { Filters } from "../../engine/index.js";
import type { ColumnName } from "../../formats/index.js";

export interface Shape {
	readonly filters?: Filters;
	readonly sort?: readonly ColumnName[];
	/** Pages to ask for, 1-based. Default: the first. */
	readonly pages?: readonly number[];
	readonly limit?: number;
}

/** The shapes that published figures are given for, and their harder variants. */
export const SHAPES: Readonly<Record<string, Shape>> = {
	"first page": {},
	"state by last name": { filters: { state: ["TX"] }, sort: ["member_last_name"], pages: [1, 2, 400] },
	"last-name prefix": { filters: { last_name: "mc" } },
	"state, name and status": { filters: { state: ["TX"], last_name: "b", license_status: "Expired" } },
	"license number": { filters: { license_number: "T1234" } },
	"office prefix by expiry": {
		filters: { office_name: "a" },
		sort: ["member_license_expires"],
		pages: [1, 7],
	},
	city: { filters: { city: "aville10" } },
	"postal code": { filters: { postal_code: "10123" } },
	"expiry window over three states": {
		filters: { state: ["CA", "NY", "ON"], expires_after: "2026-01-01", expires_before: "2026-12-31" },
		sort: ["member_license_expires"],
	},
	"status and type, deep": {
		filters: { license_status: "Active", member_type: "Salesperson" },
		pages: [1, 100, 250],
	},
	"country and issue date by office, last name": {
		filters: { country: "US", issued_after: "2005-01-01" },
		sort: ["office_name", "member_last_name"],
		pages: [1, 300],
	},
	"deep by full name": { sort: ["member_full_name"], pages: [1, 500, 800, 801] },
	"three date bounds": {
		filters: { issued_after: "2001-06-01", expires_before: "2027-06-01", first_issued_after: "2003-01-01" },
		sort: ["member_license_first_issued"],
	},
	"two letters of a last name by another column": {
		filters: { last_name: "as" },
		sort: ["member_license_issued"],
	},
	"many states and a rare status": {
		filters: { state: ["CA", "NY", "FL", "WY", "ON", "QC", "AB"], license_status: "Probation" },
		sort: ["office_name"],
	},
	"weak filter by an unrelated column, deep": {
		filters: { country: "US" },
		sort: ["member_license_issued"],
		pages: [1, 500],
	},
	"a column with many nulls": { sort: ["member_license_expires"], pages: [1, 500, 700, 800] },
	"no hits": { filters: { last_name: "qqqq" }, sort: ["office_name"] },
	"columns with huge groups": {
		sort: ["last_refreshed", "member_license_status", "state", "member_license_expires"],
		pages: [1, 2, 600, 799, 800],
	},
	"huge groups under a filter": {
		filters: { issued_after: "1999-05-05" },
		sort: ["state", "last_refreshed", "member_first_name"],
		pages: [1, 300, 500],
	},
	"one state's whole answer in one page": {
		filters: { state: ["TX"], member_type: "Broker" },
		sort: ["member_license_status"],
		limit: 1000,
		pages: [1, 5, 10],
	},
	"pages as large as the answer": {
		filters: { member_type: "Broker", issued_after: "2001-01-01" },
		sort: ["member_license_status", "member_full_name"],
		limit: 30_000,
		pages: [1, 2],
	},
	"a type by a column of few values, deep": {
		filters: { member_type: "Salesperson" },
		sort: ["member_license_status"],
		pages: [1, 200, 400],
	},
	"a weak filter along dates, deep": {
		filters: { office_name: "a" },
		sort: ["member_license_issued"],
		pages: [2, 10, 30, 50, 80],
	},
	"an uneven filter along dates, deep": {
		filters: { issued_after: "2010-01-01", license_status: "Active" },
		sort: ["member_license_first_issued"],
		pages: [20, 60, 100, 150, 200],
	},
	"a few states by any column": {
		filters: { state: ["CA", "NY", "TX"] },
		sort: ["office_name"],
		pages: [1, 2, 50, 400],
	},
	"a few states by a column with many nulls": {
		filters: { state: ["CA", "TX", "ON"] },
		sort: ["member_license_expires"],
		pages: [1, 300, 600, 700],
	},
	"a few states' last names": {
		filters: { state: ["NY", "TX", "ON"], last_name: "b" },
		sort: ["member_last_name"],
		pages: [1, 3],
	},
	"one state under a filter, by the order of its rows": {
		filters: { state: ["TX"], license_status: "Active" },
		sort: ["member_last_name"],
		pages: [1, 300, 700],
	},
	"one state under a filter, by the order of its rows and more": {
		filters: { state: ["TX"], license_status: "Active" },
		sort: ["member_last_name", "member_license_issued"],
		pages: [1, 300],
	},
	"one state that is one huge group": {
		filters: { state: ["TX"], license_status: "Active" },
		sort: ["state", "office_name"],
		pages: [1, 300],
	},
	"a huge group of nulls": {
		filters: { license_status: "Active" },
		sort: ["member_first_name", "member_license_expires"],
		pages: [1, 60, 200, 700],
	},
	"a quarter of the rows by an unrelated column, deep": {
		filters: { issued_after: "2018-06-01", first_issued_before: "9999-12-31" },
		sort: ["office_name", "member_last_name"],
		pages: [1, 190],
	},
	"a bound before nearly all dates": {
		filters: { issued_before: "2000-02-20", expires_after: "2025-11-01" },
		sort: ["member_full_name"],
	},
	"a bound before all dates": { filters: { issued_before: "1999-12-31" } },
	"a type of one state": { filters: { member_type: "Sales Agent" }, pages: [1, 200] },
	"a type of one state by three columns": {
		filters: { member_type: "Sales Agent", issued_after: "2003-01-01" },
		sort: ["state", "member_license_expires", "member_full_name"],
		pages: [1, 20, 150],
	},
	"a type of three states": { filters: { member_type: "Sales Associate" }, pages: [1, 60, 61] },
	"a type of three states under a filter": {
		filters: { member_type: "Sales Associate", expires_after: "2026-01-01", country: "US" },
		sort: ["state", "office_name"],
		pages: [1, 30],
	},
	"a type of three states by another column": {
		filters: { member_type: "Sales Associate" },
		sort: ["member_state_license_number"],
		pages: [1, 30, 61],
	},
	"a type where it does not lie": { filters: { member_type: "Sales Agent", state: ["NY", "WY"] } },
	"one value by its own column and another": {
		filters: { license_status: "Active", issued_after: "2003-01-01" },
		sort: ["member_license_status", "member_license_expires", "member_full_name"],
		pages: [1, 10, 300],
	},
	"all rows by two columns of dates": {
		sort: ["member_license_first_issued", "member_license_expires"],
		pages: [1, 300, 750, 800],
	},
	"a weak filter along two columns of dates, deep": {
		filters: { office_name: "a" },
		sort: ["member_license_expires", "member_license_first_issued"],
		pages: [2, 10, 30, 50, 80],
	},
	"several statuses and states, deep": {
		filters: {
			state: ["TX", "CA", "NY"],
			license_status: ["Active", "Expired", "Inactive", "Retired", "none"],
		},
		sort: ["member_last_name", "member_license_expires"],
		pages: [1, 300, 700],
	},
	"several rare values": {
		filters: { license_number: Array.from({ length: 100 }, (_, i) => `T${1000 + 7 * i}`) },
		sort: ["office_name"],
	},
	"several prefixes of last names": {
		filters: { last_name: ["a", "mc", "as", "z"] },
		sort: ["member_license_issued"],
		pages: [1, 50],
	},
	"several prefixes of last names in a state": {
		filters: { last_name: ["b", "a", "\u00e9"], state: ["TX"] },
		sort: ["office_name"],
		pages: [1, 20],
	},
	"several office prefixes": {
		filters: { office_name: ["a", "z", "a"] },
		sort: ["office_name"],
		pages: [1, 40],
	},
	"any status but two": {
		filters: { status_not: ["Active", "Expired"] },
		sort: ["member_license_expires"],
		pages: [1, 20],
	},
	"any status but a rare one, deep": {
		filters: { status_not: "Probation" },
		sort: ["member_license_status", "office_name"],
		pages: [1, 400, 790],
	},
	"any type but one of a state": {
		filters: { state: ["TX"], type_not: "Salesperson" },
		sort: ["member_license_issued"],
		pages: [1, 50],
	},
	"any city but some": {
		filters: { city_not: ["aville10", "ville3", "nowhere"] },
		sort: ["member_full_name"],
		pages: [1, 300],
	},
	"rows without a date": {
		filters: { missing: ["member_license_expires"] },
		sort: ["office_name"],
		pages: [1, 9],
	},
	"rows without a date, by it": {
		filters: { missing: ["member_license_expires"] },
		sort: ["member_license_expires"],
	},
	"rows with a date, by it": {
		filters: { present: ["member_license_expires"] },
		sort: ["member_license_expires"],
		pages: [1, 300],
	},
	"rows with contacts and without a city": {
		filters: { present: ["member_email"], missing: ["member_city", "agent_count"] },
		sort: ["member_last_name"],
		pages: [1, 2],
	},
	"rows without an address in a state": {
		filters: { state: ["NY"], missing: ["member_address"] },
		sort: ["member_license_expires"],
		pages: [1, 5],
	},
	"rows with what every row has": { filters: { present: ["id", "state", "snapshot"] }, pages: [1, 700] },
	"rows without what every row has": { filters: { missing: ["id"] } },
	"contradictory filters": { filters: { license_status: "Active", status_not: "Active" } },
	"contradictory presence": { filters: { present: ["member_city"], missing: ["member_city"] } },
	"a status and its group": {
		filters: { license_status: ["Active", "Expired"], status_group: "active" },
		pages: [1, 99],
	},
	"groups of a type, deep": {
		filters: { type_group: ["broker", "appraiser"], postal_prefix: "101" },
		sort: ["office_name"],
		pages: [1, 10],
	},
	"a whole office name in any case": { filters: { office_name_is: "AOFFICE3" }, sort: ["member_last_name"] },
	"a first name by another column": {
		filters: { first_name: "a" },
		sort: ["member_license_issued"],
		pages: [1, 60],
	},
	"everything at once": {
		filters: {
			state: ["TX", "CA"],
			country: "US",
			last_name: "a",
			office_name: "b",
			license_status: "Active",
			member_type: "Salesperson",
			issued_after: "2000-01-01",
			expires_before: "2028-01-01",
			first_issued_before: "2020-01-01",
		},
		sort: ["member_last_name", "member_first_name", "member_license_issued"],
	},
};
