/** The module that finds plain records called directly at any addresses, against the words of its description. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BLOCK_RECORDS } from "../../builder/csv/chunk-memory.js";
import { PLAIN_RECORDS_MODULE } from "../../builder/csv/kernels/generated/plain-records.js";
import { KernelArena } from "../engine/kernel-arena.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

interface Exports {
	readonly prepare: (...values: number[]) => void;
	readonly scan: (position: number, last: number, limit: number, record: number) => number;
	readonly next: { readonly value: number };
}

const RUNS = 250;
const CALLS_PER_ARENA = 100;
const PAGES = 2;
const QUOTE = 0x22;
const isLineEnd = (byte: number) => byte === 0x0a || byte === 0x0d;

interface Cell {
	readonly start: number;
	readonly end: number;
	readonly flags: number;
}

interface Plain {
	readonly cells: readonly Cell[];
	readonly next: number;
}

/** Where the field at `at` ends, and its bytes; null where it is not plain. */
function naiveField(bytes: Buffer, at: number, delimiter: number) {
	const isStop = (byte: number) => byte === delimiter || isLineEnd(byte);
	if (bytes[at] !== QUOTE) {
		let end = at;
		while (!isStop(bytes[end])) end++;
		return { start: at, end, stop: end };
	}
	let end = at + 1;
	while (end < bytes.length && bytes[end] !== QUOTE && !isLineEnd(bytes[end])) end++;
	return bytes[end] === QUOTE && isStop(bytes[end + 1]) ? { start: at + 1, end, stop: end + 1 } : null;
}

function naiveCell(bytes: Buffer, from: number, to: number): Cell {
	let flags = 0;
	for (const byte of bytes.subarray(from, to)) {
		if (byte >= 0x80) flags |= 1;
		else if (byte < 0x20 || byte === 0x7f) flags |= 2;
	}
	let [start, end] = [from, to];
	while (flags === 0 && start < end && bytes[start] === 0x20) start++;
	while (flags === 0 && start < end && bytes[end - 1] === 0x20) end--;
	return { start, end, flags };
}

/** The record at `at` if it is plain. The last of `bytes` is a line feed, before which the record must end. */
function naiveRecord(bytes: Buffer, at: number, fields: number, delimiter: number): Plain | null {
	const limit = bytes.length - 1;
	if (bytes.toString("latin1", at, at + 4) === '\xef\xbb\xbf"') return null;
	const cells: Cell[] = [];
	for (let from = at; ; ) {
		const field = naiveField(bytes, from, delimiter);
		if (field === null || field.stop >= limit || cells.length === fields) return null;
		cells.push(naiveCell(bytes, field.start, field.end));
		from = field.stop + 1;
		if (bytes[field.stop] === delimiter) continue;
		if (from >= limit) return null;
		if (bytes[field.stop] === 0x0d && bytes[from] === 0x0a) from++;
		const isFilled = cells.some(({ start, end, flags }) => flags === 0 && start < end);
		return cells.length === fields && from - at <= 0xffff && isFilled ? { cells, next: from } : null;
	}
}

function someText(draw: Draw, fields: number, delimiter: string): Buffer {
	const odd = [delimiter, '"', "\r", "\n", '""', "\t", "\x1f", "\x7f", "\x80", "\xff", "\0", "\xef\xbb\xbf"];
	const oneOddIn = draw.pick([8, 60, 1000]);
	const cell = () => {
		const length = draw.oneIn(40) ? draw.below(200) : draw.below(12);
		const piece = () => (draw.oneIn(oneOddIn) ? draw.pick(odd) : draw.pick(["a", "Z", "0", " "]));
		const body = Array.from({ length }, piece).join("");
		return draw.oneIn(5) ? `"${body}"` : body;
	};
	const line = () =>
		Array.from({ length: draw.oneIn(40) ? fields + draw.below(2) : fields }, cell).join(delimiter);
	const lines = Array.from(
		{ length: draw.pick([0, 1, 3, 20, 300]) },
		() => line() + draw.pick(["\n", "\r\n", "\r"]),
	);
	const text = lines.join("").slice(0, 20_000);
	if (draw.oneIn(60))
		return Buffer.from(`a${delimiter}${"x".repeat(65_530 + draw.below(6))}\nb${delimiter}c\n`);
	return Buffer.from(text.slice(0, draw.oneIn(3) ? draw.below(text.length + 1) : text.length), "latin1");
}

function checkScan(arena: KernelArena<Exports>, draw: Draw, what: () => string): void {
	const fields = 2 + draw.below(3);
	const delimiter = draw.pick([",", "\t", ";", "|", " ", "~"]);
	const longest = draw.pick([0, 3, 100]);
	const code = delimiter.charCodeAt(0);
	const bytes = Buffer.concat([someText(draw, fields, delimiter), Buffer.from("\n")]);
	const limit = bytes.length - 1;
	const cells = fields * BLOCK_RECORDS;
	// 64 bytes after the last are read.
	const sizes = [
		4 * cells,
		4 * cells,
		cells,
		4 * BLOCK_RECORDS,
		4 * BLOCK_RECORDS,
		fields,
		bytes.length + 64,
	];
	const places = arena.places(draw, sizes);
	const [starts, ends, flags, begins, nexts, marks, data] = places.map(({ at }) => at);
	arena.put(data, bytes);
	arena.put(marks, new Uint8Array(fields));
	arena.exports.prepare(...places.map(({ at }) => at), code, fields, longest);
	const first = draw.oneIn(2) ? 0 : draw.below(BLOCK_RECORDS);
	const last = draw.oneIn(2) ? limit - 1 : draw.below(limit + 1);
	let at = draw.oneIn(2) ? 0 : draw.below(limit + 1);
	const stopped = arena.exports.scan(at, last, limit, first);
	let record = first;
	// At least one record is scanned, wherever it begins.
	for (let plain: Plain | null; record < BLOCK_RECORDS && (record === first || at <= last); record++) {
		plain = naiveRecord(bytes, at, fields, code);
		if (plain === null) break;
		plain.cells.forEach((cell, field) => {
			const index = field * BLOCK_RECORDS + record;
			arena.naive.writeUInt32LE(cell.start, starts + 4 * index);
			arena.naive.writeUInt32LE(cell.end, ends + 4 * index);
			arena.naive[flags + index] = cell.flags;
			if (cell.flags !== 0 || cell.end - cell.start > longest) arena.naive[marks + field] = 1;
		});
		arena.naive.writeUInt32LE(at, begins + 4 * record);
		arena.naive.writeUInt32LE(plain.next, nexts + 4 * record);
		at = plain.next;
	}
	assert.deepEqual([stopped, arena.exports.next.value], [record, at], what());
	// The fields of a record that is not plain may be written and marked.
	const slack =
		record === BLOCK_RECORDS ? [] : Array.from({ length: fields }, (_, f) => f * BLOCK_RECORDS + record);
	arena.check(
		what,
		...slack.flatMap((index) => [
			{ at: starts + 4 * index, bytes: 4 },
			{ at: ends + 4 * index, bytes: 4 },
			{ at: flags + index, bytes: 1 },
		]),
		...Array.from({ length: fields }, (_, f) => ({
			at: marks + f,
			bytes: Number(arena.naive[marks + f] === 0),
		})),
	);
}

test("plain records are found, wherever they and the tables are", (t) => {
	const runs = fuzzRuns(RUNS);
	tellSeed(t, runs);
	let arena: KernelArena<Exports> | null = null;
	for (let run = 0; run < runs; run++) {
		const draw = new Draw(SEED, run);
		if (arena === null || run % CALLS_PER_ARENA === 0)
			arena = KernelArena.open<Exports>(PLAIN_RECORDS_MODULE, draw, PAGES);
		checkScan(arena, draw, () => `ROLLCALL_SEED=${SEED}, run ${run}`);
	}
});
