/**
 * Relations between drops: the same seed gives the same bytes, and each month evolves from the one
 * before.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { planRegisters, shareRows } from "../../builder/synth/registers.js";
import type { ColumnName } from "../../formats/index.js";
import { dropBytes, licenseKey, type Row, rowsOf } from "./drops.js";

const ROWS = 16_000;
const MONTHS = ["2026-09", "2026-10", "2026-11"];
const DROPS = await dropBytes({ rows: ROWS, months: MONTHS, seed: 3 });

/** Rows by license, where the license is known and not repeated. */
function byLicense(bytes: Buffer): Map<string, Row> {
	const found = new Map<string, Row>();
	const repeated = new Set<string>();
	for (const row of rowsOf(bytes)) {
		if (found.has(licenseKey(row))) repeated.add(licenseKey(row));
		if (row.member_state_license_number !== "") found.set(licenseKey(row), row);
	}
	for (const key of repeated) found.delete(key);
	return found;
}

test("the same seed gives the same bytes, another seed different ones", async () => {
	const [again] = await dropBytes({ rows: ROWS, months: ["2026-09"], seed: 3 });
	assert.ok(again.equals(DROPS[0]));
	const [other] = await dropBytes({ rows: ROWS, months: ["2026-09"], seed: 4 });
	assert.ok(!other.equals(DROPS[0]));
	assert.notEqual(rowsOf(other)[0].member_full_name, rowsOf(again)[0].member_full_name);
});

test("a month's bytes do not depend on the months made with it", async () => {
	const [alone] = await dropBytes({ rows: ROWS, months: ["2026-11"], seed: 3 });
	assert.ok(alone.equals(DROPS[2]));
});

test("without agent counts the other columns stay as they are", async () => {
	const [without] = await dropBytes({ rows: 500, months: ["2026-11"], seed: 3, agentCount: false });
	const [withThem] = await dropBytes({ rows: 500, months: ["2026-11"], seed: 3 });
	const shortened = withThem
		.toString("utf8")
		.split("\n")
		.map((line) => line.replace(/,[^,]*(,[^,]*)$/, "$1"));
	assert.equal(without.toString("utf8"), shortened.join("\n"));
});

test("from month to month most licenses stay, about one in a hundred is new or gone", () => {
	const months = DROPS.map(byLicense);
	for (let i = 1; i < months.length; i++) {
		const gone = [...months[i - 1].keys()].filter((key) => !months[i].has(key)).length;
		const added = [...months[i].keys()].filter((key) => !months[i - 1].has(key)).length;
		assert.ok(gone > ROWS * 0.005 && gone < ROWS * 0.02, `${gone} gone`);
		assert.ok(added > ROWS * 0.005 && added < ROWS * 0.02, `${added} new`);
	}
});

test("a license that stays keeps its holder and changes as real ones do", () => {
	const before = byLicense(DROPS[1]);
	const after = byLicense(DROPS[2]);
	const changed = new Map<ColumnName, number>();
	for (const [key, row] of before) {
		const later = after.get(key);
		if (later === undefined) continue;
		assert.equal(later.member_first_name, row.member_first_name);
		assert.equal(later.member_license_first_issued, row.member_license_first_issued);
		assert.ok(later.member_license_expires >= row.member_license_expires, "an expiry date only moves on");
		for (const column of Object.keys(row) as ColumnName[])
			if (row[column] !== later[column]) changed.set(column, (changed.get(column) ?? 0) + 1);
	}
	const between = (column: ColumnName, low: number, high: number) => {
		const share = (changed.get(column) ?? 0) / before.size;
		assert.ok(share > low && share < high, `${column} changed in ${share}`);
	};
	between("member_license_expires", 0.01, 0.1);
	between("office_name", 0.01, 0.06);
	between("member_city", 0.004, 0.03);
	between("member_license_status", 0.002, 0.03);
	between("member_license_issued", 0.001, 0.03);
	between("member_last_name", 0.0001, 0.005);
	between("member_type", 0.0001, 0.005);
});

test("a new license was issued since the register was last read", () => {
	const before = byLicense(DROPS[1]);
	const added = [...byLicense(DROPS[2])].filter(([key]) => !before.has(key)).map(([, row]) => row);
	const known = added.filter((row) => row.member_license_issued !== "");
	const recent = known.filter((row) => row.member_license_issued > "2026-10");
	// The rest are the remaining rows of licenses that had two rows the month before.
	assert.ok(recent.length > known.length * 0.95, `${recent.length} of ${known.length}`);
});

test("rows are distributed exactly, and every state has some where there are enough", () => {
	for (const rows of [62, 63, 1000, 2_500_000]) {
		const shares = planRegisters(rows, 1).map((register) => register.slots);
		assert.equal(shares.length, 62);
		assert.equal(
			shares.reduce((sum, share) => sum + share, 0),
			rows,
		);
	}
	assert.equal(planRegisters(5, 1).length, 5);
	assert.deepEqual(shareRows(10, [3, 1, 1]), [6, 2, 2]);
	assert.deepEqual(shareRows(4, [1000, 1, 1]), [2, 1, 1]);
});

test("every slot and generation of a register has a unique number", () => {
	for (const register of planRegisters(3000, 9).slice(0, 5)) {
		for (const { modulus, multiplier } of register.numberings) {
			assert.ok(multiplier % 2 !== 0 && multiplier % 5 !== 0, "shares no factor with a power of ten");
			assert.ok(multiplier * modulus <= Number.MAX_SAFE_INTEGER);
			assert.ok(multiplier > 0);
		}
	}
});
