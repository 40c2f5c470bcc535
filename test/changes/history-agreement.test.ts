/** The history of a license and the changes between months never disagree, over random months (docs/API.md §11.5). */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { SNAPSHOTS_FOLDER } from "../../formats/index.js";

import type { DropRow } from "../http/drop-rows.js";
import { publish, ServedFixture } from "../http/served.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { makeRows } from "../oracle/naive-rows.js";
import { randomMonth } from "../oracle/random-month.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { relatedDrops } from "./related-months.js";

const MONTHS = ["2026-08", "2026-09", "2026-10"];

/** One field of one license, from one month to the next. */
interface FieldChange {
	readonly from_snapshot: string;
	readonly to_snapshot: string;
	readonly field: string;
	readonly from: unknown;
	readonly to: unknown;
}

interface Entry {
	readonly state: string;
	readonly license_number: string;
	readonly changes: { readonly field: string; readonly from: unknown; readonly to: unknown }[];
}

async function answer<T>(served: ServedFixture, path: string, key: string): Promise<T> {
	const { status, text } = await served.request(path, key);
	assert.equal(status, 200, `${path}: ${text}`);
	return JSON.parse(text).data as T;
}

/** The changes that /v1/changes reports between adjacent months, by license. */
async function listedChanges(served: ServedFixture, key: string): Promise<Map<string, FieldChange[]>> {
	const listed = new Map<string, FieldChange[]>();
	for (let i = MONTHS.length - 1; i > 0; i--) {
		const [from_snapshot, to_snapshot] = [MONTHS[i - 1], MONTHS[i]];
		const path = `/v1/changes?from=${from_snapshot}&to=${to_snapshot}&kind=changed&limit=1000`;
		for (const { state, license_number, changes } of await answer<Entry[]>(served, path, key)) {
			const name = JSON.stringify([state, license_number]);
			const known = listed.get(name) ?? [];
			listed.set(name, [...known, ...changes.map((change) => ({ from_snapshot, to_snapshot, ...change }))]);
		}
	}
	return listed;
}

test("history reports for every license the changes that the list of changes reports, and no others", async (t) => {
	const property = fc.asyncProperty(randomMonth(25), randomMonth(20), fc.nat(), async (one, other, seed) => {
		const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-agreement-"));
		mkdirSync(join(folder, SNAPSHOTS_FOLDER));
		/** Licenses by the id of one of their rows, since some numbers have characters that no query may have. */
		const licenses = new Map<string, unknown>();
		for (const [i, drop] of relatedDrops(one, other, MONTHS.length, new Draw(seed)).entries()) {
			await publish(folder, MONTHS[i], drop as DropRow[]);
			for (const { id, state, member_state_license_number: number } of makeRows(drop, MONTHS[i]))
				if (number !== null) licenses.set(JSON.stringify([state, number]), id);
		}
		const served = await ServedFixture.start("node", { data: folder });
		try {
			const key = await served.key();
			const listed = await listedChanges(served, key);
			for (const [license, id] of licenses) {
				const path = `/v1/licenses/history?id=${id}`;
				const { changes } = await answer<{ changes: FieldChange[] }>(served, path, key);
				assert.deepEqual(changes, listed.get(license) ?? [], license);
				listed.delete(license);
			}
			assert.deepEqual([...listed.keys()], []);
		} finally {
			await served.close();
			rmSync(folder, { recursive: true, force: true });
		}
	});
	await checkAsyncProperty(t, 6, property);
});

test("to a key of one state, a license that moved to another is gone, without saying where to", async () => {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-moved-"));
	mkdirSync(join(folder, SNAPSHOTS_FOLDER));
	const license = { member_state_license_number: "77-1", member_full_name: "Ann Mover" };
	const stays = { state: "TX", member_state_license_number: "1", member_full_name: "Bo Stays" };
	await publish(folder, MONTHS[0], [{ ...license, state: "TX", member_city: "Austin" }, stays]);
	await publish(folder, MONTHS[1], [{ ...license, state: "CA", member_city: "Fresno" }, stays]);
	const served = await ServedFixture.start("node", { data: folder });
	try {
		const of = async (state: string) => {
			const key = await served.key({ scope: { geography: { countries: [], states: [state] } } });
			return served.request("/v1/changes", key);
		};
		const texas = await of("TX");
		const [entry, ...others] = JSON.parse(texas.text).data;
		assert.deepEqual(
			[others, entry.kind, entry.state, entry.row, entry.changes],
			[[], "gone", "TX", null, []],
		);
		assert.equal(entry.previous.member_city, "Austin");
		assert.doesNotMatch(texas.text, /Fresno|"CA"/);
		assert.deepEqual(JSON.parse(texas.text).meta.totals, { new: 0, gone: 1, changed: 0 });
		const california = await of("CA");
		assert.deepEqual(JSON.parse(california.text).meta.totals, { new: 1, gone: 0, changed: 0 });
		assert.doesNotMatch(california.text, /Austin|"TX"/);
	} finally {
		await served.close();
		rmSync(folder, { recursive: true, force: true });
	}
});
