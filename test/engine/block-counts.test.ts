/**
 * Counts of selections by block: selections that differ in one way alone, keys of one hash, and the bound of what is kept.
 * Pages by block are compared with the naive scan in every-way.test.ts.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BlockCounts, SelectionKey } from "../../engine/columns/block-counts.js";
import { DEFAULT_QUERY } from "../../engine/index.js";
import type { Filters } from "../../engine/query.js";
import { snapshotFolder } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { compileRows } from "./compiled-month.js";
import { EngineUnderTest } from "./tunable/engine-under-test.js";

/** All keys have one hash. */
class CollidingKey extends SelectionKey {
	override hash(): number {
		return 7;
	}
}

function fill<T extends SelectionKey>(key: T, ...numbers: number[]): T {
	key.reset();
	for (const number of numbers) assert.ok(key.add(number));
	return key;
}

const countsOf = (rows: number) => ({ blockWords: 4, before: Uint32Array.of(0, rows) });

test("tells selections apart whose keys have one hash", () => {
	const counts = new BlockCounts();
	const key = new CollidingKey(4);
	counts.keep(fill(key, 1, 2, 3), countsOf(10));
	assert.deepEqual(counts.get(fill(key, 1, 2, 3)), countsOf(10));
	for (const other of [[1, 2], [1, 2, 4], [1, 2, 3, 0], []])
		assert.equal(counts.get(fill(key, ...other)), null);
	counts.keep(fill(key, 1, 2), countsOf(20));
	assert.deepEqual(counts.get(fill(key, 1, 2)), countsOf(20));
	assert.equal(counts.get(fill(key, 1, 2, 3)), null);
});

test("refuses more numbers than there is room for", () => {
	const key = fill(new SelectionKey(2), 1, 2);
	assert.equal(key.add(3), false);
	assert.ok(key.equals(Int32Array.of(1, 2)));
});

test("keeps a bounded number of selections", () => {
	const counts = new BlockCounts();
	const key = new SelectionKey(1);
	let known = 0;
	for (let i = 0; i < 5000; i++) {
		counts.keep(fill(key, i), countsOf(i));
		assert.equal(counts.get(key)?.before[1], i);
	}
	for (let i = 0; i < 5000; i++) known += +(counts.get(fill(key, i)) !== null);
	assert.ok(known > 0 && known <= 1024, `${known} are kept`);
});

const STATUSES = ["Active", "Expired"];
const TYPES = ["Broker", "Salesperson"];

/** Filters that differ from others in one way. */
function askedFilters(): Filters[] {
	const asked: Filters[] = [];
	for (const state of [undefined, ["CA"], ["CA", "TX"], ["NY", "TX"]])
		for (const status of ["license_status", "status_not"])
			for (const type of [undefined, "member_type", "type_not"])
				for (const i of [0, 1]) {
					const others = type === undefined ? {} : { [type]: TYPES[i] };
					asked.push({ ...(state && { state }), [status]: STATUSES[i], ...others } as Filters);
				}
	return asked;
}

test("selections that differ in a negation, a value, a filter or the states are counted apart", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-blocks-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const states = ["CA", "NY", "TX"];
	const raw = Array.from({ length: 70_000 }, (_, i) => ({
		state: states[i % 3],
		member_license_status: STATUSES[+(i % 7 < 5)],
		member_type: TYPES[+(i % 11 < 4)],
	}));
	await compileRows(raw, "2026-11", folder, false, new Draw(1));
	const engine = new EngineUnderTest(snapshotFolder(folder, "2026-11"));
	const asked = askedFilters();
	let byBlock = 0;
	for (const order of ["asc", "desc"] as const)
		for (const filters of [...asked, ...asked]) {
			const query = { ...DEFAULT_QUERY, filters, order, page: 2, limit: 10 };
			const { total, rows, steps } = engine.run({ ...engine.plan(query), selection: "bitmap" }, query);
			const expected = engine.run({ ...engine.plan(query), selection: "scan" }, query);
			assert.equal(total, expected.total, JSON.stringify(filters));
			assert.equal(rows.length, Math.max(0, Math.min(10, total - 10)), JSON.stringify(filters));
			byBlock += +steps.some(({ path }) => path === "seek blocks");
		}
	assert.ok(byBlock > asked.length, `${byBlock} of ${4 * asked.length} pages by block`);
});
