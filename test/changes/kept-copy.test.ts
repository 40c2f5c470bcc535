/**
 * A client's copy of a filtered list, kept in step by changes as docs/CLIENTS.md, "A copy kept in step", describes it, over
 * months in which states list numbers more than once and rows lack them: it is what a copy of the newest month would be.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SNAPSHOTS_FOLDER } from "../../formats/index.js";
import type { DropRow } from "../http/drop-rows.js";
import { publish, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";

const MONTHS = ["2026-08", "2026-09", "2026-11"] as const;

type Row = Readonly<Record<string, string | number | null>>;

interface Page<Entry> {
	readonly data: readonly Entry[];
	readonly pagination: { readonly next_cursor: string | null };
}

interface Change {
	readonly state: string;
	readonly license_number: string;
	readonly row: Row | null;
}

/** Rows of 40 numbers, some of them repeated and some without one. */
function drop(draw: Draw): DropRow[] {
	return Array.from({ length: 150 }, () => ({
		state: draw.pick(["CA", "TX"]),
		member_state_license_number: draw.oneIn(12) ? "" : `N${draw.below(40)}`,
		member_license_status: draw.pick(["Active", "Expired"]),
		member_city: draw.pick(["Austin", "Fresno"]),
		member_full_name: draw.pick(["Ann Roe", "Bob Smith"]),
	}));
}

describe("a copy kept in step by changes", () => {
	let served: ServedFixture;
	let key: string;
	before(async () => {
		const data = mkdtempSync(join(tmpdir(), "rollcall-copy-"));
		mkdirSync(join(data, SNAPSHOTS_FOLDER));
		const draw = new Draw(SEED);
		for (const month of MONTHS) await publish(data, month, drop(draw));
		served = await ServedFixture.start(ANY_TRANSPORT, { data });
		key = await served.key({ scope: { bulk: true, history: { mode: "all" } } });
	});
	after(() => served?.close());

	async function walk<Entry>(path: string): Promise<Entry[]> {
		const found: Entry[] = [];
		for (let cursor: string | null = "*"; cursor !== null; ) {
			const { status, text } = await served.request(`${path}&limit=20&cursor=${cursor}`, key);
			assert.equal(status, 200, text);
			const page: Page<Entry> = JSON.parse(text);
			found.push(...page.data);
			cursor = page.pagination.next_cursor;
		}
		return found;
	}

	const nameOf = (row: Row) => `${row.state} ${row.member_state_license_number}`;

	/** Step 1. `state` is the part of `filters` that chooses states. */
	async function copied(filters: string, state: string, month: string): Promise<Map<string, Row>> {
		const first = new Map<string, unknown>();
		const fields = "fields=id,state,member_state_license_number";
		for (const row of await walk<Row>(`/v1/licenses?${state}&snapshot=${month}&${fields}`)) {
			if (row.member_state_license_number !== null && !first.has(nameOf(row))) first.set(nameOf(row), row.id);
		}
		const rows = await walk<Row>(`/v1/licenses?${filters}&snapshot=${month}`);
		return new Map(rows.filter((row) => first.get(nameOf(row)) === row.id).map((row) => [nameOf(row), row]));
	}

	for (const [filters, state] of [
		["state=CA,TX&status_group=active", "state=CA,TX"],
		["state=TX&city=Austin&name=smith", "state=TX"],
		["country=US", "country=US"],
	] as const) {
		test(`by ${filters}`, async (t) => {
			tellSeed(t, MONTHS.length);
			const copy = await copied(filters, state, MONTHS[0]);
			for (const [i, to] of MONTHS.slice(1).entries()) {
				const path = `/v1/changes?${filters}&from=${MONTHS[i]}&to=${to}`;
				for (const gone of await walk<Change>(`${path}&filters_on=older&kind=gone,changed`))
					copy.delete(`${gone.state} ${gone.license_number}`);
				for (const { row } of await walk<Change>(`${path}&filters_on=newer&kind=new,changed`))
					copy.set(nameOf(row as Row), row as Row);
				const anew = await copied(filters, state, to);
				assert.ok(anew.size > 0);
				assert.deepEqual([...copy.keys()].sort(), [...anew.keys()].sort(), `${filters} in ${to}`);
				for (const [name, row] of anew) {
					const { member_license_status, member_city, member_full_name } = copy.get(name) as Row;
					assert.deepEqual(
						[member_license_status, member_city, member_full_name],
						[row.member_license_status, row.member_city, row.member_full_name],
					);
				}
			}
		});
	}
});
