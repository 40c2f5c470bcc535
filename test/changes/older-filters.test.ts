/** Filters on the older row, over months large enough that a selection is a part of a stored bitmap. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { dropName, synthesize } from "../../builder/synth/index.js";
import {
	type ChangeSet,
	DEFAULT_QUERY,
	type Filters,
	openLibrary,
	type Snapshot,
} from "../../engine/index.js";
import { TRACKED_COLUMNS } from "../../formats/index.js";
import { builderFolder } from "../builder/builder-process.js";

const MONTHS = ["2026-10", "2026-11"];
const ROWS = 20_000;
const FIELDS = TRACKED_COLUMNS.map(({ name }) => name);

/** Every row that matches, found by lists. */
function matching(month: Snapshot, filters: Filters): Set<number> {
	const rows = new Set<number>();
	for (let page = 1; ; page++) {
		const list = month.query({ ...DEFAULT_QUERY, filters, page, limit: 1_000 });
		for (const row of list.rows) rows.add(row);
		if (!list.hasNext) return rows;
	}
}

function changedRows({ changes }: ChangeSet): number[] {
	const rows: number[] = [];
	for (let row = 0; row < changes.previousRows.length; row++)
		if ((changes.changedRows[row >>> 5] & (1 << (row & 31))) !== 0) rows.push(row);
	return rows;
}

test("changed licenses are those whose older row a list of the older month has", async (t) => {
	const builder = builderFolder(t);
	await synthesize({ rows: ROWS, months: MONTHS, seed: 11, out: builder.folder });
	for (const month of MONTHS) {
		const { code, stderr } = await builder.run("build", join(builder.folder, dropName(month)));
		assert.equal(code, 0, stderr);
	}
	const library = openLibrary({ dataFolder: builder.data });
	const [to, from] = library.snapshots;
	const set = library.changes(from, to);
	const changed = changedRows(set);
	const states = from.stats(null).license_status[0].states;
	let found = 0;
	for (const state of Object.keys(states)) {
		for (const filters of [
			{ state: [state] },
			{ state: [state], status_group: ["active"] },
			{ state: [state], office_name: ["a", "c"] },
			{ state: [state], type_group: ["salesperson"], last_name: ["m"] },
		] as Filters[]) {
			const older = matching(from, filters);
			const expected = changed.filter((row) => older.has(set.changes.previousRows[row]));
			const page = set.query({
				filters,
				filtersOn: "older",
				geography: null,
				kinds: ["changed"],
				fields: FIELDS,
				after: null,
				limit: ROWS,
			});
			assert.deepEqual(Array.from(page.runs[0]?.rows ?? []), expected, JSON.stringify(filters));
			assert.equal(page.totals.changed, expected.length);
			found += expected.length;
		}
	}
	assert.ok(found > 500, `${found} entries`);
});
