/**
 * The requests of the HTTP benchmark: single shapes, and a weighted mix of twenty, as paths drawn from
 * the values of the month under test. The same seed draws the same paths.
 */

import type { Snapshot } from "../../engine/index.js";
import { type ColumnName, columnNamed } from "../../formats/index.js";

/** Source of the values that a shape asks for. */
export class Values {
	private state: number;

	constructor(
		private readonly snapshot: Snapshot,
		seed: number,
	) {
		this.state = seed >>> 0;
	}

	/** A number in [0, below) (mulberry32). */
	number(below: number): number {
		this.state = (this.state + 0x6d2b79f5) >>> 0;
		let mixed = this.state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	}

	pick<T>(items: readonly T[]): T {
		return items[this.number(items.length)];
	}

	row(): number {
		return this.number(this.snapshot.rows);
	}

	/** Values of one row, percent-encoded; rows with a null among them are skipped. */
	of<Name extends ColumnName>(...columns: Name[]): Record<Name, string> {
		for (let tries = 0; tries < 10_000; tries++) {
			const row = this.row();
			const values = columns.map((column) => this.snapshot.value(row, column));
			if (values.every((value) => value !== null)) {
				return Object.fromEntries(columns.map((column, i) => [column, encoded(String(values[i]))])) as Record<
					Name,
					string
				>;
			}
		}
		throw new RangeError(`no row of ${this.snapshot.month} has all of ${columns.join(", ")}`);
	}

	/** The first `length` letters of a row's value, percent-encoded. */
	prefix(column: ColumnName, length: number): string {
		for (;;) {
			const value = decodeURIComponent(this.of(columnNamed(column).name)[column]);
			const letters = [...value].slice(0, length).join("").trim();
			if ([...letters].length === length) return encoded(letters);
		}
	}
}

/** Percent-encoded so that no client encodes it further. */
function encoded(value: string): string {
	return encodeURIComponent(value).replaceAll("'", "%27");
}

export interface Shape {
	readonly name: string;
	/** Weight: requests of this shape among the sum of all weights. */
	readonly weight: number;
	path(values: Values): string;
}

const LICENSES = "/v1/licenses";

export const DEFAULT_PAGE: Shape = { name: "default page", weight: 10, path: () => LICENSES };

export const ONE_BY_ID: Shape = {
	name: "one row by id",
	weight: 16,
	path: (values) => `${LICENSES}/${values.of("id").id}`,
};

export const ONE_BY_LICENSE_NUMBER: Shape = {
	name: "one row by license number",
	weight: 12,
	path(values) {
		const row = values.of("state", "member_state_license_number");
		return `${LICENSES}?state=${row.state}&license_number=${row.member_state_license_number}`;
	},
};

/** The same as a tool call: a path and the message to post there. */
export const ONE_BY_TOOL: Shape = {
	name: "one row by a tool",
	weight: 0,
	path: (values) => toolCall("get_license", { id: Number(values.of("id").id) }),
};

export const SEARCH_BY_TOOL: Shape = {
	name: "search by a tool",
	weight: 0,
	path(values) {
		const row = values.of("state", "member_last_name");
		const last_name = decodeURIComponent(row.member_last_name);
		return toolCall("search_licenses", { state: [row.state], last_name });
	},
};

export const STATS_BY_TOOL: Shape = {
	name: "statistics by a tool",
	weight: 0,
	path: (values) => toolCall("get_stats", { state: values.of("state").state }),
};

function toolCall(name: string, given: Readonly<Record<string, unknown>>): string {
	const params = { name, arguments: given };
	return `/mcp\t${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}`;
}

/** Twenty shapes that clients of license data ask, the cheap and frequent first. */
export const MIXED_SHAPES: readonly Shape[] = [
	DEFAULT_PAGE,
	ONE_BY_ID,
	ONE_BY_LICENSE_NUMBER,
	{
		name: "license number, four fields",
		weight: 6,
		path: (values) =>
			`${LICENSES}?license_number=${values.of("member_state_license_number").member_state_license_number}` +
			"&fields=id,state,member_full_name,member_license_status",
	},
	{
		name: "state sorted by last name",
		weight: 6,
		path: (values) => `${LICENSES}?state=${values.of("state").state}&sort=member_last_name`,
	},
	{
		name: "last-name prefix",
		weight: 6,
		path: (values) => `${LICENSES}?last_name=${values.prefix("member_last_name", 3)}`,
	},
	{
		name: "state, name and status",
		weight: 5,
		path(values) {
			const row = values.of("state", "member_license_status");
			return (
				`${LICENSES}?state=${row.state}&last_name=${values.prefix("member_last_name", 3)}` +
				`&license_status=${row.member_license_status}`
			);
		},
	},
	{
		name: "city",
		weight: 5,
		path: (values) => `${LICENSES}?city=${values.of("member_city").member_city}`,
	},
	{
		name: "postal code",
		weight: 5,
		path: (values) => `${LICENSES}?postal_code=${values.of("member_postal_code").member_postal_code}`,
	},
	{
		name: "office prefix sorted by expiry",
		weight: 3,
		path: (values) =>
			`${LICENSES}?office_name=${values.prefix("office_name", 5)}&sort=member_license_expires`,
	},
	{
		name: "expiry window over three states",
		weight: 3,
		path(values) {
			const states = [0, 1, 2].map(() => values.of("state").state).join(",");
			const month = String(1 + values.number(12)).padStart(2, "0");
			return `${LICENSES}?state=${states}&expires_after=2027-${month}-01&expires_before=2027-${month}-28`;
		},
	},
	{
		name: "status and type, deep page",
		weight: 2,
		path(values) {
			const row = values.of("member_license_status", "member_type");
			return (
				`${LICENSES}?license_status=${row.member_license_status}&member_type=${row.member_type}` +
				`&page=${1 + values.number(100)}`
			);
		},
	},
	{
		name: "country and issued, sorted by office and last name",
		weight: 1,
		path: (values) =>
			`${LICENSES}?country=US&issued_after=${2010 + values.number(12)}-01-01&sort=office_name,member_last_name`,
	},
	{
		name: "five fields, 25 rows",
		weight: 5,
		path: (values) =>
			`${LICENSES}?state=${values.of("state").state}&limit=25` +
			"&fields=id,member_full_name,office_name,member_license_status,member_license_expires",
	},
	{
		name: "fifth page without count",
		weight: 3,
		path: (values) => `${LICENSES}?state=${values.of("state").state}&count=false&page=5`,
	},
	{
		name: "CSV of a city",
		weight: 3,
		path: (values) => `${LICENSES}?city=${values.of("member_city").member_city}&format=csv`,
	},
	{
		name: "NDJSON of a state",
		weight: 2,
		path: (values) => `${LICENSES}?state=${values.of("state").state}&format=ndjson`,
	},
	{
		name: "suggest a city",
		weight: 4,
		path: (values) => `/v1/suggest?field=city&q=${values.prefix("member_city", 2)}`,
	},
	{ name: "states", weight: 2, path: () => "/v1/states" },
	{ name: "stats", weight: 1, path: () => "/v1/stats" },
];

/**
 * Pages of rows whose questions are so many that each can be asked once. What else clients ask is answered in
 * the same way, but has few questions (a state by last name) or is measured by itself (one row by number).
 */
export const PAGE_SHAPES: readonly Shape[] = [
	{
		name: "state and last-name prefix",
		weight: 3,
		path: (values) =>
			`${LICENSES}?state=${values.of("state").state}&last_name=${values.prefix("member_last_name", 4)}`,
	},
	{
		name: "city and status by expiry",
		weight: 2,
		path(values) {
			const row = values.of("member_city", "member_license_status");
			return (
				`${LICENSES}?city=${row.member_city}&license_status=${row.member_license_status}` +
				`&expires_after=${dayOf(values, 2026)}&sort=member_license_expires`
			);
		},
	},
	{
		name: "postal code by name or office",
		weight: 2,
		path(values) {
			const sort = values.pick(["member_last_name", "office_name", "member_license_expires", "id"]);
			const row = values.of("member_postal_code");
			return `${LICENSES}?postal_code=${row.member_postal_code}&sort=${sort}&order=${values.pick(["asc", "desc"])}`;
		},
	},
	{
		name: "expiry window over three states",
		weight: 1,
		path(values) {
			const states = [0, 1, 2].map(() => values.of("state").state).join(",");
			return `${LICENSES}?state=${states}&expires_after=${dayOf(values, 2026)}&expires_before=${dayOf(values, 2028)}`;
		},
	},
	{
		name: "office prefix with status and type",
		weight: 2,
		path(values) {
			const row = values.of("member_license_status", "member_type");
			return (
				`${LICENSES}?office_name=${values.prefix("office_name", 6)}` +
				`&license_status=${row.member_license_status}&member_type=${row.member_type}`
			);
		},
	},
];

/** Pages of states in the order of rows, which are beside one another: what such a page takes where nothing is selected or ordered. */
export function pagesOfStates(states: readonly string[]): Shape {
	return {
		name: "page of a state",
		weight: 1,
		path: (values) =>
			`${LICENSES}?state=${values.pick(states)}&limit=${50 + values.number(20)}&page=${1 + values.number(600)}`,
	};
}

/** A day of `year`, as filters take it. */
function dayOf(values: Values, year: number): string {
	return new Date(Date.UTC(year, 0, 1 + values.number(365))).toISOString().slice(0, 10);
}

/** Successive draws without a new path after which a month is taken to have no more. */
const FRUITLESS_DRAWS_MAX = 1_000;

/** Draws paths by weight, none of them twice. */
export class DistinctPaths {
	private readonly drawn = new Set<string>();
	private readonly lots: readonly Shape[];

	constructor(
		shapes: readonly Shape[],
		private readonly values: Values,
	) {
		this.lots = lotsOf(shapes);
	}

	/** Up to `count` paths; fewer where the month has no more. */
	next(count: number): string[] {
		const paths: string[] = [];
		let fruitless = 0;
		while (paths.length < count && fruitless < FRUITLESS_DRAWS_MAX) {
			const path = this.values.pick(this.lots).path(this.values);
			fruitless++;
			if (this.drawn.has(path)) continue;
			this.drawn.add(path);
			paths.push(path);
			fruitless = 0;
		}
		return paths;
	}
}

function lotsOf(shapes: readonly Shape[]): Shape[] {
	return shapes.flatMap((shape) => Array.from({ length: shape.weight }, () => shape));
}

/** `count` paths of one shape. */
export function pathsOf(shape: Shape, values: Values, count: number): string[] {
	return Array.from({ length: count }, () => shape.path(values));
}

/** `count` paths drawn from the mix by weight. */
export function mixedPaths(values: Values, count: number): string[] {
	const lots = lotsOf(MIXED_SHAPES);
	return Array.from({ length: count }, () => values.pick(lots).path(values));
}
