/**
 * What the module takes for plain records are the records that the scanner finds, with the same cells once their spaces
 * are trimmed; and it takes every plain one, wherever its bytes are in a block of 64.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SLACK_BYTES } from "../../builder/csv/byte-block.js";
import { BLOCK_RECORDS, ChunkMemory } from "../../builder/csv/chunk-memory.js";
import { fieldTable } from "../../builder/csv/field-table.js";
import { RecordScanner } from "../../builder/csv/record-scanner.js";
import { CELL_BYTES_MAX } from "../../builder/input/cell-bytes.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";

const SPACE = 0x20;
/** Longest record that the module takes. */
const PLAIN_BYTES_MAX = 0xffff;

interface Cell {
	readonly text: string;
	readonly flags: number;
}

interface Found {
	readonly cells: readonly Cell[];
	readonly next: number;
	readonly isPlain: boolean;
}

/** Whether a cell is surely more than white space. */
function isFilled(cells: readonly Cell[]): boolean {
	return cells.some(({ text, flags }) => flags === 0 && text !== "");
}

/** The record at `at` as the scanner has it, its cells without flags trimmed; null if it is none. */
function scanOne(bytes: Buffer, at: number, fields: number, delimiter: number): Found | null {
	const limit = bytes.length - 1;
	const table = fieldTable(1, fields);
	const scanner = new RecordScanner(delimiter, fields, table);
	if (scanner.scan(bytes, at, limit, true, 0) !== "record") return null;
	const cells = Array.from({ length: fields }, (_, f) => {
		let [start, end] = [table.starts[f], table.ends[f]];
		const flags = table.flags[f];
		while (flags === 0 && start < end && bytes[start] === SPACE) start++;
		while (flags === 0 && start < end && bytes[end - 1] === SPACE) end--;
		return { text: bytes.toString("latin1", start, end), flags };
	});
	const quoted = bytes.toString("latin1", at, scanner.next);
	const isPlain =
		scanner.next < limit &&
		scanner.next - at <= PLAIN_BYTES_MAX &&
		scanner.lines === 1 &&
		cells.every(({ flags }) => (flags & 4) === 0) &&
		isFilled(cells) &&
		/[\r\n]$/.test(quoted);
	return { cells, next: scanner.next, isPlain };
}

/** Text of random cells, most of them plain, with every kind of byte that the grammar knows. */
function randomText(draw: Draw, delimiter: string): string {
	const odd = [delimiter, '"', "\r", "\n", '""', "\t", "\x1f", "\x7f", "\x80", "\xff", " ", "\0"];
	const cell = () => {
		const length = draw.oneIn(40) ? draw.below(200) : draw.below(12);
		const body = Array.from({ length }, () =>
			draw.oneIn(60) ? draw.pick(odd) : draw.pick(["a", "Z", "0", " "]),
		);
		if (draw.oneIn(5)) return `"${body.join("")}"`;
		return draw.oneIn(9) ? ` ${body.join("")}  ` : body.join("");
	};
	const line = () => Array.from({ length: draw.oneIn(25) ? 1 + draw.below(5) : 3 }, cell).join(delimiter);
	return Array.from(
		{ length: 1 + draw.below(400) },
		() => line() + draw.pick(["\n", "\n", "\n", "\r\n", "\r"]),
	).join("");
}

function checkAll(bytes: Buffer, fields: number, delimiter: number, what: string): number {
	const limit = bytes.length - 1;
	const memory = new ChunkMemory(fields, bytes.length + SLACK_BYTES, null);
	memory.data.bytes.set(bytes);
	// What follows the bytes must not matter.
	memory.data.bytes.fill(0x2c, bytes.length);
	const plain = memory.plainScanner(delimiter, fields, CELL_BYTES_MAX);
	assert.ok(plain !== null, "this process runs the module");
	const { starts, ends, flags } = memory.table;
	let taken = 0;
	for (let at = 0; at < limit; ) {
		const records = plain.scan(at, limit - 1, limit, 0);
		taken += records;
		for (let record = 0; record < records; record++) {
			const expected = scanOne(bytes, at, fields, delimiter);
			assert.ok(expected !== null, `${what}: a record at ${at}`);
			assert.ok(isFilled(expected.cells), `${what}: the record at ${at} is not empty`);
			expected.cells.forEach((cell, f) => {
				const index = f * BLOCK_RECORDS + record;
				const text = bytes.toString("latin1", starts[index], ends[index]);
				assert.deepEqual({ text, flags: flags[index] }, cell, `${what}: field ${f} at ${at}`);
				if (cell.flags !== 0 || text.length > CELL_BYTES_MAX)
					assert.equal(memory.marks[f], 1, `${what}: ${f}`);
			});
			assert.deepEqual([memory.begins[record], memory.nexts[record]], [at, expected.next], what);
			at = expected.next;
		}
		assert.equal(plain.next, at, what);
		if (records === BLOCK_RECORDS || at >= limit) continue;
		const other = scanOne(bytes, at, fields, delimiter);
		assert.ok(other === null || !other.isPlain, `${what}: the record at ${at} is plain`);
		at = other?.next ?? at + 1;
	}
	return taken;
}

test("plain records are those of the scanner, for random bytes and each delimiter", (t) => {
	tellSeed(t, 300);
	let taken = 0;
	for (let run = 0; run < 300; run++) {
		const draw = new Draw(SEED, run);
		const delimiter = draw.pick([",", "\t", ";", "|"]);
		const bytes = Buffer.from(`${randomText(draw, delimiter)}\n`, "latin1");
		taken += checkAll(bytes, 3, delimiter.charCodeAt(0), `run ${run}`);
	}
	assert.ok(taken > 10_000, `${taken} plain records`);
});

test("records at the greatest lengths, of cells and of records, are marked or left to the scanner", () => {
	const cells = [CELL_BYTES_MAX, CELL_BYTES_MAX + 1, PLAIN_BYTES_MAX - 7, PLAIN_BYTES_MAX - 6];
	const taken = cells.map((bytes) => {
		const line = `a,"${"x".repeat(bytes)}",b\n`;
		return checkAll(Buffer.from(`a,b,c\n${line}a,b,c\na,b,c\n\n`), 3, 0x2c, `a cell of ${bytes} bytes`);
	});
	assert.deepEqual(taken, [3, 3, 3, 2]);
});

test("marks are only of fields with cells that need cleaning", () => {
	const bytes = Buffer.from("é, b ,c\nd,e,f\ng,h,i\n\n");
	const memory = new ChunkMemory(3, bytes.length, null);
	memory.data.bytes.set(bytes);
	assert.equal(memory.plainScanner(0x2c, 3, CELL_BYTES_MAX)?.scan(0, 9, bytes.length - 1, 0), 2);
	assert.deepEqual(Array.from(memory.marks), [1, 0, 0]);
});

test("memory is used again where it is large enough, for another source of other fields", () => {
	const first = new ChunkMemory(25, 100_000, null);
	const second = new ChunkMemory(3, 100_000, first);
	assert.equal(second.data.bytes.buffer, first.data.bytes.buffer);
	assert.notEqual(new ChunkMemory(3, 1_000_000, second).data.bytes.buffer, first.data.bytes.buffer);
});
