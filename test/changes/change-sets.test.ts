/** Sets of changes of open months: which are found, composed, compared or missing, and how many are kept. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dropName, synthesize } from "../../builder/synth/index.js";
import type { ChangeSet } from "../../engine/changes/change-set.js";
import { ChangeSets, COMPARED_ROWS_MAX } from "../../engine/changes/change-sets.js";
import { compareInSlices } from "../../engine/changes/compare-months.js";
import { openLibrary, type Snapshot } from "../../engine/index.js";
import { finishWork } from "../../engine/sliced-work.js";
import { mappingMode } from "../../formats/files/mmap.js";
import { monthNumber, monthOfNumber } from "../../formats/index.js";
import { builderFolder } from "../builder/builder-process.js";
import { monthRows } from "../http/drop-rows.js";
import { fixtureFolder, publish } from "../http/served.js";

const EXTRA = ["2026-12", "2027-01"];

test("of sets that were not stored the three used last are kept, and released with their months", async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	for (const [i, month] of EXTRA.entries())
		await publish(folder, month, monthRows("2026-11").slice(i * 5, 60));
	const months = [...openLibrary({ dataFolder: folder }).snapshots].reverse();
	const sets = new ChangeSets(folder, mappingMode());
	const find = (from: number, to: number): ChangeSet | null => {
		const found = sets.find(months[from], months[to], months.slice(from, to + 1));
		return "work" in found ? null : found;
	};
	const make = (from: number, to: number): ChangeSet => {
		const found = sets.find(months[from], months[to], months.slice(from, to + 1));
		if (!("work" in found)) return found;
		assert.equal(found.takesMemory, true);
		for (;;) {
			const { done, value } = found.work.next();
			if (done) return value as ChangeSet;
		}
	};
	for (const to of [1, 2, 3]) make(0, to);
	const first = find(0, 1);
	assert.ok(first !== null && find(0, 2) !== null && find(0, 3) !== null, "three are kept");
	assert.equal(make(0, 1), first, "the one that was used last");
	make(0, 4);
	assert.equal(find(0, 2), null, "the one that was used longest ago is dropped");
	assert.equal(find(0, 1), first);
	sets.keepOnly(months.slice(0, 4));
	assert.equal(find(0, 4), null);
	assert.equal(find(0, 1), first);
});

test("months of many rows are composed of the stored changes in between, however many these are", async (t) => {
	const builder = builderFolder(t);
	const months = Array.from({ length: 16 }, (_, i) => monthOfNumber(monthNumber("2025-08") + i));
	await synthesize({ rows: 300, months, seed: 7, out: builder.folder });
	for (const month of months) {
		const { code, stderr } = await builder.run("build", join(builder.folder, dropName(month)));
		assert.equal(code, 0, stderr);
	}
	const opened = [...openLibrary({ dataFolder: builder.data }).snapshots].reverse();
	const between = opened.map(
		(month): Snapshot => Object.create(month, { rows: { value: COMPARED_ROWS_MAX } }),
	);
	const sets = new ChangeSets(builder.data, mappingMode());
	assert.equal(sets.sourceOf(between[0], between[15], between), "composed");
	const found = sets.find(opened[0], opened[15], opened);
	assert.ok("work" in found);
	const { changes } = finishWork(found.work);
	const compared = finishWork(compareInSlices(opened[0].comparable.files, opened[15].comparable.files));
	assert.ok(compared.totals.changed > 0 && compared.totals.gone > 0);
	assert.deepEqual(changes.totals, compared.totals);
	assert.deepEqual(changes.changedRows, compared.changedRows);
});

test("months of many rows without stored changes are compared by the builder alone", async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const months = [...openLibrary({ dataFolder: folder }).snapshots].reverse();
	const sets = new ChangeSets(folder, mappingMode());
	const large = (month: Snapshot, rows: number): Snapshot => Object.create(month, { rows: { value: rows } });
	const half = COMPARED_ROWS_MAX / 2;
	const [older, newer] = [large(months[0], half), large(months[1], half)];
	assert.equal(sets.sourceOf(older, newer, [older, newer]), "compared");
	const [a, b] = [large(months[0], half), large(months[1], half + 1)];
	assert.equal(sets.sourceOf(a, b, [a, b]), "missing");
	const found = sets.find(a, b, [a, b]);
	assert.ok("work" in found);
	assert.throws(() => found.work.next(), { code: "no_changes" });
});
