/** The figures that gates compare, at their borders: duplicates within a state, and dates out of range. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { profileMonth } from "../../builder/profile/month-profile.js";
import { INPUT_COLUMNS, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { SEED, tellSeed } from "../oracle/seeded.js";

const MONTH = "2026-11";

async function profileOf(rows: readonly RawRow[]) {
	const data = mkdtempSync(join(MEMORY_FOLDER, "rollcall-profile-"));
	try {
		await compileRows(rows, MONTH, data, false, new Draw(1, 1));
		return profileMonth(SnapshotFiles.open(snapshotFolder(data, MONTH), "shared-memory"));
	} finally {
		rmSync(data, { recursive: true });
	}
}

test("a license number that two states have is no duplicate, one that a state has twice is", async () => {
	const licenses = [
		["TX", "1"],
		["CA", "1"],
		["TX", "2"],
		["CA", "3"],
		["CA", "3"],
		["CA", "3"],
	];
	const rows = licenses.map(([state, number]) => ({ state, member_state_license_number: number }));
	assert.equal((await profileOf(rows)).duplicates, 2);
});

test("dates are in range after the first day of 1900, to fifty years after the month, of expiry a hundred", async () => {
	const expiries = ["1900-01-01", "1900-01-02", "2126-11-30", "2126-12-01"];
	const issues = ["1900-01-01", "1900-01-02", "2076-11-30", "2076-12-01"];
	const rows = expiries.map((expires, i) => ({
		state: "TX",
		member_state_license_number: String(i),
		member_license_expires: expires,
		member_license_issued: issues[i],
	}));
	const { dates } = await profileOf(rows);
	for (const [column, samples] of [
		["member_license_expires", ["1900-01-01", "2126-12-01"]],
		["member_license_issued", ["1900-01-01", "2076-12-01"]],
	] as const) {
		const found = dates.find((each) => each.column === column);
		assert.deepEqual(
			[found?.rows, found?.odd, found?.judged, found?.odd_samples],
			[4, 2, 1, samples],
			column,
		);
	}
});

test("rows without a value are counted by state as row by row, in columns that are seldom, often and always empty", async (t) => {
	tellSeed(t, 1);
	const draw = new Draw(SEED);
	const empty = new Map(INPUT_COLUMNS.map(({ name }) => [name, draw.pick([0, 2, 40, 700, Infinity])]));
	const rows: Record<string, string>[] = Array.from({ length: 4000 }, (_, i) => {
		const row: Record<string, string> = {
			state: draw.pick(["CA", "TX", "ON", "QC"]),
			member_state_license_number: String(i),
		};
		for (const { name, kind } of INPUT_COLUMNS) {
			const share = empty.get(name) ?? 0;
			if (name in row || name === "country" || share === Infinity) continue;
			// A state may have lost a column that others have.
			const isLost = share === 40 && row.state === "QC";
			if (isLost || (share > 0 && draw.oneIn(share))) continue;
			const date = `20${10 + draw.below(20)}-0${1 + draw.below(9)}-1${draw.below(9)}`;
			row[name] = kind === "date" ? date : kind === "int" ? String(draw.below(90)) : `v${draw.below(300)}`;
		}
		return row;
	});
	// The only row of a state, empty in every column.
	rows.push({ state: "YT", member_state_license_number: "last" });
	const { nulls_by_state: found, states } = await profileOf(rows);
	// Of rows of the US the builder counts agents.
	const columns = INPUT_COLUMNS.filter(({ name }) => name !== "agent_count");
	let counted = 0;
	for (const { state } of states) {
		for (const { name } of columns.filter((column) => column.name !== "country")) {
			const expected = rows.filter((row) => row.state === state && row[name] === undefined).length;
			assert.equal(found.get(state)?.get(name) ?? 0, expected, `${name} of ${state}`);
			counted += expected;
		}
	}
	assert.ok(counted > 0);
});
