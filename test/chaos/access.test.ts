/**
 * No oracle across a grant: two data sets that differ only outside what a key may read give it the
 * same bytes, over random requests of every kind. What may differ is the request's id, the date, and
 * the ETag, which stands for the bytes of the whole snapshot and tells only that it is another one.
 *
 * Row ids count the rows that lie before them (DESIGN: canonical order), so rows of states before the
 * grant keep their number here and change in everything else; those behind it change in number too.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Geography } from "../../engine/index.js";
import { COLUMNS, SNAPSHOTS_FOLDER, SORTABLE_COLUMNS } from "../../formats/index.js";
import { type DropRow, MONTHS, monthRows } from "../http/drop-rows.js";
import { type Answered, publish, ServedFixture } from "../http/served.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

/** States in canonical order. */
const STATES = ["ON", "QC", "CA", "NY", "TX"] as const;
const COUNTRY_OF = { ON: "CA", QC: "CA", CA: "US", NY: "US", TX: "US" } as const;
const FREE_TO_DIFFER = new Set(["date", "etag", "x-request-id"]);

const GRANTS: readonly Geography[] = [
	{ countries: [], states: ["ON"] },
	{ countries: ["CA"], states: [] },
	{ countries: [], states: ["NY", "QC"] },
	{ countries: ["CA"], states: ["CA"] },
];

function isGranted(grant: Geography, state: (typeof STATES)[number]): boolean {
	return grant.states.includes(state) || grant.countries.includes(COUNTRY_OF[state]);
}

/** The same rows within `grant`; outside, other people, and behind the last granted state, more of them. */
function otherwiseOutside(rows: readonly DropRow[], grant: Geography): DropRow[] {
	const lastGranted = STATES.findLastIndex((state) => isGranted(grant, state));
	return rows.flatMap((row, i) => {
		const state = row.state as (typeof STATES)[number];
		if (isGranted(grant, state)) return [row];
		const other = {
			...row,
			member_full_name: `Sam Smithers ${i}`,
			member_first_name: "Sam",
			member_last_name: i % 2 === 0 ? "Smithers" : "Aaron",
			member_type: `Kind ${i % 5}`,
			member_city: `Austin ${i % 3}`,
			office_name: `Smart House ${i % 4}`,
			member_state_license_number: `${state}-${i * 3}`,
			member_license_status: `State ${i % 4}`,
			member_license_expires: "",
			member_email: "",
			last_refreshed: "2026-11-09",
		};
		return STATES.indexOf(state) > lastGranted && i % 2 === 0
			? [other, { ...other, member_postal_code: "1" }]
			: [other];
	});
}

async function folderOf(rowsOf: (month: (typeof MONTHS)[number]) => DropRow[]): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-chaos-"));
	mkdirSync(join(folder, SNAPSHOTS_FOLDER));
	for (const month of MONTHS) await publish(folder, month, rowsOf(month));
	return folder;
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
	state: [...STATES, "ON,QC", "CA,TX", "FL"],
	country: ["US", "CA"],
	last_name: ["s", "smith", "smithers", "aa", "g", "tremb"],
	office_name: ["smart", "smart house", "ac", "zzz"],
	license_number: ["ON-3", "CA-9", "TX-12", "NY-1", "QC-6"],
	license_status: ["Registered", "Licensed", "State 1", "Activ"],
	member_type: ["Broker", "Salesperson", "Kind 2", "broker"],
	city: ["Austin", "Austin 1", "Springfield", "springfield"],
	postal_code: ["90001", "90005", "1"],
	expires_after: ["2026-01-01", "2027-06-01"],
	issued_before: ["2021-01-01", "2024-05-05"],
	count: ["false"],
	order: ["desc"],
	page: ["1", "2", "5"],
	limit: ["1", "7", "100", "1000"],
	format: ["json", "csv", "ndjson"],
	snapshot: [...MONTHS, "2026-08"],
	sort: [...SORTABLE_COLUMNS.map((c) => c.name), "office_name,member_last_name"],
	fields: ["id,state", "member_full_name,office_name", ...COLUMNS.map((c) => c.name)],
};

function query(draw: Draw, names: readonly string[], most: number): string {
	return draw
		.some(names, most)
		.map((name) => `${name}=${encodeURIComponent(draw.pick(VALUES[name]))}`)
		.join("&");
}

interface Ask {
	readonly path: string;
	readonly body?: string;
}

/** A request of any kind, mostly sensible. */
function randomAsk(draw: Draw): Ask {
	const id = (323 - draw.below(3)) * 100_000_000 + 1 + draw.below(420);
	const letter = draw.pick(["sm", "aa", "au", "sp", "ac", "zz", "st"]);
	const state = draw.pick(STATES);
	switch (draw.below(12)) {
		case 0:
			return { path: `/v1/licenses/${id}` };
		case 1:
			return { path: `/v1/licenses/history?id=${id}` };
		case 2:
			return { path: `/v1/licenses/history?state=${state}&license_number=${state}-${draw.below(90)}` };
		case 3:
			return { path: `/v1/suggest?field=${draw.pick(["city", "office", "last_name"])}&q=${letter}` };
		case 4:
			return {
				path: `/v1/suggest?field=last_name&q=${letter}&${query(draw, ["state", "snapshot", "limit"], 2)}`,
			};
		case 5:
			return { path: `/v1/states?${query(draw, ["country", "snapshot"], 2)}` };
		case 6:
			return { path: `/v1/stats?${query(draw, ["snapshot"], 1)}` };
		case 7:
			return { path: "/v1/snapshots" };
		case 8: {
			const args = Object.fromEntries(
				new URLSearchParams(query(draw, ["last_name", "license_status", "state", "city"], 2)),
			);
			const params = { name: "search_licenses", arguments: args };
			return { path: "/mcp", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }) };
		}
		default:
			return { path: `/v1/licenses?${query(draw, Object.keys(VALUES), 5)}` };
	}
}

async function answerTo(served: ServedFixture, key: string, { path, body }: Ask): Promise<Answered> {
	if (body === undefined) return served.request(path, key);
	const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
	return served.request(path, key, { method: "POST", headers, body });
}

/** All of an answer that a client sees and that has to be the same. */
function visible({ status, headers, text }: Answered, requestId: string): string {
	const kept = [...headers].filter(([name]) => !FREE_TO_DIFFER.has(name));
	return JSON.stringify([status, kept, requestId === "" ? text : text.replaceAll(requestId, "")]);
}

for (const grant of GRANTS) {
	test(`nothing outside [${[...grant.countries, ...grant.states]}] shows`, async (t) => {
		const settings = {
			rate_limits: { per_minute: 10_000_000, per_day: 10_000_000 },
			scope: { geography: grant },
		};
		const sides: [ServedFixture, string][] = [];
		for (const rowsOf of [
			monthRows,
			(month: (typeof MONTHS)[number]) => otherwiseOutside(monthRows(month), grant),
		]) {
			const served = await ServedFixture.start("uws", { data: await folderOf(rowsOf) });
			t.after(() => served.close());
			sides.push([served, await served.key(settings)]);
		}
		const tries = Math.ceil(fuzzRuns(2_000) / GRANTS.length);
		tellSeed(t, tries);
		const statuses = new Map<number, number>();
		// One after the other, since limits are told in headers and count what came before.
		for (let i = 0; i < tries; i++) {
			const ask = randomAsk(new Draw(SEED, i));
			const [a, b] = await Promise.all(sides.map(([served, key]) => answerTo(served, key, ask)));
			statuses.set(a.status, (statuses.get(a.status) ?? 0) + 1);
			const [left, right] = [a, b].map((x) => visible(x, x.headers.get("x-request-id") ?? ""));
			assert.equal(right, left, `${ask.path} ${ask.body ?? ""}`);
		}
		t.diagnostic(`tried ${tries}, lost 0; by status ${JSON.stringify([...statuses])}`);
	});
}

test("the comparison sees a row that differs inside the grant", async (t) => {
	const grant: Geography = { countries: [], states: ["ON"] };
	const answers: string[] = [];
	for (const seen of ["ON", "QC"]) {
		const rowsOf = (month: (typeof MONTHS)[number]) =>
			monthRows(month).map((row) => (row.state === seen ? { ...row, member_city: "Elsewhere" } : row));
		const served = await ServedFixture.start("uws", { data: await folderOf(rowsOf) });
		t.after(() => served.close());
		const key = await served.key({ scope: { geography: grant } });
		answers.push(visible(await served.request("/v1/licenses", key), ""));
	}
	assert.notEqual(answers[0], answers[1]);
});
