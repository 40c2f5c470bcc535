/** Rows from the row store: in every projection and format the bytes that the naive renderer gives, whatever is in cells. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	ByteSink,
	DEFAULT_QUERY,
	type Projection,
	type RowFormat,
	type Snapshot,
} from "../../engine/index.js";
import { StoredRows } from "../../engine/render/stored-rows.js";
import { COLUMNS, LONG_VALUE, ROWS_PER_SEGMENT, RowStore } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { naiveCsv, naiveCsvCells, naiveJson, naiveNdjson } from "../oracle/naive-render.js";
import type { NaiveRow, RawRow } from "../oracle/naive-rows.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { withTwins } from "./compiled-month.js";

const NAMES = COLUMNS.map(({ name }) => name);
const WHOLE: Projection = { columns: NAMES, masked: false };
const FORMATS = ["json", "ndjson", "csv"] as const;
const NAIVE = { json: naiveJson, ndjson: naiveNdjson, csv: naiveCsv };

/** What cells are put together from. */
const PIECES = [
	"@",
	".",
	"-",
	"=",
	"+",
	"com",
	"c0m",
	"1st",
	"a@b.1st",
	"a@b.co-1",
	"x@y.museum",
	"J",
	"5",
	"07",
	" ",
	",",
	"null",
	"{",
	"}",
	"x".repeat(14),
	"y".repeat(33),
];
/** Of which each is escaped in JSON, or more than a byte. */
const ODD = [
	"\\",
	'"',
	',"member_email":',
	"é",
	"😀",
	"\u0001",
	"\n",
	"z".repeat(230),
	`a@b.${"z".repeat(900)}`,
];

function someText(draw: Draw, pieces: readonly string[]): string {
	return Array.from({ length: draw.below(7) }, () => draw.pick(pieces)).join("");
}

function someRows(seed: number): RawRow[] {
	const draw = new Draw(seed, 1);
	const texts = [
		"member_last_name",
		"member_full_name",
		"member_address",
		"office_name",
		"member_email",
		"member_preferred_phone",
		"matched_email",
		"matched_phone",
	];
	return Array.from({ length: 40 }, (_, i) => {
		const pieces = draw.oneIn(3) ? [...PIECES, ...ODD] : PIECES;
		return {
			...Object.fromEntries(texts.map((name) => [name, someText(draw, pieces)])),
			state: draw.pick(["CA", "TX", "ON"]),
			member_state_license_number: `${draw.pick(["", "-"])}L${i}`,
			agent_count: draw.oneIn(2) ? "12" : "",
		};
	});
}

/** Columns in any order, some of them so few that they are read themselves. */
function someProjection(draw: Draw): Projection {
	const some = draw.some(NAMES, NAMES.length);
	const columns = draw.oneIn(3) ? NAMES : draw.oneIn(2) ? NAMES.filter((name) => some.includes(name)) : some;
	return {
		columns: columns.length === 0 ? ["member_email", "matched_phone"] : columns,
		masked: draw.oneIn(2),
	};
}

/** Rows as the engine renders them at once, and row by row. */
function rendered(month: Snapshot, rows: Uint32Array, projection: Projection, format: RowFormat): string[] {
	const sink = new ByteSink(16);
	month.renderRows(rows, projection, format, sink);
	const whole = sink.view().toString();
	sink.reset();
	if (format === "csv") sink.text(`${projection.columns.join(",")}\r\n`);
	const writer = month.blockWriter(projection, format);
	writer.begin(rows);
	for (let i = 0; i < rows.length; i++) {
		if (format === "json" && i > 0) sink.text(",");
		writer.write(i, sink);
		if (format !== "json") sink.text(format === "csv" ? "\r\n" : "\n");
	}
	return [whole, sink.view().toString()];
}

/** Header and rows, each of its cells alone, so that a row of one empty cell is a blank line. */
function csvLines(rows: readonly NaiveRow[], projection: Projection): string {
	const lines = rows.map((row) => naiveCsvCells(row, projection));
	return [projection.columns.join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

test("any projection of stored rows has the bytes that the naive renderer gives, in every format", async (t) => {
	const append = t.mock.method(StoredRows.prototype, "append").mock;
	await checkAsyncProperty(
		t,
		15,
		fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) =>
			withTwins(someRows(seed), "2026-11", { rowStore: true }, ({ mapped, naive }) => {
				const draw = new Draw(seed, 2);
				for (let i = 0; i < 18; i++) {
					const projection = someProjection(draw);
					const format = draw.pick(FORMATS);
					const sort = draw.pick(["id", "member_full_name"] as const);
					const query = { ...DEFAULT_QUERY, sort: [sort], limit: 1 + draw.below(40) };
					const expected = naive.query(query).rows;
					const whole = NAIVE[format](expected, projection);
					const byRow = format === "csv" ? csvLines(expected, projection) : whole;
					const { rows } = mapped.query(query);
					assert.deepEqual(rendered(mapped, rows, projection, format), [whole, byRow]);
				}
			}),
		),
		18,
	);
	assert.ok(append.callCount() > 500, `${append.callCount()} times from stored rows`);
});

/** A row that has only an id and an address, as it is stored. */
function encoded(text: string, id: number): Buffer {
	const lengths = Buffer.alloc(COLUMNS.length);
	const [digits, address] = [Buffer.from(String(id)), Buffer.from(text)];
	lengths[0] = digits.length;
	lengths[NAMES.indexOf("member_address")] = Math.min(LONG_VALUE, address.length);
	const long = Buffer.alloc(address.length < LONG_VALUE ? 0 : 4);
	if (long.length > 0) long.writeUInt32LE(address.length);
	return Buffer.concat([lengths, digits, long, address]);
}

/** A row of each text, which is its address, in two segments: the last rows of the first and the first of the second. */
function storeOf(texts: readonly string[], before: number) {
	const first = ROWS_PER_SEGMENT - before;
	const own = [texts.slice(0, before), texts.slice(before)];
	const segments = own.map((part, segment) => {
		const rows = part.map((text, i) => encoded(text, 10 ** 12 + segment * before + i));
		const offsets = new Uint32Array(ROWS_PER_SEGMENT + 1);
		const base = segment === 0 ? first : 0;
		let at = 0;
		rows.forEach((row, i) => {
			at += row.length;
			offsets[base + i + 1] = at;
		});
		offsets.fill(at, base + rows.length + 1);
		return { offsets, heap: Buffer.concat(rows) };
	});
	const naive = texts.map((text, i) => {
		const values = { id: 10 ** 12 + i, member_address: text === "" ? null : text };
		return { ...Object.fromEntries(NAMES.map((name) => [name, null])), ...values } as unknown as NaiveRow;
	});
	return { store: new RowStore(segments), first, naive };
}

/** Lengths around vectors, around a byte, and around all that is rendered at a time. */
const LENGTHS = [
	0, 1, 14, 15, 16, 17, 31, 32, 33, 47, 48, 49, 253, 254, 255, 256, 257, 6_000, 7_000, 12_200, 12_300, 5,
	12_240, 12_250, 12_260, 6, 30_000, 7,
];

test("rows of any length are rendered over the border of segments, those without room from the columns", () => {
	for (const pattern of ["a", ",", "ab,", "-", "é"]) {
		const texts = LENGTHS.map((length) => pattern.repeat(Math.ceil(length / pattern.length)));
		const { store, first, naive } = storeOf(texts, 7);
		for (const format of FORMATS) {
			const stored = StoredRows.open(store, WHOLE, format);
			assert.ok(stored !== null, "this machine runs the kernel");
			const end = format === "json" ? "," : "";
			const header = format === "csv" ? naiveCsv([], WHOLE).length : 0;
			const textOf = (i: number) => `${NAIVE[format]([naive[i]], WHOLE).slice(header)}${end}`;
			const sink = new ByteSink(16);
			let left = 0;
			const fromColumns = (row: number, target: ByteSink) => {
				left++;
				target.text(textOf(row - first));
			};
			const rows = Uint32Array.from(texts, (_, i) => first + i);
			for (const order of [rows, rows.toReversed(), rows.filter((_, i) => i % 2 === 0)]) {
				sink.reset();
				stored.append(order, sink, fromColumns);
				const expected = [...order].map((row) => textOf(row - first)).join("");
				assert.ok(sink.view().toString() === expected, `${format} of ${pattern}`);
			}
			assert.ok(left > 0 && left < LENGTHS.length, `${left} rows from the columns`);
		}
	}
});

test("corrupt rows and offsets are left to the columns, and nothing is written past the memory", () => {
	const { store, first } = storeOf(["plain", "a, b", "next"], 3);
	const [{ heap, offsets }] = store.segments;
	const [ownHeap, ownOffsets] = [Buffer.from(heap), offsets.slice()];
	const draw = new Draw(3, 1);
	let left = 0;
	for (let i = 0; i < 3_000; i++) {
		heap.set(ownHeap);
		offsets.set(ownOffsets);
		if (draw.oneIn(2)) heap[draw.below(heap.length)] = draw.pick([0, 1, 16, 200, 254, 255]);
		else offsets[first + draw.below(4)] = draw.pick([0, 5, 40, 100, 2 ** 31, 2 ** 32 - 1]);
		const stored = StoredRows.open(store, { ...WHOLE, masked: draw.oneIn(2) }, draw.pick(FORMATS));
		const sink = new ByteSink(1 << 16);
		stored?.append(Uint32Array.of(first, first + 1, first + 2), sink, () => left++);
		assert.ok(sink.length < 10_000, "no more than the rows");
	}
	assert.ok(left > 500 && left < 8_000, `${left} of 9,000 rows from the columns`);
});

test("a length past the row's end is refused, however long", () => {
	const long = encoded("y".repeat(300), 1);
	for (const length of [301, 2 ** 16, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]) {
		const row = Buffer.from(long);
		row.writeUInt32LE(length, row.length - 304);
		const store = new RowStore([{ offsets: Uint32Array.of(0, row.length), heap: row }]);
		let left = 0;
		StoredRows.open(store, WHOLE, "json")?.append(Uint32Array.of(0), new ByteSink(), () => left++);
		assert.equal(left, 1, `${length}`);
	}
});

/** A byte that only the other rows have. */
const OTHERS = "~";

test("a corrupt length never brings bytes of other rows into an answer", () => {
	const draw = new Draw(7, 1);
	const secret = encoded(OTHERS.repeat(2_000), 2);
	// The last column has a value too, so that its end is the row's.
	const rows = [300, 200].map((length) => {
		const row = Buffer.concat([encoded("y".repeat(length), 1), Buffer.from("2026-11-01")]);
		row[COLUMNS.length - 1] = 10;
		return row;
	});
	const counts = { left: 0, rendered: 0 };
	const refuse = () => counts.left++;
	for (let i = 0; i < 3_000; i++) {
		const row = rows[i % 2];
		const corrupt = Buffer.from(row);
		const column = draw.oneIn(3) ? COLUMNS.length - 1 : draw.below(COLUMNS.length);
		corrupt[column] = draw.pick([corrupt[column] + 1, 1, 9, 11, 30, 254, LONG_VALUE]);
		if (row === rows[0] && draw.oneIn(4))
			corrupt.writeUInt32LE(draw.pick([301, 309, 310, 311, 2_000]), COLUMNS.length + 1);
		const whole = Buffer.concat([corrupt, secret]);
		const offsets = Uint32Array.of(0, row.length, whole.length);
		const other = new RowStore([{ offsets, heap: whole }]);
		// Of some, the row's end is past the file's.
		const heap = draw.oneIn(4) ? whole.subarray(0, row.length - 1 - draw.below(9)) : whole;
		const store = new RowStore([{ offsets, heap }]);
		const columns = draw.oneIn(2) ? NAMES : draw.some(NAMES, NAMES.length);
		const last = { columns: [...columns, "last_refreshed"], masked: draw.oneIn(2) } as const;
		const stored = StoredRows.open(store, draw.oneIn(2) ? last : WHOLE, draw.pick(FORMATS));
		assert.ok(stored !== null, "this machine runs the kernel");
		const sink = new ByteSink();
		// Leaves the other row in the memory, as an answer before this one may.
		StoredRows.open(other, WHOLE, "json")?.append(Uint32Array.of(1), sink, refuse);
		sink.reset();
		const left = counts.left;
		stored.append(Uint32Array.of(0), sink, refuse);
		assert.ok(!sink.view().includes(OTHERS), `length ${corrupt[column]} of column ${column}`);
		if (counts.left === left) counts.rendered++;
	}
	assert.ok(counts.left > 500 && counts.rendered > 100, JSON.stringify(counts));
});

test("a column may follow itself", () => {
	const { store, first, naive } = storeOf(["plain", "x".repeat(300)], 2);
	const columns = ["member_address", "member_address", "id", "id"] as const;
	const sink = new ByteSink();
	const rows = Uint32Array.of(first, first + 1);
	StoredRows.open(store, { columns, masked: false }, "csv")?.append(rows, sink, () => assert.fail());
	const header = naiveCsv([], { columns, masked: false });
	assert.equal(`${header}${sink.view()}`, naiveCsv(naive, { columns, masked: false }));
});

test("a masked column may follow itself, and is masked once", async () => {
	const columns = ["member_email", "member_preferred_phone", "member_email", "matched_phone"] as const;
	const projection = { columns: [...columns, ...columns], masked: true };
	const raw = Array.from({ length: 9 }, (_, i) => ({
		state: "CA",
		member_state_license_number: `L${i}`,
		member_email: i % 3 === 0 ? "" : `${"x".repeat(20 * i)}jane@example.co`,
		member_preferred_phone: i % 2 === 0 ? "" : "555-010-0123",
		matched_phone: "555-010-0199 ext. 7",
	}));
	await withTwins(raw, "2026-11", { rowStore: true }, ({ mapped, naive }) => {
		const query = { ...DEFAULT_QUERY, limit: 9 };
		const expected = naiveCsv(naive.query(query).rows, projection);
		assert.deepEqual(rendered(mapped, mapped.query(query).rows, projection, "csv"), [expected, expected]);
	});
});

test("more rows than the memory has room for at once are rendered without the columns", () => {
	const texts = Array.from({ length: 400 }, (_, i) => "x".repeat(i % 9));
	const { store, first, naive } = storeOf(texts, 400);
	const sink = new ByteSink();
	const rows = Uint32Array.from(texts, (_, i) => first + i);
	StoredRows.open(store, WHOLE, "ndjson")?.append(rows, sink, () => assert.fail());
	assert.equal(sink.view().toString(), naiveNdjson(naive, WHOLE));
});

test("names too long for the memory leave rows to the columns", () => {
	const { store } = storeOf(["plain"], 1);
	const names = NAMES.map((name) => name.padEnd(600, "x"));
	assert.equal(StoredRows.open(store, { ...WHOLE, names }, "json"), null);
});
