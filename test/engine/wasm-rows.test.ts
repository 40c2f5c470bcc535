/**
 * The modules that write rows, called directly: stored rows by templates, and gzip of rows. Their output is that of naive
 * loops, at any place of memory up to its very end, and nothing outside of their rooms is written.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { DEFLATE_ROWS_MODULE } from "../../engine/kernels/generated/deflate-rows.js";
import { deflateCode, PAIR_CODES, writePairCodes } from "../../engine/render/gzip/deflate-code.js";
import { SYMBOL_COUNTS } from "../../engine/render/gzip/generated/symbol-counts.js";
import { maskEmail, maskPhone } from "../../engine/render/mask.js";
import {
	KERNEL_BYTES,
	ROWS_END_MAX,
	roomOf,
	SLACK_BYTES,
	StoredKernel,
} from "../../engine/render/stored-kernel.js";
import {
	cellsOf,
	IMAGE,
	IMAGE_BYTES_MAX,
	membersOf,
	TemplateImage,
} from "../../engine/render/stored-template.js";
import { COLUMNS, type Column, columnNamed, LONG_VALUE } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { csvCell } from "../oracle/naive-render.js";
import { naiveRowGzip } from "../oracle/naive-row-gzip.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { KernelArena, PAGE_BYTES, someSize, someWord } from "./kernel-arena.js";

/** Where the module notes what it finds of a row (stored-rows.wat). */
const NOTES = { at: 640, end: 928 };
const MASKED = { at: IMAGE + IMAGE_BYTES_MAX, end: KERNEL_BYTES };
const MASKED_MAX = 192;
const ROWS_MAX = 20_000;
const PIECES = [
	"",
	" ",
	"a",
	"=",
	"-",
	"@",
	"+",
	",",
	"é",
	"😀",
	".x-",
	"9",
	"12",
	".co",
	"x".repeat(15),
	"z".repeat(31),
];
const ESCAPES = ['\\"', "\\\\", "\\n", "\\r", "\\t", "\\b", "\\f", "\\u0001"];

function someValue(draw: Draw, { kind }: Column): Buffer {
	if (draw.oneIn(3)) return Buffer.alloc(0);
	if (kind === "id" || kind === "int") return Buffer.from(String(draw.below(10 ** 9)));
	const pieces = draw.oneIn(3) ? [...PIECES, ...ESCAPES] : PIECES;
	if (draw.oneIn(12)) return Buffer.alloc(draw.pick([191, 192, 193, 254, 255, 256, 300]), "v");
	return Buffer.from(Array.from({ length: draw.below(6) }, () => draw.pick(pieces)).join(""));
}

function stored(values: readonly Buffer[]): Buffer {
	const parts = values.flatMap((value) => {
		if (value.length < LONG_VALUE) return [value];
		const length = Buffer.alloc(4);
		length.writeUInt32LE(value.length);
		return [length, value];
	});
	return Buffer.concat([Buffer.from(values.map(({ length }) => Math.min(LONG_VALUE, length))), ...parts]);
}

const ONE_BYTE = { '"': '"', "\\": "\\", n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" } as const;

/** What a value is shown as; null where the module leaves the row to its caller. */
function shown(
	value: string,
	{ name, kind, contact }: Column,
	masked: boolean,
	isCsv: boolean,
): string | null {
	if (kind === "id" || kind === "int" || value === "") return value === "" && !isCsv ? "null" : value;
	if (masked && contact) {
		if (/[^\0-\x7f]|\\/.test(value) || value.length > MASKED_MAX) return null;
		const hidden = name.endsWith("email") ? maskEmail(value) : maskPhone(value);
		return isCsv ? csvCell(hidden) : `"${hidden}"`;
	}
	if (!isCsv) return `"${value}"`;
	if (value.includes("\\u")) return null;
	return csvCell(value.replaceAll(/\\(.)/g, (_, letter: keyof typeof ONE_BYTE) => ONE_BYTE[letter]));
}

/** Renders one random row and compares; returns whether it was rendered. */
function checkRow(kernel: StoredKernel, draw: Draw, what: string): boolean {
	const { memory } = kernel;
	const isCsv = draw.oneIn(2);
	const masked = draw.oneIn(2);
	const chosen = draw.some(COLUMNS, COLUMNS.length).map(({ name }) => name);
	const columns = chosen.length === 0 ? [COLUMNS[0].name] : chosen;
	const image = new TemplateImage();
	const pieces = isCsv ? cellsOf(columns) : membersOf({ columns, masked });
	const tail = isCsv ? "\r\n" : "}";
	const template = image.add(pieces, tail, masked, isCsv);
	kernel.use(image);
	const values = COLUMNS.map((column) => someValue(draw, column));
	const row = stored(values);
	const room = roomOf(template, row.length);
	if (row.length > ROWS_MAX || KERNEL_BYTES + row.length + SLACK_BYTES + room + 100 > PAGE_BYTES)
		return false;
	const to = PAGE_BYTES - room - (draw.oneIn(2) ? 0 : draw.below(100));
	const last = Math.max(KERNEL_BYTES, Math.min(to - SLACK_BYTES, ROWS_END_MAX) - row.length);
	const from = draw.oneIn(2) ? KERNEL_BYTES : KERNEL_BYTES + draw.below(last - KERNEL_BYTES + 1);
	memory.set(row, from);
	const texts = columns.map((name) => {
		const column = columnNamed(name);
		return shown(values[COLUMNS.indexOf(column)].toString(), column, masked, isCsv);
	});
	// Where a row ends too early it is none.
	const cut = draw.oneIn(10) ? 1 + draw.below(Math.min(row.length, 40)) : 0;
	const isLeft = cut > 0 || texts.includes(null);
	const expected = Buffer.from(texts.map((text, i) => `${pieces[i].before}${text}`).join("") + tail);
	const before = Buffer.from(memory);
	const end = kernel.render(from, from + row.length - cut, to, template);
	assert.equal(end, isLeft ? 0 : to + expected.length, what);
	if (!isLeft) assert.equal(memory.toString("latin1", to, end), expected.toString("latin1"), what);
	for (const place of [NOTES, MASKED, { at: to, end: Math.min(to + room, PAGE_BYTES) }])
		memory.copy(before, place.at, place.at, place.end);
	assert.ok(memory.equals(before), `${what}: written outside`);
	return !isLeft;
}

test("stored rows are rendered within their room, at any place of memory", (t) => {
	const runs = fuzzRuns(1_000);
	tellSeed(t, runs);
	const kernel = StoredKernel.open();
	assert.ok(kernel !== null, "this process runs the module");
	const noise = new Draw(SEED, runs);
	for (let i = KERNEL_BYTES; i < PAGE_BYTES; i += 4) kernel.memory.writeUInt32LE(noise.next(), i);
	let rendered = 0;
	for (let run = 0; run < runs; run++)
		rendered += +checkRow(kernel, new Draw(SEED, run), `ROLLCALL_SEED=${SEED}, run ${run}`);
	assert.ok(rendered > runs / 4, `${rendered} rows are rendered`);
});

/** Addresses in the memory of deflate-rows.wat. */
const PAIRS = 53_248;
const BODY = 839_680;
const READ_PAST = 64;
const PAGES = 16;
const CODES = {
	json: deflateCode(SYMBOL_COUNTS.json),
	csv: deflateCode(SYMBOL_COUNTS.csv),
};
type Deflate = (
	...args: [end: number, out: number, pending: bigint, bits: number, ...rest: number[]]
) => number;

test("gzip of rows is written within its room, at the very end of memory", (t) => {
	const runs = fuzzRuns(150);
	tellSeed(t, runs);
	const first = new Draw(SEED, runs);
	const arenas = (["json", "csv"] as const).map((format) => {
		const arena = KernelArena.open<{ readonly deflate: Deflate }>(DEFLATE_ROWS_MODULE, first, PAGES);
		const pairs = new Uint32Array(PAIR_CODES);
		writePairCodes(CODES[format], pairs);
		arena.put(0, Buffer.from(CODES[format].tables.buffer));
		arena.put(PAIRS, Buffer.from(pairs.buffer));
		return { arena, format };
	});
	const separators = [',"', ",", '},{"', "\n{", "\r\n", "a", "0", "xyz"];
	for (let run = 0; run < runs; run++) {
		const draw = new Draw(SEED, run);
		const { arena, format } = draw.pick(arenas);
		const { pending, pendingBits, endOfBlock } = CODES[format];
		const bytes = Buffer.alloc(someSize(draw, 40_000));
		const isNoise = draw.oneIn(3);
		for (let i = 0; i < bytes.length; i += 4) bytes.write(draw.pick(separators), i);
		if (isNoise) for (let i = 0; i < bytes.length; i++) bytes[i] = someWord(draw);
		arena.put(BODY, Buffer.concat([bytes, Buffer.of(0)]));
		const room = Math.ceil(bytes.length * 1.5) + 16;
		const end = BODY + bytes.length;
		const out = draw.oneIn(2) ? arena.bytes - room : end + READ_PAST + draw.below(100);
		const after = arena.exports.deflate(
			end,
			out,
			pending,
			pendingBits,
			endOfBlock,
			PAIRS,
			Number(format === "csv"),
			0,
		);
		const what = `ROLLCALL_SEED=${SEED}, run ${run}`;
		assert.ok(after <= out + room, what);
		const member = naiveRowGzip(bytes, format, CODES[format]);
		assert.ok(gunzipSync(member).equals(bytes), what);
		const body = member.subarray(10 + CODES[format].header.length, -8);
		assert.equal(after, out + body.length, what);
		arena.naive.set(body, out);
		// Tables of hashes and of fields, and what a word writes past the end.
		arena.check(() => what, { at: 4096, bytes: PAIRS - 4096 }, { at: after, bytes: 8 });
	}
});
