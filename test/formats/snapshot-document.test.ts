/** formats/SNAPSHOT.md and the code agree: every table's rows, both ways. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as formats from "../../formats/index.js";
import { encodeHeader, FILE_TYPE, FORMAT_ERROR_CODES, SECTION } from "../../formats/index.js";

const FOLDER = fileURLToPath(new URL("../../../formats/", import.meta.url));
const DOCUMENT = readFileSync(`${FOLDER}SNAPSHOT.md`, "utf8");
const SCHEMA = readFileSync(`${FOLDER}schema/catalog.fbs`, "utf8");

/** The rows of the table whose header line is `header`, as trimmed cells. */
function tableOf(header: string): string[][] {
	const lines = DOCUMENT.split("\n");
	const start = lines.indexOf(header);
	assert.ok(start >= 0, `the document has the table ${header}`);
	const rows: string[][] = [];
	for (let line = start + 2; lines[line]?.startsWith("|"); line++) {
		rows.push(
			lines[line]
				.slice(1, -1)
				.split("|")
				.map((cell) => cell.trim()),
		);
	}
	return rows;
}

test("every section kind is described, and no other", () => {
	const described = tableOf("| kind | name | file | width | bytes |");
	assert.deepEqual(
		described.map(([kind, name]) => [name, Number(kind)]),
		Object.entries(SECTION),
	);
	for (const [, name, file, width, bytes] of described) {
		assert.ok(Object.keys(FILE_TYPE).includes(file), `${name} lies in a known file type`);
		assert.match(width, /^(1|4|1, 2, 4)$/);
		assert.ok(bytes.length > 20, `${name} is described`);
	}
});

test("every file type is listed, and no other", () => {
	assert.deepEqual(
		tableOf("| file type | name |").map(([code, name]) => [name, Number(code)]),
		Object.entries(FILE_TYPE),
	);
});

test("every error code is explained, and no other", () => {
	const explained = tableOf("| code | when |");
	assert.deepEqual(
		explained.map(([code]) => code),
		[...FORMAT_ERROR_CODES],
	);
	for (const [code, when] of explained) assert.ok(when.length > 10, `${code} is explained`);
});

test("limits have the values that the code has", () => {
	const constants = formats as unknown as Readonly<Record<string, unknown>>;
	for (const [name, value] of tableOf("| constant | value | meaning |")) {
		assert.equal(constants[name], Number(value), name);
	}
});

test("the header's fields are at the offsets that the code writes", () => {
	const written = encodeHeader({
		fileType: FILE_TYPE.stats,
		month: 0x01020304,
		rows: 0x05060708,
		payloadBytes: 0x11121314,
		payloadCrc: 0x21222324,
	});
	const fields = new Map<string, { offset: number; bytes: number }>();
	let end = 0;
	for (const [offset, bytes, field] of tableOf("| offset | bytes | field | value |")) {
		assert.equal(Number(offset), end, `${field} follows the field before it`);
		fields.set(field, { offset: end, bytes: Number(bytes) });
		end += Number(bytes);
	}
	assert.equal(end, formats.HEADER_BYTES);
	const at = (field: string) => {
		const place = fields.get(field);
		assert.ok(place !== undefined, `${field} has a place`);
		return written.subarray(place.offset, place.offset + place.bytes);
	};
	assert.equal(at("magic").toString("latin1"), formats.MAGIC);
	assert.equal(at("version").readUInt32LE(), formats.FORMAT_VERSION);
	assert.equal(at("fileType").readUInt32LE(), FILE_TYPE.stats);
	assert.equal(at("month").readUInt32LE(), 0x01020304);
	assert.equal(at("rows").readUInt32LE(), 0x05060708);
	assert.equal(at("payloadBytes").readUInt32LE(), 0x11121314);
	assert.equal(at("payloadCrc").readUInt32LE(), 0x21222324);
	assert.ok(at("reserved").every((byte) => byte === 0));
});

test("every field of the catalog's schema is explained, and no other", () => {
	const inSchema = [...SCHEMA.matchAll(/table (\w+) \{([^}]*)\}/g)].flatMap(([, table, body]) =>
		[...body.matchAll(/^\s*(\w+):/gm)].map(([, field]) => `${table}.${field}`),
	);
	const explained = tableOf("| table | field | meaning |").flatMap(([table, fields]) =>
		fields.split(", ").map((field) => `${table}.${field}`),
	);
	assert.deepEqual(explained.sort(), inSchema.sort());
});

test("every kind of column says how it is stored, and no other does", () => {
	const kinds = new Set(formats.COLUMNS.map((column) => column.kind));
	assert.deepEqual(
		tableOf("| kind | stored as |")
			.map(([kind]) => kind)
			.sort(),
		[...kinds].sort(),
	);
});
