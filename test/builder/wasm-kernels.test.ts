/**
 * The builder's modules called directly at any addresses, against naive loops over a copy of the whole memory:
 * strings that are sorted, rows that are encoded.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ENCODE_ROWS_MODULE } from "../../builder/compile/kernels/generated/encode-rows.js";
import { SORT_STRINGS_MODULE } from "../../builder/compile/kernels/generated/sort-strings.js";
import { KernelArena, type Place, someSize, someWord } from "../engine/kernel-arena.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

const RUNS = 250;
const CALLS_PER_ARENA = 100;

/** Calls `check` so often, each time with choices of its own, on memory of `pages` that is opened anew at times. */
function fuzz<Exports>(
	name: string,
	module: string,
	pages: number,
	check: (arena: KernelArena<Exports>, draw: Draw, what: () => string) => void,
): void {
	test(name, (t) => {
		const runs = fuzzRuns(RUNS);
		tellSeed(t, runs);
		let arena: KernelArena<Exports> | null = null;
		for (let run = 0; run < runs; run++) {
			const draw = new Draw(SEED, run);
			if (arena === null || run % CALLS_PER_ARENA === 0) arena = KernelArena.open(module, draw, pages);
			check(arena, draw, () => `${name}, ROLLCALL_SEED=${SEED}, run ${run}`);
		}
	});
}

const all = ({ at, end }: Place) => ({ at, bytes: end - at });

/** Strings with common beginnings, and of bytes that differ from the end of a string by its length alone. */
function someStrings(draw: Draw, bytesMax: number): Buffer[] {
	const count = 1 + (draw.oneIn(8) ? 1000 + draw.below(100) : someSize(draw, 300));
	const alphabet = draw.pick([[0], [0, 1], [0, 97, 255], Array.from({ length: 256 }, (_, i) => i)]);
	const strings: Buffer[] = [];
	for (let bytes = 0; strings.length < count; ) {
		const begin = strings.length > 0 && draw.oneIn(2) ? draw.pick(strings) : Buffer.alloc(0);
		const own = Array.from({ length: draw.pick([0, 1, 7, 8, 9, 16, 17]) }, () => draw.pick(alphabet));
		const string = Buffer.concat([begin.subarray(0, draw.below(40)), Buffer.from(own)]);
		bytes += string.length;
		strings.push(bytes > bytesMax ? Buffer.alloc(0) : string);
	}
	return strings;
}

fuzz<{ readonly sort: (...values: number[]) => void }>(
	"strings are sorted",
	SORT_STRINGS_MODULE,
	2,
	(arena, draw, what) => {
		const strings = someStrings(draw, 30_000);
		const count = strings.length;
		const heap = Buffer.concat(strings);
		const sizes = [4 * (count + 1), heap.length + 8, 4 * count, 8 * count, 4 * count, 8 * count, count, 8192];
		const places = arena.places(draw, sizes);
		const [offsets, heapPlace, order, keys, spareOrder, spareKeys, same, counts] = places;
		let at = 0;
		const ends = strings.map((string) => (at += string.length));
		let next = -1;
		arena.putNumbers(offsets, 4, () => (next++ < 0 ? 0 : ends[next - 1]));
		arena.put(heapPlace.at, heap);
		arena.put(same.at, new Uint8Array(count));
		arena.exports.sort(...places.map((place) => place.at), someWord(draw), count);
		const indexes = Array.from({ length: count }, (_, i) => arena.word(order.at + 4 * i));
		assert.deepEqual(Uint32Array.from(indexes).sort(), Uint32Array.from(strings.keys()), what());
		for (let i = 1; i < count; i++) {
			const compared = Buffer.compare(strings[indexes[i - 1]], strings[indexes[i]]);
			assert.ok(compared <= 0, `${what()}: position ${i}`);
			arena.naive[same.at + i] = Number(compared === 0);
		}
		// Equal strings are in any order; the rest is room to work in.
		arena.check(what, ...[order, keys, spareOrder, spareKeys, counts].map(all));
	},
);

const LONG = 255;
const WIDTHS = [0, 1, 2, 4] as const;

interface SomeColumn {
	readonly width: (typeof WIDTHS)[number];
	readonly codes: readonly number[];
	readonly offsets: readonly number[];
	readonly heap: Buffer;
	readonly distinct: number;
}

function someColumn(draw: Draw, rows: number): SomeColumn {
	const width = draw.pick(WIDTHS);
	const distinct = width === 0 ? rows : 1 + draw.below(20);
	const lengths = [0, 1, 15, 16, 17, 31, 33, 130, 254, ...(draw.oneIn(6) ? [255, 256] : [])];
	const escaped = draw.oneIn(6) ? [0x22, 0x5c, 0, 0x1f] : [0x21, 0x23];
	const values = Array.from({ length: distinct }, () => {
		const value = Buffer.alloc(
			distinct > 40 ? draw.below(40) : draw.pick(lengths),
			draw.pick(["a", "é", "~"]),
		);
		if (value.length > 0 && draw.oneIn(8)) value[draw.below(value.length)] = draw.pick(escaped);
		return value;
	});
	let at = 0;
	const offsets = [0, ...values.map((value) => (at += value.length)), at];
	// The entry after the last value's is null's, which is not corrupt.
	if (draw.oneIn(6)) offsets[draw.below(distinct)] = someWord(draw);
	const codes = Array.from({ length: rows }, () =>
		draw.oneIn(9) ? someWord(draw) : draw.below(distinct + 1),
	);
	return { width, codes, offsets, heap: Buffer.concat(values), distinct };
}

/** A row's bytes; null where it is left to the caller. */
function naiveRow(columns: readonly SomeColumn[], row: number): Buffer | null {
	const values = columns.map(({ width, codes, offsets, heap, distinct }) => {
		const code = width === 0 ? row : codes[row] % 256 ** width;
		const [start, end] = code >= distinct ? [0, 0] : [offsets[code], offsets[code + 1]];
		return start <= end && end <= heap.length && end - start < LONG ? heap.subarray(start, end) : null;
	});
	const isLeft = values.some(
		(value) => value?.some((byte) => byte < 0x20 || byte === 0x22 || byte === 0x5c) ?? true,
	);
	if (isLeft) return null;
	const sound = values.map((value) => value ?? Buffer.alloc(0));
	return Buffer.concat([Buffer.from(sound.map(({ length }) => length)), ...sound]);
}

fuzz<{ readonly encode: (...values: number[]) => number }>(
	"rows are encoded",
	ENCODE_ROWS_MODULE,
	3,
	(arena, draw, what) => {
		const rows = 1 + draw.below(60);
		const columns = Array.from({ length: 1 + draw.below(5) }, () => someColumn(draw, rows));
		const block = draw.pick([1, 2, 15, 16, 64]);
		const from = draw.below(rows + 1);
		const most = rows * columns.length * LONG + 272;
		const rooms = [32 * columns.length, most, 4 * rows, 4 * block, 8 * block * columns.length];
		// Bytes past a value's end are read.
		const own = columns.flatMap(({ width, offsets, heap }) => [
			width * rows,
			4 * offsets.length,
			heap.length + 272,
		]);
		const [described, out, ends, codes, ranges, ...parts] = arena.places(draw, [...rooms, ...own]);
		columns.forEach((column, i) => {
			const [codesAt, offsetsAt, heapAt] = parts.slice(3 * i);
			const { width, offsets, heap, distinct } = column;
			const words = [codesAt.at, width, offsetsAt.at, heapAt.at, heap.length, distinct, 0, 0];
			const at = described.at + 32 * i;
			arena.putNumbers({ at, end: at + 32 }, 4, () => words.shift() ?? 0);
			let next = 0;
			if (width !== 0) arena.putNumbers(codesAt, width, () => column.codes[next++]);
			next = 0;
			arena.putNumbers(offsetsAt, 4, () => offsets[next++]);
			arena.put(heapAt.at, heap);
		});
		const stop = arena.exports.encode(
			...[described.at, columns.length, from, rows, out.at, ends.at, codes.at, ranges.at, block],
		);
		let at = out.at;
		let row = from;
		for (; row < rows; row++) {
			const bytes = naiveRow(columns, row);
			if (bytes === null) break;
			arena.naive.set(bytes, at);
			at += bytes.length;
			arena.naive.writeUInt32LE(at, ends.at + 4 * (row - from));
		}
		assert.equal(stop, row, what());
		arena.check(what, { at, bytes: out.end - at }, all(codes), all(ranges));
	},
);
