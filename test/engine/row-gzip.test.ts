/** gzip of rendered rows: every body decodes to itself, and rows come out small. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { ByteSink, DEFAULT_QUERY, GZIP_BODY_BYTES_MAX, type RowFormat } from "../../engine/index.js";
import { deflateCode, SYMBOLS } from "../../engine/render/gzip/deflate-code.js";
import { SYMBOL_COUNTS } from "../../engine/render/gzip/generated/symbol-counts.js";
import { canonicalCodes, codeLengths } from "../../engine/render/gzip/huffman.js";
import { RowGzip } from "../../engine/render/gzip/row-gzip.js";
import { COLUMNS } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { largeRows } from "../oracle/large-month.js";
import { naiveRowGzip } from "../oracle/naive-row-gzip.js";
import { checkProperty } from "../oracle/seeded.js";
import { withTwins } from "./compiled-month.js";

const FORMATS: readonly RowFormat[] = ["json", "ndjson", "csv"];
const CODES = {
	json: deflateCode(SYMBOL_COUNTS.json),
	ndjson: deflateCode(SYMBOL_COUNTS.ndjson),
	csv: deflateCode(SYMBOL_COUNTS.csv),
};

/** What rows are made of, and what might be taken for their separators. */
const PIECES = [
	'{"data":[{"id":',
	',{"id":',
	'},{"id":',
	'","member_city":"',
	',"x":null',
	'"Smith,","',
	"\n{",
	'\r\n"a,b",c,',
	"é😀",
	"\\u0000",
	",,,,,,,,,,,,,,,,,,,,,",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

function randomBody(draw: Draw): Buffer {
	const parts: Buffer[] = [];
	const pieces = draw.below(60);
	for (let i = 0; i < pieces; i++) {
		const kind = draw.below(10);
		if (kind < 6) parts.push(Buffer.from(PIECES[draw.below(PIECES.length)]));
		else if (kind < 8) parts.push(Buffer.from(Array.from({ length: draw.below(40) }, () => draw.below(256))));
		// Longer than any match, and further apart than one may reach back.
		else if (kind === 8) parts.push(Buffer.alloc(draw.below(1200), PIECES[draw.below(PIECES.length)]));
		else if (parts.length > 0) parts.push(parts[draw.below(parts.length)]);
		if (draw.below(200) === 0) parts.push(Buffer.alloc(33_000 + draw.below(70_000), 97 + draw.below(3)));
	}
	return Buffer.concat(parts);
}

test("any body decodes to itself, and is what a naive compressor makes of it", (t) => {
	checkProperty(
		t,
		1_000,
		fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) => {
			const draw = new Draw(seed, 1);
			const gzip = new RowGzip();
			const format = FORMATS[draw.below(FORMATS.length)];
			for (let i = 0; i < 4; i++) {
				const body = randomBody(draw);
				const compressed = gzip.compress(body, format);
				assert.ok(gunzipSync(compressed).equals(body), `${format}, ${body.length} bytes`);
				assert.ok(
					naiveRowGzip(body, format, CODES[format]).equals(compressed),
					"the matches are those described",
				);
			}
		}),
	);
});

test("fields that have no room in the list are compressed as the rest of the last that has", () => {
	const gzip = new RowGzip();
	for (const format of FORMATS) {
		const filler = format === "csv" ? ",," : ',"';
		for (const fields of [4056, 4057, 4058, 4059, 4060, 4100, 5000]) {
			// Rows of that many fields, no two of them alike, at all places of a block.
			const row = (seed: number) =>
				Array.from({ length: fields }, (_, i) => `${filler}${(i * seed) % 9973}`).join("");
			const ender = format === "json" ? "},{" : "\n{";
			const body = Buffer.from([7, 7919, 104_729].map(row).join(ender));
			const compressed = gzip.compress(body, format);
			assert.ok(naiveRowGzip(body, format, CODES[format]).equals(compressed), `${format}, ${fields} fields`);
		}
	}
});

test("a match reaches 32,768 bytes back and no further", () => {
	const gzip = new RowGzip();
	const field = ',"a long value that is there twice';
	const sizes = [32_766, 32_767, 32_768, 32_769, 32_770].map((distance) => {
		const body = Buffer.from(field.padEnd(distance, "x") + field);
		const compressed = gzip.compress(body, "json");
		assert.ok(gunzipSync(compressed).equals(body), `${distance} bytes`);
		assert.ok(naiveRowGzip(body, "json", CODES.json).equals(compressed), `${distance} bytes`);
		return compressed.length;
	});
	assert.ok(sizes[2] < sizes[3], `${sizes}`);
});

test("sizes around the limits of matches and of memory pages decode", () => {
	const gzip = new RowGzip();
	for (const length of [
		0, 1, 3, 4, 5, 15, 16, 17, 257, 258, 259, 260, 261, 262, 516, 519, 65_535, 65_536, 65_537,
	]) {
		for (const filler of ["a", ',"', ',{"a":1']) {
			const body = Buffer.alloc(length, filler);
			assert.ok(gunzipSync(gzip.compress(body, "json")).equals(body), `${length} of ${filler}`);
		}
	}
	const largest = Buffer.from(
		Array.from({ length: GZIP_BODY_BYTES_MAX }, (_, i) => (i * i * 7 + (i >> 8)) & 255),
	);
	assert.ok(gunzipSync(gzip.compress(largest, "json")).equals(largest));
	assert.throws(() => gzip.compress(Buffer.alloc(GZIP_BODY_BYTES_MAX + 1), "json"));
});

test("a code of skewed frequencies keeps its limits and is complete", () => {
	for (const counts of [
		Array.from({ length: SYMBOLS }, (_, i) => 2 ** (i % 30)),
		new Array<number>(SYMBOLS).fill(0),
		Array.from({ length: SYMBOLS }, (_, i) => (i === 0 ? 4_000_000_000 : 0)),
	]) {
		const code = deflateCode(counts);
		assert.ok(code.tables.subarray(0, 256).every((entry) => entry >>> 24 >= 1 && entry >>> 24 <= 12));
		const lengths = codeLengths(counts.slice(0, 286), 12);
		assert.equal(
			lengths.reduce((sum, length) => sum + 2 ** -length, 0),
			1,
		);
		assert.equal(
			new Set(Array.from(canonicalCodes(lengths), (bits, i) => `${lengths[i]}:${bits}`)).size,
			286,
		);
	}
});

test("pages of a month decode in every format, masked or not", async () => {
	const columns = COLUMNS.map((column) => column.name);
	await withTwins(largeRows(7).slice(0, 6_000), "2026-11", { rowStore: true }, ({ mapped }) => {
		for (const format of FORMATS) {
			for (const masked of [false, true]) {
				for (const sort of ["id", "member_license_expires", "office_name"] as const) {
					const page = mapped.query({ ...DEFAULT_QUERY, sort: [sort], page: 7 });
					const sink = new ByteSink();
					mapped.renderRows(page.rows, { columns, masked }, format, sink);
					const body = Buffer.from(sink.view());
					const compressed = mapped.gzip(body, format);
					assert.ok(naiveRowGzip(body, format, CODES[format]).equals(compressed));
					assert.ok(gunzipSync(compressed).equals(body));
					assert.ok(compressed.length < body.length, `${format} by ${sort}: ${compressed.length}`);
				}
			}
		}
	});
});
