/**
 * What a warm-up asks: requests that clients make often, about rows of the month itself, so that every value has hits.
 * They differ in what they run: access paths of the planner, formats, hints, groups.
 */

import type { Snapshot } from "../../engine/index.js";
import type { ColumnName } from "../../formats/index.js";
import { aggregateOperation } from "../api/endpoints/aggregate.js";
import { licenseOperation } from "../api/endpoints/license.js";
import { licensesOperation } from "../api/endpoints/licenses.js";
import { officesOperation } from "../api/endpoints/offices.js";
import { statsOperation } from "../api/endpoints/stats.js";
import { suggestOperation } from "../api/endpoints/suggest.js";
import type { AnyOperation } from "../api/operation-table.js";

/** Parameters by name; those without a value are left out. */
type Parameters = Readonly<Record<string, string>>;

export interface Question {
	readonly operation: AnyOperation;
	/** A query string; parameters of the path are in it. */
	readonly query: string;
}

/** Multiplied by a question's number it spreads over the rows evenly: 2^32 divided by the golden ratio. */
const SPREAD = 0x9e3779b1;

/** Rows after the one asked about that may stand in for it where it has no value. */
const NEXT_ROWS_MAX = 64;

/** The values of one row, as text. */
class RowValues {
	constructor(
		private readonly snapshot: Snapshot,
		private readonly row: number,
	) {}

	/** The value of a column, or without one that of the next row that has one; "" where none is near. */
	of(column: ColumnName): string {
		const { rows } = this.snapshot;
		for (let n = 0; n <= NEXT_ROWS_MAX; n++) {
			const value = this.snapshot.value((this.row + n) % rows, column);
			if (value !== null) return String(value);
		}
		return "";
	}

	/** The first letters of a value. */
	prefix(column: ColumnName, letters: number): string {
		return [...this.of(column)].slice(0, letters).join("").trim();
	}
}

/** Asks about the row given, or about it and another one. */
type Shape = readonly [AnyOperation, (row: RowValues, other: RowValues) => Parameters];

const LICENSES = licensesOperation as AnyOperation;
const SUGGEST = suggestOperation as AnyOperation;
const AGGREGATE = aggregateOperation as AnyOperation;

const SHAPES: readonly Shape[] = [
	[LICENSES, () => ({})],
	[licenseOperation as AnyOperation, (row) => ({ id: row.of("id") })],
	[LICENSES, (row) => ({ state: row.of("state"), license_number: row.of("member_state_license_number") })],
	[LICENSES, (row) => ({ license_number: row.of("member_state_license_number"), fields: FEW_FIELDS })],
	[LICENSES, (row) => ({ state: row.of("state"), sort: "member_last_name", order: "desc" })],
	[LICENSES, (row) => ({ state: row.of("state"), last_name: row.prefix("member_last_name", 4) })],
	// The other row's state: often a state without such names, which is answered with hints.
	[LICENSES, (row, other) => ({ state: other.of("state"), last_name: row.prefix("member_last_name", 5) })],
	[LICENSES, (row) => ({ last_name: row.prefix("member_last_name", 3), sort: "member_license_issued" })],
	[LICENSES, (row) => ({ name: row.of("member_full_name") })],
	[LICENSES, (row) => ({ city: row.of("member_city") })],
	[LICENSES, (row) => ({ city: row.of("member_city"), fields: FEW_FIELDS, limit: "25" })],
	[LICENSES, (row) => ({ city: row.of("member_city"), format: "csv" })],
	[
		LICENSES,
		(row) => ({
			city: row.of("member_city"),
			license_status: row.of("member_license_status"),
			expires_after: row.of("member_license_expires"),
			sort: "member_license_expires",
		}),
	],
	[LICENSES, (row) => ({ postal_code: row.of("member_postal_code"), sort: "member_last_name" })],
	[LICENSES, (row) => ({ postal_code: row.of("member_postal_code"), sort: "office_name", order: "desc" })],
	[
		LICENSES,
		(row) => ({ postal_prefix: row.prefix("member_postal_code", 3), sort: "member_license_expires" }),
	],
	[LICENSES, (row) => ({ office_name: row.prefix("office_name", 6), sort: "member_license_expires" })],
	[
		LICENSES,
		(row) => ({
			office_name: row.prefix("office_name", 6),
			license_status: row.of("member_license_status"),
			member_type: row.of("member_type"),
		}),
	],
	[
		LICENSES,
		(row, other) => ({
			license_status: row.of("member_license_status"),
			member_type: other.of("member_type"),
			page: "9",
		}),
	],
	[
		LICENSES,
		(row, other) => {
			const states = [...new Set([row.of("state"), other.of("state")])].join(",");
			const [after, before] = [row.of("member_license_expires"), other.of("member_license_expires")].sort();
			return { state: states, expires_after: after, expires_before: before };
		},
	],
	[
		LICENSES,
		(row) => ({
			country: row.of("country"),
			issued_after: row.of("member_license_issued"),
			sort: "office_name,member_last_name",
		}),
	],
	[
		LICENSES,
		(row) => ({
			state: row.of("state"),
			status_group: row.of("license_status_group"),
			sort: "member_license_expires",
			order: "desc",
			page: "3",
		}),
	],
	[LICENSES, (row) => ({ state: row.of("state"), count: "false", page: "5", format: "ndjson" })],
	[SUGGEST, (row) => ({ field: "city", q: row.prefix("member_city", 3) })],
	[SUGGEST, (row) => ({ field: "office", q: row.prefix("office_name", 3), state: row.of("state") })],
	[AGGREGATE, (row) => ({ by: "license_status", city: row.of("member_city") })],
	[AGGREGATE, (row) => ({ by: "member_city", state: row.of("state"), member_type: row.of("member_type") })],
	[statsOperation as AnyOperation, (row) => ({ state: row.of("state") })],
];

const OF_ONE_MONTH: ReadonlySet<object> = new Set<object>([
	officesOperation,
	...SHAPES.map(([operation]) => operation),
]);

/** Whether an operation asks about rows of one month. */
export function isOfOneMonth(operation: object): boolean {
	return OF_ONE_MONTH.has(operation);
}

const FEW_FIELDS = "id,state,member_full_name,member_license_status";

/** Questions that are asked before one of the same kind comes again. */
export const QUESTION_KINDS = SHAPES.length;

/** The question of a number from 0 on; the same for the same month. Cost: some values of two rows. */
export function questionOf(snapshot: Snapshot, number: number): Question {
	const [operation, parametersOf] = SHAPES[number % SHAPES.length];
	const rowOf = (n: number) => new RowValues(snapshot, (Math.imul(n, SPREAD) >>> 0) % snapshot.rows);
	const parameters = parametersOf(rowOf(2 * number), rowOf(2 * number + 1));
	const given = Object.entries(parameters).filter(([, value]) => value !== "");
	return { operation, query: given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&") };
}
