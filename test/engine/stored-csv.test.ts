/** Stored rows as CSV: the module and the loop write what the naive renderer writes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteSink, DEFAULT_QUERY } from "../../engine/index.js";
import { renderStoredCsvCells, renderStoredCsvRows } from "../../engine/render/csv-from-store.js";
import { StoredCsv } from "../../engine/render/csv-from-store-simd.js";
import { COLUMNS, type ColumnName, ROWS_PER_SEGMENT, RowStore } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { csvCell, naiveCsv } from "../oracle/naive-render.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { withTwins } from "./compiled-month.js";

const WHOLE = { columns: COLUMNS.map(({ name }) => name), masked: false };

const PIECES = [
	"=",
	"+",
	"-",
	"@",
	",",
	"a",
	"null",
	"}",
	"{",
	"é",
	"😀",
	"x".repeat(14),
	"y".repeat(33),
	" ",
];
/** Of which each is escaped in JSON. */
const ESCAPED = ['"', "\\", '","'];

function someText(draw: Draw, pieces: readonly string[]): string {
	return Array.from({ length: draw.below(6) }, () => draw.pick(pieces)).join("");
}

function someRows(seed: number): RawRow[] {
	const draw = new Draw(seed, 1);
	return Array.from({ length: 60 }, (_, i) => {
		const pieces = draw.oneIn(4) ? [...PIECES, ...ESCAPED] : PIECES;
		const texts = ["member_last_name", "member_full_name", "office_name", "member_address", "member_email"];
		const cells = Object.fromEntries(texts.map((name) => [name, someText(draw, pieces)]));
		const rest = { state: draw.pick(["CA", "TX"]), agent_count: draw.oneIn(2) ? "12" : "" };
		return { ...cells, ...rest, member_state_license_number: `${draw.pick(["", "-"])}L${i}` };
	});
}

test("stored rows as CSV are what the naive renderer writes", async (t) => {
	await checkAsyncProperty(
		t,
		20,
		fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) =>
			withTwins(someRows(seed), "2026-11", { rowStore: true }, ({ mapped, naive }) => {
				for (const [sort, order] of [
					["id", "asc"],
					["member_full_name", "desc"],
				] as const) {
					const query = { ...DEFAULT_QUERY, sort: [sort], order, limit: 60 };
					const { rows } = mapped.query(query);
					const expected = naiveCsv(naive.query(query).rows, WHOLE);
					const sink = new ByteSink(16);
					mapped.renderRows(rows, WHOLE, "csv", sink);
					assert.equal(sink.view().toString(), expected);
					sink.reset();
					const writer = mapped.blockWriter(WHOLE, "csv");
					writer.begin(rows);
					sink.text(`${WHOLE.columns.join(",")}\r\n`);
					for (let i = 0; i < rows.length; i++) {
						writer.write(i, sink);
						sink.text("\r\n");
					}
					assert.equal(sink.view().toString(), expected, "by blocks");
				}
			}),
		),
		5,
	);
});

/** A row of each text, which is its address, in two segments: the last rows of the first and the first of the second. */
function storeOf(
	texts: readonly string[],
	before: number,
): { store: RowStore; first: number; cells: string[][] } {
	const first = ROWS_PER_SEGMENT - before;
	const objects = texts.map((text, i) => {
		const value = (name: ColumnName) =>
			name === "id" ? 10 ** 12 + i : name === "member_address" ? text : null;
		return Object.fromEntries(COLUMNS.map(({ name }) => [name, value(name)]));
	});
	const segments = [0, 1].map((segment) => {
		const own = segment === 0 ? objects.slice(0, before) : objects.slice(before);
		const rows = own.map((object) => Buffer.from(`${JSON.stringify(object)},`));
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
	const cells = objects.map((object) => Object.values(object).map((value) => csvCell(value)));
	return { store: new RowStore(segments), first, cells };
}

/** Lengths around a step of the module, and around all that it converts at a time. */
const LENGTHS = [
	0, 1, 14, 15, 16, 17, 31, 32, 33, 47, 48, 49, 24_000, 24_100, 24_200, 30_000, 5, 6, 12_000, 12_500,
];

test("rows of any length, over the border of segments, are converted by the module and by the loop", () => {
	const module = StoredCsv.open();
	assert.ok(module !== null, "this machine runs the module");
	for (const pattern of ["a", ",", "ab,", "-", "é"]) {
		const texts = LENGTHS.map((length) => pattern.repeat(Math.ceil(length / pattern.length)));
		const { store, first, cells } = storeOf(texts, 7);
		const rows = Uint32Array.from(texts, (_, i) => first + i);
		const lines = cells.map((row) => `${row.join(",")}\r\n`);
		for (const [way, means] of [
			["module", module],
			["loop", null],
		] as const) {
			const sink = new ByteSink(16);
			renderStoredCsvRows(store, [], rows, sink, means);
			assert.equal(sink.view().toString(), lines.join(""), `${way}, ${pattern}`);
			sink.reset();
			renderStoredCsvRows(store, [], rows.toReversed(), sink, means);
			assert.equal(sink.view().toString(), lines.toReversed().join(""), `${way}, ${pattern}, backwards`);
			sink.reset();
			for (const row of rows) renderStoredCsvCells(store, [], row, sink, means);
			assert.equal(sink.view().toString(), cells.map((row) => row.join(",")).join(""), `${way}, row by row`);
		}
	}
});

test("a stored row with an escape, cut short or with a corrupt offset is not converted", () => {
	const module = StoredCsv.open();
	assert.ok(module !== null, "this machine runs the module");
	const converted = (text: string, change: (store: RowStore) => void = () => {}) => {
		const { store, first } = storeOf([text, "next"], 2);
		change(store);
		return module.convert(store, Uint32Array.of(first, first + 1), 0);
	};
	assert.equal(converted("plain"), 2);
	for (const text of ['a"', "\\", "x".repeat(15).concat("\n"), "a,b\\"])
		assert.equal(converted(text), 0, text);
	const [at, next] = [ROWS_PER_SEGMENT - 2, ROWS_PER_SEGMENT - 1];
	for (const end of [0, 5, 100, 2 ** 31, 2 ** 32 - 1]) {
		const count = converted("plain", ({ segments }) => segments[0].offsets.fill(end, next, next + 1));
		assert.equal(count, 0, `ends at ${end}`);
	}
	for (const start of [60, 2 ** 32 - 1]) {
		const count = converted("plain", ({ segments }) => segments[0].offsets.fill(start, at, at + 1));
		assert.equal(count, 0, `starts at ${start}`);
	}
	assert.equal(
		converted("plain", ({ segments }) => segments[0].heap.fill("A")),
		0,
		"neither value nor end",
	);
});

test("a stored row that does not end is rendered from the columns by the loop too", () => {
	for (const where of ["plain", "null"]) {
		const { store, first } = storeOf(["plain"], 1);
		const [{ heap }] = store.segments;
		heap.fill("A", heap.indexOf(where));
		const sink = new ByteSink(16);
		renderStoredCsvCells(store, [], first, sink, null);
		assert.equal(sink.length, 0, where);
	}
});
