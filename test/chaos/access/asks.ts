/** Random requests of every kind that a key can make, over HTTP and through the tools. */

import { DIMENSION_NAMES } from "../../../engine/index.js";
import { COLUMNS, SORTABLE_COLUMNS } from "../../../formats/index.js";
import { MONTHS } from "../../http/drop-rows.js";
import type { Answered, ServedFixture } from "../../http/served.js";
import type { Draw } from "../../oracle/draw.js";

/** States in canonical order. */
export const STATES = ["ON", "QC", "CA", "NY", "TX"] as const;

const VALUES: Readonly<Record<string, readonly string[]>> = {
	state: [...STATES, "ON,QC", "CA,TX", "FL"],
	country: ["US", "CA"],
	last_name: ["s", "smith", "smithers", "aa", "g", "tremb"],
	office_name: ["smart", "smart house", "ac", "zzz", "hosue smart"],
	name: ["smithers", "Sam", "given3 smith", "smthers 4", "Obrien", "x y"],
	first_name: ["sam", "given1", "gvien2"],
	postal_prefix: ["9000", "1"],
	office_name_is: ["smart homes", "smart house 1", "acme realty"],
	type_not: ["Broker", "Kind 2"],
	city_not: ["Austin", "Austin 1", "Springfield"],
	status_not: ["Registered", "State 1"],
	present: ["member_email", "office_name,member_city", "matched_phone"],
	missing: ["member_license_expires", "member_email", "office_name"],
	status_group: ["active", "other", "deceased"],
	type_group: ["broker", "salesperson", "other"],
	license_number: ["ON-3", "CA-9", "TX-12", "NY-1", "QC-6"],
	license_status: ["Registered", "Licensed", "State 1", "Activ"],
	member_type: ["Broker", "Salesperson", "Kind 2", "broker"],
	city: ["Austin", "Austin 1", "Springfield", "springfield"],
	postal_code: ["90001", "90005", "1"],
	expires_after: ["2026-01-01", "2027-06-01"],
	issued_before: ["2021-01-01", "2024-05-05"],
	first_issued_after: ["2020-03-01", "2022-01-01"],
	count: ["false"],
	order: ["desc"],
	page: ["1", "2", "5"],
	limit: ["1", "7", "100", "1000"],
	format: ["json", "csv", "ndjson"],
	snapshot: [...MONTHS, "2026-08"],
	sort: [...SORTABLE_COLUMNS.map((c) => c.name), "office_name,member_last_name"],
	fields: ["id,state", "member_full_name,office_name", ...COLUMNS.map((c) => c.name)],
};
/** Parameters of the tools that choose the form of an answer. */
const HTTP_ONLY = new Set(["format", "count"]);
/** Parameters of lists of rows that are no filters. */
const FORM = new Set(["count", "order", "page", "limit", "format", "sort", "fields"]);
const FILTER_NAMES = Object.keys(VALUES).filter((name) => !FORM.has(name));

export interface Ask {
	readonly path: string;
	readonly method: "GET" | "HEAD" | "POST";
	readonly body?: string;
}

function drawn(draw: Draw, names: readonly string[], most: number): [name: string, value: string][] {
	return draw.some(names, most).map((name) => [name, draw.pick(VALUES[name])]);
}

function query(draw: Draw, names: readonly string[], most: number): string {
	return drawn(draw, names, most)
		.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
		.join("&");
}

function randomId(draw: Draw): number {
	return (323 - draw.below(3)) * 100_000_000 + 1 + draw.below(420);
}

/** A license to verify: mostly one that exists, perhaps under another spelling, perhaps with a name. */
function license(draw: Draw): string {
	const state = draw.pick(STATES);
	const number = `${state}${draw.pick(["-", "", "-0", " "])}${draw.below(90)}`;
	return [state, number, ...draw.some(["Smith", "Smithers", "obrien"], 1)].join(":");
}

function range<T>(length: number, make: () => T): T[] {
	return Array.from({ length }, make);
}

function randomPath(draw: Draw): string {
	const letter = draw.pick(["sm", "aa", "au", "sp", "ac", "zz", "st"]);
	const state = draw.pick(STATES);
	switch (draw.below(20)) {
		case 0:
			return `/v1/licenses/${randomId(draw)}?${query(draw, ["fields"], 1)}`;
		case 1:
			return `/v1/licenses/history?id=${randomId(draw)}&${query(draw, ["fields"], 1)}`;
		case 2:
			return `/v1/licenses/history?state=${state}&license_number=${state}-${draw.below(90)}`;
		case 3:
			return `/v1/suggest?field=${draw.pick(["city", "office", "last_name"])}&q=${letter}`;
		case 4:
			return `/v1/suggest?field=last_name&q=${letter}&${query(draw, ["state", "snapshot", "limit"], 2)}`;
		case 5:
			return `/v1/states?${query(draw, ["country", "snapshot"], 2)}`;
		case 6:
			return `/v1/stats?${query(draw, ["snapshot"], 1)}`;
		case 7:
			return draw.pick(["/v1/snapshots", "/v1/me", "/v1/usage", "/v1/usage?days=7"]);
		case 8:
		case 9:
			return `/v1/aggregate?by=${draw.some(DIMENSION_NAMES, 2).join() || "state"}&top=${draw.pick([1, 20])}&${query(draw, FILTER_NAMES, 3)}`;
		case 10:
			return `/v1/verify?${range(5, () => `license=${encodeURIComponent(license(draw))}`).join("&")}`;
		case 11:
			return `/v1/offices?${query(draw, ["state", "city", "office_name", "snapshot", "page"], 3)}`;
		case 12:
			return `/v1/offices?name=${draw.pick(["smart", "hosue", "homes smart", "aaa"])}&sort=${draw.pick(["rows", "office_name"])}`;
		case 13:
			return `/v1/suggest?field=${draw.pick(["city", "office", "last_name"])}&q=${draw.pick(["smihters", "asutin", "hosue", "qq"])}`;
		// Filters that often leave no row, so that hints are given.
		case 14:
			return `/v1/licenses?${query(draw, FILTER_NAMES, 1)}`;
		default:
			return `/v1/licenses?${query(draw, Object.keys(VALUES), 5)}`;
	}
}

function randomCall(draw: Draw): { method: string; params: Record<string, unknown> } {
	const state = draw.pick(STATES);
	const tool = (name: string, args: Record<string, unknown>) => ({
		method: "tools/call",
		params: { name, arguments: args },
	});
	switch (draw.below(11)) {
		case 9:
			return tool("aggregate_licenses", {
				by: [draw.pick(DIMENSION_NAMES)],
				...Object.fromEntries(drawn(draw, FILTER_NAMES, 2).map(argument)),
			});
		case 10:
			return tool("verify_licenses", {
				license: range(3, () => ({ state: draw.pick(STATES), license_number: `${state}-${draw.below(90)}` })),
			});
		case 0:
			return tool("get_license", { id: randomId(draw) });
		case 1:
			return tool(
				"license_history",
				draw.oneIn(2) ? { id: randomId(draw) } : { state, license_number: `${state}-${draw.below(90)}` },
			);
		case 2:
			return tool("list_states", Object.fromEntries(drawn(draw, ["country", "snapshot"], 2)));
		case 3:
			return tool("list_snapshots", {});
		case 4:
			return tool("get_stats", Object.fromEntries(drawn(draw, ["snapshot"], 1)));
		case 5:
			return tool("suggest", {
				field: draw.pick(["city", "office", "last_name"]),
				q: draw.pick(["sm", "au", "ac", "st"]),
			});
		case 6:
			return draw.oneIn(2)
				? tool("whoami", {})
				: {
						method: "resources/read",
						params: { uri: `rollcall://vocabulary${draw.oneIn(2) ? "" : `/${state}`}` },
					};
		default: {
			const names = Object.keys(VALUES).filter((name) => !HTTP_ONLY.has(name));
			return tool("search_licenses", Object.fromEntries(drawn(draw, names, 4).map(argument)));
		}
	}
}

/** A parameter as tools take it: lists as lists, numbers as numbers. */
function argument([name, value]: [string, string]): [string, unknown] {
	if (["state", "sort", "fields", "present", "missing"].includes(name)) return [name, value.split(",")];
	return [name, name === "page" || name === "limit" ? Number(value) : value];
}

/** A request of any kind, mostly sensible. */
export function randomAsk(draw: Draw): Ask {
	if (draw.oneIn(4)) {
		const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...randomCall(draw) });
		return { path: "/mcp", method: "POST", body };
	}
	return { path: randomPath(draw), method: draw.oneIn(8) ? "HEAD" : "GET" };
}

/** Sends `ask` with `key`. */
export function answerTo(served: ServedFixture, key: string, { path, method, body }: Ask): Promise<Answered> {
	if (body === undefined) return served.request(path, key, { method });
	const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
	return served.request(path, key, { method, headers, body });
}
