/**
 * The modules that loop over words, each function called directly at any addresses, against naive loops over a copy of
 * the whole memory: bitmaps, sets of codes, rows of a code, counters of groups, near sets, escapes.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BITMAPS_MODULE } from "../../engine/kernels/generated/bitmaps.js";
import { CODE_SETS_MODULE } from "../../engine/kernels/generated/code-sets.js";
import { EQUAL_CODES_MODULE } from "../../engine/kernels/generated/equal-codes.js";
import { ESCAPE_JSON_MODULE } from "../../engine/kernels/generated/escape-json.js";
import { GROUP_COUNTS_MODULE } from "../../engine/kernels/generated/group-counts.js";
import { NEAR_SETS_MODULE } from "../../engine/kernels/generated/near-sets.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { KernelArena, someSize, someWord } from "./kernel-arena.js";

type Kernel = (...values: number[]) => number;
type Arena = KernelArena<Record<string, Kernel>>;

const RUNS = 1_000;
/** Calls between which memory is the same. */
const CALLS_PER_ARENA = 500;

/** Calls `check` so often, each time with choices of its own, on memory that is opened anew at times. */
function fuzz(
	name: string,
	module: string,
	check: (arena: Arena, draw: Draw, what: () => string) => void,
): void {
	test(name, (t) => {
		const runs = fuzzRuns(RUNS);
		tellSeed(t, runs);
		let arena: Arena | null = null;
		for (let run = 0; run < runs; run++) {
			const draw = new Draw(SEED, run);
			if (arena === null || run % CALLS_PER_ARENA === 0) arena = KernelArena.open(module, draw);
			check(arena, draw, () => `${name}, ROLLCALL_SEED=${SEED}, run ${run}`);
		}
	});
}

function bitCount(word: number): number {
	let bits = 0;
	for (let rest = word; rest !== 0; rest &= rest - 1) bits++;
	return bits;
}

const COMBINE: Readonly<Record<string, (target: number, a: number, b: number) => number>> = {
	and: (_, a, b) => a & b,
	andNot: (_, a, b) => a & ~b,
	orAnd: (target, a, b) => target | (a & b),
	orAndNot: (target, a, b) => target | (a & ~b),
};

fuzz("bitmaps are combined and counted", BITMAPS_MODULE, (arena, draw, what) => {
	const bytes = 16 * someSize(draw, 500);
	const places = arena.places(draw, [bytes, bytes, bytes]).map(({ at }) => at);
	// In place, and of one bitmap.
	const [target, a, b] = draw.oneIn(2) ? places : [draw.pick(places), draw.pick(places), draw.pick(places)];
	if (draw.oneIn(4)) arena.putNumbers({ at: a, end: a + bytes }, 4, () => someWord(draw));
	const { naive, exports } = arena;
	let bits = 0;
	for (let i = 0; i < bytes; i += 4) bits += bitCount(naive.readInt32LE(a + i) & naive.readInt32LE(b + i));
	assert.equal(exports.count(a, b, bytes), bits, what());
	const how = draw.pick(Object.keys(COMBINE));
	exports[how](target, a, b, bytes);
	for (let i = 0; i < bytes; i += 4) {
		const word = COMBINE[how](
			naive.readInt32LE(target + i),
			naive.readInt32LE(a + i),
			naive.readInt32LE(b + i),
		);
		naive.writeInt32LE(word, target + i);
	}
	arena.check(what);
});

fuzz("bitmaps are trimmed and listed", BITMAPS_MODULE, (arena, draw, what) => {
	const { exports } = arena;
	const bytes = 16 * someSize(draw, 100);
	const oneIn = draw.pick([1, 2, 30, 1000]);
	const words = Array.from({ length: bytes / 4 }, () => (draw.oneIn(oneIn) ? someWord(draw) : 0));
	const rows: number[] = [];
	words.forEach((word, i) => {
		for (let bit = 0; word !== 0 && bit < 32; bit++) if ((word >>> bit) & 1) rows.push(32 * i + bit);
	});
	// Room for the rows, and what one more takes.
	const [at, out] = arena.places(draw, [bytes, 4 * rows.length + 4]);
	let next = 0;
	arena.putNumbers(at, 4, () => words[next++]);
	const isSet = (i: number) => words.slice(4 * i, 4 * i + 4).some((word) => word !== 0);
	const vectors = Array.from({ length: bytes / 16 }, (_, i) => i).filter(isSet);
	const first = vectors.length === 0 ? at.end : at.at + 16 * vectors[0];
	const last = vectors.length === 0 ? at.at : at.at + 16 * vectors[vectors.length - 1] + 16;
	assert.equal(exports.first(at.at, at.end), first, what());
	assert.equal(exports.last(at.at, at.end), last, what());
	const row = draw.pick([0, 32, 0xffffffff - 31, draw.next()]);
	assert.equal(exports.list(at.at, at.end, row, out.at) >>> 0, out.at + 4 * rows.length, what());
	arena.expectWords(out.at, rows, row);
	arena.check(what, { at: out.at + 4 * rows.length, bytes: 4 });
});

fuzz("rows are looked up in a bitmap and added to it", BITMAPS_MODULE, (arena, draw, what) => {
	const { naive, exports } = arena;
	const count = someSize(draw, 1500);
	const most = 32 * (1 + someSize(draw, 500));
	// Up to three rows more are read.
	const [rows, bits] = arena.places(draw, [4 * count + 12, most / 8]);
	const isCorrupt = draw.oneIn(8);
	const past = () => draw.pick([most, most + 1, 0x80000000, 0xffffffff]);
	arena.putNumbers(rows, 4, () => (isCorrupt && draw.oneIn(count + 1) ? past() : draw.below(most)));
	const asked = Array.from({ length: count }, (_, i) => naive.readUInt32LE(rows.at + 4 * i));
	const read = Array.from({ length: Math.ceil(count / 4) * 4 }, (_, i) =>
		naive.readUInt32LE(rows.at + 4 * i),
	);
	const isSound = read.every((row) => row < most);
	const kept = asked.filter((row) => (naive[bits.at + (row >>> 3)] >>> (row & 7)) & 1);
	const end = rows.at + 4 * count;
	const call = (how: string) => exports[how](rows.at, end, bits.at, most);
	assert.equal(call("countRows"), isSound ? kept.length : -1, what());
	arena.check(what);
	assert.equal(call("setRows"), isSound ? 0 : -1, what());
	const before = Buffer.from(naive.subarray(bits.at, bits.end));
	if (isSound) for (const row of asked) naive[bits.at + (row >>> 3)] |= 1 << (row & 7);
	arena.check(what);
	arena.put(bits.at, before);
	assert.equal(call("keepRows"), isSound ? rows.at + 4 * kept.length : -1, what());
	if (isSound) arena.expectWords(rows.at, kept);
	arena.check(what, { at: rows.at + 4 * kept.length, bytes: isSound ? 4 * (count - kept.length) : 0 });
});

const SIZES = { bytes: 1, pairs: 2, words: 4 } as const;
type Size = keyof typeof SIZES;
const SIZE_NAMES: readonly Size[] = ["bytes", "pairs", "words"];

fuzz("sets of codes", CODE_SETS_MODULE, (arena, draw, what) => {
	const { naive, exports } = arena;
	const size = draw.pick(SIZE_NAMES);
	const width = SIZES[size];
	const count = someSize(draw, 8192 / width);
	const setWords = 4 * someSize(draw, 150);
	const limit = draw.below(32 * setWords + 1);
	const [codes, bits] = arena.places(draw, [width * count, 4 * setWords]);
	arena.putNumbers(codes, width, () =>
		draw.oneIn(9) ? draw.pick([limit, 0xffffffff, 0x80000000]) : draw.below(limit + 1),
	);
	if (draw.oneIn(2)) arena.put(bits.at, new Uint8Array(4 * setWords));
	exports[size](codes.at, codes.end, bits.at, limit);
	for (let i = codes.at; i < codes.end; i += width) {
		const code = naive.readUIntLE(i, width);
		if (code < limit) naive[bits.at + (code >>> 3)] |= 1 << (code & 7);
	}
	arena.check(what);
});

fuzz("words of a set that are not zero", CODE_SETS_MODULE, (arena, draw, what) => {
	const { exports } = arena;
	const length = 4 * someSize(draw, 200);
	const oneIn = draw.pick([1, 2, 9, 200]);
	const words = Array.from({ length }, () => (draw.oneIn(oneIn) ? someWord(draw) : 0));
	const kept = [...words.keys()].filter((i) => words[i] !== 0);
	const room = 4 * kept.length + 4;
	const [bits, places, out] = arena.places(draw, [4 * length, room, room]);
	let next = 0;
	arena.putNumbers(bits, 4, () => words[next++]);
	const end = exports.pack(bits.at, bits.end, places.at, out.at);
	assert.equal(end, places.at + 4 * kept.length, what());
	arena.expectWords(places.at, kept);
	arena.expectWords(
		out.at,
		kept.map((place) => words[place]),
	);
	arena.check(what, { at: end, bytes: 4 }, { at: out.at + room - 4, bytes: 4 });
});

fuzz("rows of one code, and of no text", EQUAL_CODES_MODULE, (arena, draw, what) => {
	const { naive, exports } = arena;
	const size = draw.pick([...SIZE_NAMES, "empty"] as const);
	const width = size === "empty" ? 4 : SIZES[size];
	const rows = 16 * someSize(draw, 150);
	const more = size === "empty" ? 4 : 0;
	const [codes, out] = arena.places(draw, [width * rows + more, rows / 8]);
	const pool = Array.from({ length: 1 + draw.below(4) }, () => someWord(draw));
	const mask = 2 ** (8 * width) - 1;
	arena.putNumbers(codes, width, () => draw.pick(pool));
	const code = (draw.pick(pool) & mask) >>> 0;
	exports[size](codes.at, codes.end - more, code, out.at);
	for (let i = 0; i < rows; i++) {
		const at = codes.at + i * width;
		const other = size === "empty" ? naive.readUInt32LE(at + 4) : code;
		const bit = 1 << (i & 7);
		const place = out.at + (i >>> 3);
		if (naive.readUIntLE(at, width) === other) naive[place] |= bit;
		else naive[place] &= ~bit;
	}
	arena.check(what);
});

fuzz("counters of groups", GROUP_COUNTS_MODULE, (arena, draw, what) => {
	const { naive, exports } = arena;
	const lanes = 4 * someSize(draw, 200);
	const count = Math.max(0, lanes - draw.below(4));
	const [counters, offsets, out] = arena.places(draw, [4 * lanes, 4 * lanes + 4, 4 * lanes]);
	let written = 0;
	// What is past the counters must be zero.
	arena.putNumbers(counters, 4, () => (written++ < count ? someWord(draw) : 0));
	arena.putNumbers(offsets, 4, () => someWord(draw));
	const least = Math.max(1, someWord(draw));
	const values = Array.from({ length: count }, (_, i) => naive.readUInt32LE(counters.at + 4 * i));
	const kept = [...values.keys()].filter((i) => values[i] >= least);
	const end = counters.at + 4 * count;
	assert.equal(exports.count(counters.at, end, least), kept.length, what());
	assert.equal(exports.list(counters.at, end, least, out.at), out.at + 4 * kept.length, what());
	arena.expectWords(out.at, kept);
	arena.check(what);
	exports.addDifferences(counters.at, end, offsets.at);
	for (let i = 0; i < Math.ceil(count / 4) * 4; i++) {
		const difference = naive.readUInt32LE(offsets.at + 4 * i + 4) - naive.readUInt32LE(offsets.at + 4 * i);
		naive.writeUInt32LE((naive.readUInt32LE(counters.at + 4 * i) + difference) >>> 0, counters.at + 4 * i);
	}
	arena.check(what);
});

fuzz("near sets", NEAR_SETS_MODULE, (arena, draw, what) => {
	const { exports } = arena;
	const count = 4 * someSize(draw, 150);
	const set = someWord(draw);
	const most = draw.below(draw.oneIn(4) ? 33 : 5);
	const flips = () => Array.from({ length: draw.below(9) }, () => 1 << draw.below(32));
	const sets = Array.from({ length: count }, () =>
		draw.oneIn(4) ? someWord(draw) : flips().reduce((word, bit) => word ^ bit, set) >>> 0,
	);
	const near = [...sets.keys()].filter(
		(i) => bitCount(set & ~sets[i]) <= most && bitCount(sets[i] & ~set) <= most,
	);
	// The sets are at the start of memory.
	const bytes = Buffer.from(Uint32Array.from(sets).buffer);
	arena.put(0, bytes);
	const [out] = arena.places(draw, [4 * near.length + 4], bytes.length);
	const end = exports.near(set, most, bytes.length, out.at);
	assert.equal(end, out.at + 4 * near.length, what());
	arena.expectWords(end - 4 * near.length, near);
	arena.check(what, { at: end, bytes: 4 });
});

const SHUFFLES = Buffer.from(
	Array.from({ length: 256 }, (_, mask) => {
		const indexes = Array.from({ length: 8 }, (__, i) => ((mask >>> i) & 1 ? [8, i] : [i])).flat();
		return [...indexes, ...new Array<number>(16 - indexes.length).fill(0)];
	}).flat(),
);

fuzz("escapes of JSON", ESCAPE_JSON_MODULE, (arena, draw, what) => {
	const { naive, exports } = arena;
	const bytes = 8 * someSize(draw, 300);
	const oneIn = draw.pick([1, 2, 20]);
	const text = Buffer.from(
		Array.from({ length: bytes }, () => (draw.oneIn(oneIn) ? draw.pick([0x22, 0x5c]) : draw.below(256))),
	);
	const escaped = Buffer.from(text.toString("latin1").replaceAll(/["\\]/g, "\\$&"), "latin1");
	arena.put(0, SHUFFLES);
	const [from, to] = arena.places(draw, [bytes, escaped.length + 8], SHUFFLES.length);
	arena.put(from.at, text);
	assert.equal(exports.escape(from.at, bytes, to.at), to.at + escaped.length, what());
	naive.set(escaped, to.at);
	arena.check(what, { at: to.at + escaped.length, bytes: 8 });
});
