/**
 * Stored rows are copied one after the other, by the addon and by JavaScript alike: in any order, over the border of
 * segments, as far as there is room, and up to a row whose offsets are corrupt.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mappingFault } from "../../formats/files/mmap.js";
import { type GatherTarget, openGather } from "../../formats/gather.js";
import { ROWS_PER_SEGMENT, RowCopier, type RowSegment } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { checkProperty } from "../oracle/seeded.js";

const ROW_BYTES_MAX = 300;
/** Rows of the second segment. */
const MORE_ROWS = 200;
const MEMORY_BYTES = 8192;

/** Two segments of rows of up to {@link ROW_BYTES_MAX} bytes; most rows of the first are empty. */
function makeSegments(): RowSegment[] {
	const draw = new Draw(5);
	return [ROWS_PER_SEGMENT, MORE_ROWS].map((rows) => {
		const offsets = new Uint32Array(rows + 1);
		for (let row = 0; row < rows; row++) {
			const isEdge = row < MORE_ROWS || row >= rows - MORE_ROWS;
			offsets[row + 1] = offsets[row] + (isEdge ? draw.below(ROW_BYTES_MAX + 1) : 0);
		}
		return { offsets, heap: Buffer.from(Array.from({ length: offsets[rows] }, () => draw.below(256))) };
	});
}

const segments = makeSegments();

/** What copying rows[first…) should leave: how many, their bytes one after the other, and their ends. */
function naiveCopy(of: readonly RowSegment[], rows: Uint32Array, first: number, target: GatherTarget) {
	const { at, end, ends } = target;
	const copied: Buffer[] = [];
	const places: number[] = [];
	let to = at;
	for (const row of rows.subarray(first, first + ((at - ends) >>> 2))) {
		const segment = of[Math.floor(row / ROWS_PER_SEGMENT)];
		if (segment === undefined || row % ROWS_PER_SEGMENT >= segment.offsets.length - 1) break;
		const { offsets, heap } = segment;
		const [from, next] = [offsets[row % ROWS_PER_SEGMENT], offsets[(row % ROWS_PER_SEGMENT) + 1]];
		if (next < from || next > heap.length || to + next - from > end) break;
		copied.push(heap.subarray(from, next));
		to += next - from;
		places.push(to);
	}
	return { count: places.length, bytes: Buffer.concat(copied), places };
}

function checkCopy(rows: Uint32Array, first: number, target: GatherTarget, of = segments): void {
	const expected = naiveCopy(of, rows, first, target);
	for (const byAddon of [false, true]) {
		target.memory.fill(0xee);
		const copier = new RowCopier(of, target, byAddon);
		assert.equal(copier.readsAhead, byAddon && mappingFault() === null);
		assert.equal(copier.copy(rows, first), expected.count);
		assert.deepEqual([...copier.ends.subarray(0, expected.count)], expected.places);
		const { at, end, ends, memory } = target;
		assert.ok(memory.subarray(at, at + expected.bytes.length).equals(expected.bytes));
		const around = [memory.subarray(0, ends), memory.subarray(end)];
		assert.ok(
			around.every((outside) => outside.every((byte) => byte === 0xee)),
			"nothing is written elsewhere",
		);
	}
}

/** Rows near the border of the segments and at the beginning, alone or some adjacent ones. */
const someRows = fc
	.array(
		fc.record({
			row: fc.oneof(
				fc.nat(MORE_ROWS - 20),
				fc.nat(2 * MORE_ROWS - 20).map((row) => ROWS_PER_SEGMENT - MORE_ROWS + row),
			),
			adjacent: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 20 })),
		}),
		{ maxLength: 40 },
	)
	.map((runs) =>
		Uint32Array.from(
			runs.flatMap(({ row, adjacent }) => Array.from({ length: adjacent }, (_, i) => row + i)),
		),
	);

const someTarget = fc
	.record({ ends: fc.nat(10), room: fc.nat(200), bytes: fc.nat(6000) })
	.map(({ ends, room, bytes }) => {
		const at = 4 * (ends + room);
		return { memory: Buffer.alloc(MEMORY_BYTES), ends: 4 * ends, at, end: at + bytes };
	});

test("rows are copied as far as there is room, by the addon as by JavaScript", (t) => {
	checkProperty(
		t,
		400,
		fc.property(someRows, fc.nat(30), someTarget, (rows, first, target) => {
			checkCopy(rows, Math.min(first, rows.length), target);
		}),
	);
});

test("copying ends before a row whose offsets are corrupt", (t) => {
	checkProperty(
		t,
		400,
		fc.property(someRows, someTarget, fc.nat(), fc.nat(0xffffffff), (rows, target, place, lie) => {
			fc.pre(rows.length > 0);
			const row = rows[place % rows.length];
			const { offsets } = segments[Math.floor(row / ROWS_PER_SEGMENT)];
			const lying = (row % ROWS_PER_SEGMENT) + (place % 2);
			const sound = offsets[lying];
			offsets[lying] = place % 3 === 0 ? sound - Math.min(sound, lie % 1000) : lie;
			try {
				checkCopy(rows, 0, target);
			} finally {
				offsets[lying] = sound;
			}
		}),
	);
});

test("copying ends before a row that a file which was cut short lacks", (t) => {
	checkProperty(
		t,
		200,
		fc.property(someRows, someTarget, fc.nat(2000), (rows, target, lost) => {
			const cut = segments.map(({ offsets, heap }) => ({ offsets, heap: heap.subarray(0, -1 - lost) }));
			checkCopy(rows, 0, target, cut);
		}),
	);
});

test("copying ends before a row that no segment has", () => {
	const target = { memory: Buffer.alloc(MEMORY_BYTES), ends: 0, at: 64, end: MEMORY_BYTES };
	for (const lacking of [ROWS_PER_SEGMENT + MORE_ROWS, 2 * ROWS_PER_SEGMENT, 5_000_000, 0xffffffff]) {
		checkCopy(Uint32Array.of(lacking), 0, target);
		checkCopy(Uint32Array.of(0, 1, lacking, 2, 3), 0, target);
		checkCopy(Uint32Array.of(lacking, 1, 2, 3, 4), 0, target);
	}
});

test("copying of rows without bytes reads no part", () => {
	const target = { memory: Buffer.alloc(128), ends: 0, at: 64, end: 128 };
	const empty = [{ offsets: new Uint32Array(6), heap: Buffer.alloc(0) }];
	checkCopy(Uint32Array.of(0, 1, 2, 3, 4), 0, target, empty);
});

test("the addon refuses what is no target, and copies no row that does not exist", {
	skip: mappingFault() !== null && "needs the addon, which a C compiler makes",
}, () => {
	const memory = Buffer.alloc(64);
	const ranges = { shift: 2, offsets: [Uint32Array.of(0, 2, 3)], bytes: [Buffer.from("abc")] };
	for (const target of [
		{ memory, ends: 8, at: 4, end: 64 },
		{ memory, ends: 0, at: 16, end: 8 },
		{ memory, ends: 0, at: 16, end: 65 },
		{ memory: memory.subarray(1), ends: 0, at: 16, end: 32 },
	])
		assert.throws(() => openGather(ranges, target), /places in a target/);
	assert.throws(
		() => openGather({ ...ranges, offsets: [new Uint32Array(0)] }, { memory, ends: 0, at: 16, end: 64 }),
		/Uint32Arrays that are not empty/,
	);
	const gather = openGather(ranges, { memory, ends: 0, at: 16, end: 64 });
	assert.ok(gather !== null);
	assert.equal(gather(Uint32Array.of(1, 0, 3), 0), 2);
	assert.equal(memory.toString("latin1", 16, 19), "cab");
	for (const number of [2, 3, 4, 0xffffffff]) assert.equal(gather(Uint32Array.of(number), 0), 0);
	assert.equal(gather(Uint32Array.of(0), 1), 0);
	assert.throws(() => gather(Uint32Array.of(0), 2), /a place among them/);
});
