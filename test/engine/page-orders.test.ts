/**
 * The ways to a page of rows in order, each asked by itself on rows that lie as unevenly as rows can:
 * whole queries of a month of test size take few of them. The naive order of all rows says what is right.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { SnapshotColumns } from "../../engine/columns.js";
import type { Order } from "../../engine/index.js";
import { DEFAULT_QUERY } from "../../engine/index.js";
import { setRows } from "../../engine/kernels/bitmap.js";
import { listRows } from "../../engine/kernels/list-rows.js";
import { findKeyWindow } from "../../engine/key-window.js";
import { BitmapOrder } from "../../engine/order-bitmap.js";
import { PageSelector } from "../../engine/page-select.js";
import type { Plan } from "../../engine/plan.js";
import { Scratch } from "../../engine/scratch.js";
import { type ColumnName, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { LARGE_MONTH, LARGE_ROWS, largeRows } from "../oracle/large-month.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows } from "../oracle/naive-rows.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { compileRows } from "./compiled-month.js";

const SORTS: readonly (readonly ColumnName[])[] = [
	["office_name"],
	["member_license_expires"],
	["member_license_first_issued", "member_first_name"],
	["member_first_name", "member_license_expires", "office_name"],
	["member_last_name", "member_license_status"],
	["member_license_status", "member_last_name"],
	["last_refreshed", "member_license_status", "member_license_issued"],
	["member_state_license_number"],
	["member_full_name"],
];

const folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
const scratch = new Scratch();
/** All rows in order, by sort and order. */
const orders = new Map<string, Uint32Array>();
let columns: SnapshotColumns;
let naive: NaiveMonth;

before(async () => {
	const raw = largeRows(SEED);
	await compileRows(raw, LARGE_MONTH, folder, false, new Draw(SEED, 3));
	columns = new SnapshotColumns(SnapshotFiles.open(snapshotFolder(folder, LARGE_MONTH)));
	naive = new NaiveMonth(LARGE_MONTH, makeRows(raw, LARGE_MONTH));
	scratch.fit(LARGE_ROWS);
});

after(() => rmSync(folder, { recursive: true }));

/** All rows in order as the naive scan has them. */
function orderOf(sort: readonly ColumnName[], order: Order): Uint32Array {
	const key = `${sort.join()} ${order}`;
	const known = orders.get(key);
	if (known !== undefined) return known;
	const { rows } = naive.query({ ...DEFAULT_QUERY, sort, order, limit: LARGE_ROWS });
	const first = Number(naive.rows[0].id);
	const made = Uint32Array.from(rows, ({ id }) => Number(id) - first);
	orders.set(key, made);
	return made;
}

/** What a case asks: some rows, as they lie in order, and a page of them. */
interface Case {
	readonly sort: readonly ColumnName[];
	readonly order: Order;
	readonly rows: Uint32Array;
	readonly offset: number;
	readonly limit: number;
}

/** Rows that are frequent in some stretches of the order, rare in others, and have a page among them. */
function drawCase(draw: Draw): Case {
	const sort = draw.pick(SORTS);
	const order = draw.pick<Order>(["asc", "desc"]);
	const all = orderOf(sort, order);
	const stretches = Array.from({ length: 1 + draw.below(6) }, () => draw.pick([1, 1, 2, 5, 30, 500, 20_000]));
	const rows = all.filter((_, i) =>
		draw.oneIn(stretches[Math.floor((i / all.length) * stretches.length)] as number),
	);
	const limit = Math.min(rows.length, draw.pick([1, 10, 100, 1000, 20_000]));
	const offset = draw.pick([0, rows.length - limit, draw.below(1 + rows.length - limit)]);
	return { sort, order, rows, offset, limit };
}

function expected({ rows, offset, limit }: Case): number[] {
	return [...rows.subarray(offset, offset + limit)];
}

function selectorOf({ sort, order }: Case): PageSelector {
	return new PageSelector(sort, order, columns, scratch.arena, scratch.work);
}

function onCases(t: TestContext, usual: number, check: (asked: Case, draw: Draw) => void): void {
	const cases = fuzzRuns(usual);
	tellSeed(t, cases);
	for (let i = 0; i < cases; i++) {
		const draw = new Draw(SEED, 1000 + i);
		const asked = drawCase(draw);
		if (asked.rows.length > 0) check(asked, draw);
	}
}

/** The rows as a bitmap of just the words that have them. */
function bitsOf(rows: Uint32Array) {
	const words = new Uint32Array(Math.ceil(LARGE_ROWS / 512) * 16);
	setRows(words, rows, 0, rows.length);
	const least = rows.reduce((a, b) => Math.min(a, b));
	const most = rows.reduce((a, b) => Math.max(a, b));
	return { words, count: rows.length, fromWord: least >>> 5, toWord: (most >>> 5) + 1 };
}

/** A list in an order that has nothing to do with any sort, or that has samples of it mislead. */
function disorder(asked: Case, draw: Draw): Uint32Array {
	const rows = asked.rows.slice();
	const way = draw.below(4);
	if (way === 0) return rows.sort();
	if (way === 1) return rows;
	for (let i = rows.length - 1; i > 0; i--) {
		const j = draw.below(i + 1);
		[rows[i], rows[j]] = [rows[j], rows[i]];
	}
	if (way === 2) return rows;
	// Rows at every place that a sample may look at come from one end of the order.
	const step = 2 + draw.below(60);
	const looked = Math.ceil(rows.length / step);
	const early = asked.rows.slice(0, looked);
	const rest = asked.rows.slice(looked);
	return rows.map((_, i) => (i % step === 0 ? early[i / step] : rest[i - 1 - Math.floor(i / step)]));
}

test("a page selected of a list is that of the naive order, however the list lies", (t) => {
	onCases(t, 200, (asked, draw) => {
		const list = disorder(asked, draw);
		const page = new Uint32Array(asked.limit);
		const end = selectorOf(asked).select(list, list.length, 0, asked.offset, asked.limit, page, 0);
		assert.equal(end, asked.limit);
		assert.deepEqual([...page], expected(asked));
	});
});

test("a page of a bitmap is that of the naive order, wherever its rows lie in it", (t) => {
	onCases(t, 300, (asked) => {
		const order: Plan["order"] = {
			columns: asked.sort,
			order: asked.order,
			walk: { source: "permutation", from: 0, to: LARGE_ROWS },
		};
		const plan: Plan = { selection: "bitmap", runs: [], state: null, predicates: [], order, parts: [] };
		const taken = new BitmapOrder(plan, columns, scratch).page(bitsOf(asked.rows), asked.offset, asked.limit);
		assert.deepEqual([...scratch.page.subarray(0, taken)], expected(asked));
	});
});

test("a window of keys holds the page and counts the rows before it, or there is none", (t) => {
	let windows = 0;
	onCases(t, 300, (asked) => {
		const { keys } = selectorOf(asked);
		const list = new Uint32Array(LARGE_ROWS);
		const { offset, limit } = asked;
		const window = findKeyWindow(
			bitsOf(asked.rows),
			keys,
			0,
			offset,
			limit,
			list,
			scratch.arena,
			scratch.work,
		);
		if (window === null) return;
		windows++;
		const page = new Uint32Array(limit);
		selectorOf(asked).select(list, window.rows, 0, offset - window.before, limit, page, 0);
		assert.deepEqual([...page], expected(asked));
	});
	assert.ok(windows > 0, "some samples lead to a window");
});

test("a bitmap's rows are listed in ascending order after what the list holds", (t) => {
	onCases(t, 300, ({ rows }, draw) => {
		const { words, fromWord, toWord } = bitsOf(rows);
		const held = draw.below(3);
		const out = new Uint32Array(held + rows.length + draw.below(4));
		assert.equal(listRows(words, fromWord, toWord, out, held), held + rows.length);
		assert.deepEqual(out.slice(held, held + rows.length), rows.slice().sort());
	});
});
