/**
 * Each algorithm for a page of rows in order, called directly on adversarial distributions, since whole
 * queries of a test-size month use few of them. Compared with the naive order of all rows.
 */

import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { compileMonth } from "../../builder/compile/compile-month.js";
import { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import type { Order } from "../../engine/index.js";
import { DEFAULT_QUERY } from "../../engine/index.js";
import { countCommon, countWords, hasRow, setRows } from "../../engine/kernels/bitmap.js";
import { listRows } from "../../engine/kernels/list-rows.js";
import { BitmapMemory } from "../../engine/kernels/simd.js";
import { sortedIndexes, sortKeys } from "../../engine/kernels/sort.js";
import { CutSearch } from "../../engine/order/bitmap/cut-search.js";
import { BitmapOrder } from "../../engine/order/bitmap/order-bitmap.js";
import { openIndexScan } from "../../engine/order/index-scan.js";
import { TopN } from "../../engine/order/top-n.js";
import type { Plan } from "../../engine/plan/plan.js";
import { Scratch } from "../../engine/scratch.js";
import { SORTED_KEYS_MAX } from "../../engine/tuning.js";
import {
	bitmapWords,
	CATALOG_FILE,
	type Column,
	type ColumnName,
	CumulativeBitmaps,
	columnNamed,
	decodeCatalog,
	encodeCatalog,
	SECTION,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import { ColumnMonth } from "../oracle/column-month.js";
import { Draw } from "../oracle/draw.js";
import { LARGE_MONTH, LARGE_ROWS } from "../oracle/large-month.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { runHere } from "./compiled-month.js";

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
	["state", "office_name"],
	["member_license_status", "state", "member_first_name"],
];

const folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
const scratch = new Scratch();
/** Of a process without WebAssembly. */
const plainScratch = new Scratch(() => null);
/** All rows in order, by sort and order. */
const orders = new Map<string, Uint32Array>();
let columns: SnapshotColumns;
/** The same month without sections that earlier builders did not write, or wrote differently. */
let olderColumns: SnapshotColumns;
let month: ColumnMonth;

before(async () => {
	month = new ColumnMonth(SEED, LARGE_MONTH, { rows: LARGE_ROWS, states: "few" });
	const built = snapshotFolder(folder, LARGE_MONTH);
	mkdirSync(built, { recursive: true });
	await compileMonth(month.parsed, { month: LARGE_MONTH, folder: built, run: runHere });
	columns = new SnapshotColumns(SnapshotFiles.open(built));
	olderColumns = olderMonth(built);
	scratch.fit(LARGE_ROWS);
	plainScratch.fit(LARGE_ROWS);
});

after(() => rmSync(folder, { recursive: true }));

/**
 * The month as an earlier builder wrote it: without order buckets, and with cumulative bitmaps of
 * arbitrary bounds.
 */
function olderMonth(built: string): SnapshotColumns {
	const older = join(folder, "older");
	cpSync(built, older, { recursive: true });
	const path = join(older, CATALOG_FILE);
	const { catalog } = decodeCatalog(readFileSync(path), path);
	const kinds: readonly number[] = [SECTION.orderBuckets, SECTION.orderBucketRanks];
	const sections = catalog.sections.filter(({ kind }) => !kinds.includes(kind));
	writeFileSync(path, encodeCatalog({ ...catalog, sections }));
	const opened = new SnapshotColumns(SnapshotFiles.open(older));
	const bitmapsOf = (column: Column) => unalignedBitmaps(opened, column);
	return Object.assign(opened, { cumulativeBitmaps: { get: bitmapsOf } });
}

/** Cumulative bitmaps of a column at positions that divide the order evenly, usually within folds. */
function unalignedBitmaps(opened: SnapshotColumns, column: Column): CumulativeBitmaps | null {
	if (column.name === "state") return null;
	const { rows, offsets } = opened.cumulativeOrder.get(column);
	const valued = offsets[offsets.length - 1];
	const bounds = Uint32Array.from({ length: 16 }, (_, i) => Math.floor((valued * (i + 1)) / 16));
	const wordsEach = bitmapWords(opened.rows);
	const words = new Uint32Array(16 * wordsEach);
	bounds.forEach((bound, i) => {
		setRows(words.subarray(i * wordsEach), rows, 0, bound);
	});
	return new CumulativeBitmaps(bounds, words, opened.rows);
}

/** All rows in order by the naive scan. */
function orderOf(sort: readonly ColumnName[], order: Order): Uint32Array {
	const key = `${sort.join()} ${order}`;
	const known = orders.get(key);
	if (known !== undefined) return known;
	const made = month.places({ ...DEFAULT_QUERY, sort, order });
	orders.set(key, made);
	return made;
}

/** A case: some rows, as they lie in order, and a page of them. */
interface Case {
	readonly sort: readonly ColumnName[];
	readonly order: Order;
	readonly rows: Uint32Array;
	readonly offset: number;
	readonly limit: number;
}

/** Rows that are frequent in some ranges of the order and rare in others, with a page among them. */
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

function topNOf({ sort, order }: Case, of: SnapshotColumns): TopN {
	return new TopN(sort, order, of, scratch.arena, scratch.work);
}

function orderPlanOf({ sort, order }: Case): Plan["order"] {
	return { columns: sort, byMatch: false, order, scan: { source: "permutation", from: 0, to: LARGE_ROWS } };
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

/** The rows as a bitmap of only the words that have them. */
function bitsOf(rows: Uint32Array) {
	const words = new Uint32Array(Math.ceil(LARGE_ROWS / 512) * 16);
	setRows(words, rows, 0, rows.length);
	const least = rows.reduce((a, b) => Math.min(a, b));
	const most = rows.reduce((a, b) => Math.max(a, b));
	return { words, count: rows.length, from: least >>> 5, to: (most >>> 5) + 1 };
}

/** A list in an order unrelated to any sort, or one that misleads sampling. */
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
	// Rows at every position that may be sampled come from one end of the order.
	const step = 2 + draw.below(60);
	const looked = Math.ceil(rows.length / step);
	const early = asked.rows.slice(0, looked);
	const rest = asked.rows.slice(looked);
	return rows.map((_, i) => (i % step === 0 ? early[i / step] : rest[i - 1 - Math.floor(i / step)]));
}

test("a page selected from a list is that of the naive order, for any distribution", (t) => {
	onCases(t, 36, (asked, draw) => {
		for (const of of [columns, olderColumns]) {
			const list = disorder(asked, draw);
			const page = new Uint32Array(asked.limit);
			const end = topNOf(asked, of).select(list, 0, asked, page, 0);
			assert.equal(end, asked.limit);
			assert.deepEqual([...page], expected(asked));
		}
	});
});

test("a page of a bitmap is that of the naive order, for any distribution", (t) => {
	onCases(t, 70, (asked) => {
		const plan: Plan = {
			selection: "bitmap",
			runs: [],
			isEverywhere: true,
			state: null,
			states: [],
			predicates: [],
			order: orderPlanOf(asked),
			name: null,
			geography: null,
			parts: [],
		};
		for (const of of [columns, olderColumns]) {
			for (const room of [scratch, plainScratch]) {
				const order = new BitmapOrder(plan, of, room);
				const taken = order.page(bitsOf(asked.rows), asked);
				assert.deepEqual([...room.page.subarray(0, taken)], expected(asked));
			}
		}
	});
});

test("the slices between cuts hold the page, and count the rows in and before them", (t) => {
	let slices = 0;
	onCases(t, 70, (asked, draw) => {
		const { offset, limit, rows } = asked;
		const bits = bitsOf(rows);
		for (const of of [columns, olderColumns]) {
			const scan = openIndexScan(orderPlanOf(asked), 0, null, of);
			const cuts = of.orderCuts.get(columnNamed(asked.sort[0]));
			if (cuts === null) continue;
			const search = new CutSearch(bits, scan, cuts, scratch.work);
			const found = search.slicesOf(offset, limit, draw.below(LARGE_ROWS));
			let end = found[0].before;
			for (const { from, to, before, rows: held, isOneFold } of found) {
				assert.equal(before, end);
				const positions = [...of.permutation.get(columnNamed(asked.sort[0])).rows.subarray(from, to)];
				const inside = positions.filter((row) => hasRow(bits.words, row));
				assert.equal(held, inside.length);
				assert.deepEqual([...rows.subarray(before, before + held)].sort(), inside.sort());
				assert.equal(isOneFold && scan.rank(from) !== scan.rank(to - 1), false);
				end += held;
				slices++;
			}
			assert.ok(found[0].before <= offset && offset + limit <= end);
		}
	});
	assert.ok(slices > 0, "some orders are cut");
});

test("bits are counted in WebAssembly's memory as they are in any other", (t) => {
	const wordsEach = 4096;
	onCases(t, 70, (_, draw) => {
		const memory = BitmapMemory.allocate(wordsEach, 2);
		assert.ok(memory !== null);
		const [inside, twin, none] = [memory.take(), memory.take(), memory.take()];
		assert.ok(inside !== null && twin !== null && none === null);
		const density = draw.pick([0, 1, 3, 32]);
		for (let i = 0; i < wordsEach; i++) {
			for (let bit = 0; bit < density; bit++) inside[i] |= 1 << draw.below(32);
			twin[i] = draw.below(2 ** 32);
		}
		const outside = inside.slice();
		const other = twin.slice();
		const from = draw.below(wordsEach);
		const to = from + draw.below(wordsEach - from + 1);
		assert.equal(countWords(inside, from, to), countWords(outside, from, to));
		const shared = countCommon(outside, other, from, to);
		assert.equal(countCommon(inside, other, from, to), shared);
		assert.equal(countCommon(inside, twin, from, to), shared);
		let naive = 0;
		for (let i = from; i < to; i++) {
			for (let bit = 0; bit < 32; bit++) naive += (outside[i] >>> bit) & (other[i] >>> bit) & 1;
		}
		assert.equal(shared, naive);
		assert.deepEqual([...inside.subarray(from, to)], [...outside.subarray(from, to)]);
	});
});

test("keys are sorted stably", (t) => {
	onCases(t, 70, (_, draw) => {
		const range = draw.pick([1, 2, 200, 70_000, 2 ** 32]);
		const least = draw.below(2 ** 32 - range + 1);
		const keys = Uint32Array.from(
			{ length: 1 + draw.below(SORTED_KEYS_MAX) },
			() => least + draw.below(range),
		);
		const expectedIndexes = [...keys.keys()].sort((a, b) => keys[a] - keys[b] || a - b);
		const [smallest, largest] = [Math.min(...keys), Math.max(...keys)];
		assert.deepEqual([...sortedIndexes(keys, smallest, largest).subarray(0, keys.length)], expectedIndexes);
		const sorted = keys.slice();
		sortKeys(sorted);
		assert.deepEqual(sorted, keys.slice().sort());
	});
});

test("a bitmap's rows are listed in ascending order after what the list holds", (t) => {
	onCases(t, 70, ({ rows }, draw) => {
		const { words, from, to, count } = bitsOf(rows);
		const held = draw.below(3);
		const out = new Uint32Array(held + rows.length + draw.below(4));
		assert.equal(listRows(words, from, to, count, out, held), held + rows.length);
		assert.deepEqual(out.slice(held, held + rows.length), rows.slice().sort());
	});
});
