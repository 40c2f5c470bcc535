/**
 * What the footer of an exported Parquet file says of its row groups, which readers skip groups by: a wrong least or
 * largest value would lose rows that match a filter, and no other test would see it, as a whole file is read without them.
 */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { writeParquet } from "../../builder/export/parquet-file.js";
import { parquetSchema } from "../../builder/export/parquet-row-group.js";
import { COLUMNS, daysOfIsoDate } from "../../formats/index.js";
import { withTwins } from "../engine/compiled-month.js";
import { randomMonth, rawRows } from "../oracle/random-month.js";
import { checkAsyncProperty } from "../oracle/seeded.js";

/** What bounds of longer texts are cut to, the largest rounded up. */
const WHOLE_BYTES_MAX = 16;

type Cell = string | number;

/** Order of a Parquet column: texts by their bytes. */
function compare(a: Cell, b: Cell): number {
	return typeof a === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);
}

/** A bound as a text, a number, or for a date its days. */
function plain(bound: unknown): Cell | undefined {
	if (bound instanceof Date) return bound.getTime() / 86_400_000;
	return typeof bound === "bigint" ? Number(bound) : (bound as Cell | undefined);
}

/** Bytes of a chunk's pages by their own headers: as stored, and uncompressed, headers included. */
function bytesOfPages(chunk: Buffer): { stored: number; uncompressed: number } {
	const view = new DataView(Uint8Array.from(chunk).buffer);
	const reader = { view, offset: 0 };
	let uncompressed = 0;
	while (reader.offset < chunk.length) {
		const start = reader.offset;
		const header = parquetHeader(reader);
		uncompressed += reader.offset - start + header.uncompressed_page_size;
		reader.offset += header.compressed_page_size;
	}
	return { stored: reader.offset, uncompressed };
}

test("the footer has each row group's least and largest values, nulls and bytes", (t) =>
	checkAsyncProperty(
		t,
		20,
		fc.asyncProperty(randomMonth(80), fc.integer({ min: 1, max: 90 }), async (month, groupRows) => {
			await withTwins(rawRows(month), month.month, { rowStore: false }, async ({ mapped }) => {
				const { files } = mapped.comparable;
				const path = join(mkdtempSync(join(files.folder, "export-")), "all");
				const content = { state: null, profile: null };
				const { rowGroups } = writeParquet(files, { from: 0, to: mapped.rows }, content, path, groupRows);
				const bytes = readFileSync(path);
				const { row_groups } = parquetMetadata(Uint8Array.from(bytes).buffer);
				assert.equal(row_groups.length, Math.ceil(mapped.rows / groupRows));
				for (const [group, { columns, num_rows, total_byte_size }] of row_groups.entries()) {
					const first = group * groupRows;
					const rows = Array.from({ length: Number(num_rows) }, (_, i) => first + i);
					let total = 0;
					for (const [i, { name, kind }] of COLUMNS.entries()) {
						const cells = rows
							.map((row) => mapped.value(row, name))
							.filter((value) => value !== null)
							.map((value): Cell => (kind === "date" ? daysOfIsoDate(String(value)) : (value as Cell)));
						const meta = columns[i].meta_data;
						assert.ok(meta?.statistics !== undefined, name);
						const { min_value, max_value, null_count } = meta.statistics;
						const [least, most] = [plain(min_value), plain(max_value)];
						assert.equal(Number(null_count), rows.length - cells.length, `${name}: nulls`);
						requireBounds(name, cells.sort(compare), least, most);
						const start = Number(meta.dictionary_page_offset ?? meta.data_page_offset);
						const pages = bytesOfPages(bytes.subarray(start, start + Number(meta.total_compressed_size)));
						assert.equal(pages.stored, Number(meta.total_compressed_size), name);
						assert.equal(Number(meta.total_uncompressed_size), pages.uncompressed, name);
						total += pages.uncompressed;
					}
					assert.equal(Number(total_byte_size), total);
				}
				assert.equal(rowGroups.length, row_groups.length);
			});
		}),
	));

/** `cells`, sorted, lie within the bounds, which are their least and largest unless these are long. */
function requireBounds(name: string, cells: readonly Cell[], least?: Cell, most?: Cell): void {
	if (cells.length === 0) {
		assert.deepEqual([least, most], [undefined, undefined], `${name} has no values`);
		return;
	}
	const [first, last] = [cells[0], cells[cells.length - 1]];
	assert.ok(least !== undefined && compare(least, first) <= 0, `${name}: least`);
	if (isWhole(first)) assert.equal(least, first, `${name}: least`);
	else assert.ok(String(first).startsWith(String(least)), `${name}: least of a long text`);
	// Of a long text without a character that can be rounded up there is none.
	if (isWhole(last)) assert.equal(most, last, `${name}: largest`);
	else if (most !== undefined) assert.ok(compare(most, last) > 0, `${name}: largest of a long text`);
}

function isWhole(cell: Cell): boolean {
	return typeof cell === "number" || Buffer.byteLength(cell) <= WHOLE_BYTES_MAX;
}

test("dates are declared as dates by both kinds of type, the older and the newer", () => {
	const dates = parquetSchema(null).filter(({ converted_type }) => converted_type === "DATE");
	assert.deepEqual(
		dates.map(({ name }) => name),
		COLUMNS.filter(({ kind }) => kind === "date").map(({ name }) => name),
	);
	for (const { name, logical_type } of dates) assert.deepEqual(logical_type, { type: "DATE" }, name);
});
