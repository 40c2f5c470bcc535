/**
 * Stored values with JSON escapes, in every text column at once: the kernel writes the bytes that the naive renderer
 * gives, and leaves to the columns only what is said to be left there.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteSink, type Projection } from "../../engine/index.js";
import { StoredRows } from "../../engine/render/stored-rows.js";
import { COLUMNS, LONG_VALUE, RowStore } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { naiveCsvCells, naiveJson, naiveNdjson } from "../oracle/naive-render.js";
import type { NaiveRow } from "../oracle/naive-rows.js";
import { checkProperty } from "../oracle/seeded.js";

const NAMES = COLUMNS.map(({ name }) => name);
const FORMATS = ["json", "ndjson", "csv"] as const;
/** A row and what follows it. */
const NAIVE = {
	json: (row: NaiveRow, projection: Projection) => `${naiveJson([row], projection)},`,
	ndjson: (row: NaiveRow, projection: Projection) => naiveNdjson([row], projection),
	csv: (row: NaiveRow, projection: Projection) => `${naiveCsvCells(row, projection)}\r\n`,
};

/** Values are put together from these. */
const PLAIN = [
	"",
	" ",
	"a",
	"=",
	"-",
	"@",
	",",
	"é",
	"😀",
	"'",
	"x".repeat(13),
	"y".repeat(31),
	"z".repeat(240),
];
const ESCAPED = ['"', '""', "\\", '\\"', "\n", "\r", "\t", "\b\f", '",', ",\\", "u0041", '"'.repeat(130)];
/** Escaped as \u00XX, which leaves the row to the columns in CSV. */
const CONTROL = ["\u0001", "\u001f", "\u0000"];

function someValue(draw: Draw, pieces: readonly string[]): string | null {
	const text = Array.from({ length: draw.below(6) }, () => draw.pick(pieces)).join("");
	return text === "" ? null : text;
}

function someRow(draw: Draw): NaiveRow {
	const pieces = [...PLAIN, ...(draw.oneIn(4) ? [] : ESCAPED), ...(draw.oneIn(8) ? CONTROL : [])];
	const values = COLUMNS.map(({ name, kind }) => {
		if (kind === "id" || kind === "int") return [name, draw.below(10 ** 9) + 1];
		// One value in three is absent.
		return [name, draw.oneIn(3) ? null : someValue(draw, pieces)];
	});
	return Object.fromEntries(values) as NaiveRow;
}

/** A row as it is stored. */
function encoded(row: NaiveRow): Buffer {
	const lengths: number[] = [];
	const parts = NAMES.flatMap((name) => {
		const value = row[name];
		const bytes = Buffer.from(value === null ? "" : JSON.stringify(value).replace(/^"|"$/g, ""));
		lengths.push(Math.min(LONG_VALUE, bytes.length));
		if (bytes.length < LONG_VALUE) return [bytes];
		const long = Buffer.alloc(4);
		long.writeUInt32LE(bytes.length);
		return [long, bytes];
	});
	return Buffer.concat([Buffer.from(lengths), ...parts]);
}

function storeOf(rows: readonly Buffer[]): RowStore {
	const offsets = new Uint32Array(rows.length + 1);
	rows.forEach((row, i) => {
		offsets[i + 1] = offsets[i] + row.length;
	});
	return new RowStore([{ offsets, heap: Buffer.concat(rows) }]);
}

function someProjection(draw: Draw): Projection {
	const some = draw.some(NAMES, NAMES.length);
	const columns = draw.oneIn(3) || some.length === 0 ? NAMES : some;
	return { columns, masked: draw.oneIn(2) };
}

/** Whether the kernel leaves the row to the columns, whose masked forms it makes of ASCII without escapes alone. */
function isLeft(row: NaiveRow, { columns, masked }: Projection, isCsv: boolean): boolean {
	return columns.some((name) => {
		const value = row[name];
		if (typeof value !== "string") return false;
		const { contact } = COLUMNS[NAMES.indexOf(name)];
		const stored = JSON.stringify(value).slice(1, -1);
		if (masked && contact) return /[^ -\x7e]|\\/.test(stored) || stored.length > 192;
		return isCsv && CONTROL.some((byte) => value.includes(byte));
	});
}

test("values with escapes are rendered as the naive renderer does, in every text column", (t) => {
	const counts = { left: 0, rendered: 0 };
	checkProperty(
		t,
		150,
		fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) => {
			const draw = new Draw(seed, 1);
			const rows = Array.from({ length: 12 }, () => someRow(draw));
			const store = storeOf(rows.map(encoded));
			const projection = someProjection(draw);
			for (const format of FORMATS) {
				const isCsv = format === "csv";
				const stored = StoredRows.open(store, projection, format);
				assert.ok(stored !== null, "this machine runs the kernel");
				rows.forEach((row, i) => {
					const sink = new ByteSink(16);
					const expected = NAIVE[format](row, projection);
					let left = false;
					stored.append(Uint32Array.of(i), sink, (_, target) => {
						left = true;
						target.text(expected);
					});
					assert.equal(sink.view().toString(), expected);
					// Rows longer than the kernel's memory are left too.
					if (encoded(row).length < 9_000) assert.equal(left, isLeft(row, projection, isCsv), expected);
					counts[left ? "left" : "rendered"]++;
				});
			}
		}),
	);
	assert.ok(counts.left > 0 && counts.rendered > counts.left, JSON.stringify(counts));
});

test("an escape that is cut off or unknown is left to the columns in CSV", () => {
	const row = Object.fromEntries(NAMES.map((name) => [name, null])) as unknown as NaiveRow;
	const projection: Projection = { columns: NAMES, masked: false };
	for (const [value, broken] of [
		["ab", "a\\"],
		["abcdefghijklmnop", "abcdefghijklmno\\"],
		["abc", "a\\x"],
		["abc", "a\\/"],
	]) {
		const buffer = encoded({ ...row, office_name: value, office_phone: '"n' } as unknown as NaiveRow);
		buffer.write(broken.slice(0, value.length), COLUMNS.length);
		let left = 0;
		const stored = StoredRows.open(storeOf([buffer]), projection, "csv");
		stored?.append(Uint32Array.of(0), new ByteSink(), () => left++);
		assert.equal(left, 1, broken);
	}
});
