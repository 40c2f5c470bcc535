/** Cursors are refused when any bit of them differs (server/api/bulk/cursor.ts). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { VALUE_LENGTH_MAX } from "../../formats/index.js";
import { CURSOR_LENGTH_MAX, type CursorList, Cursors } from "../../server/api/bulk/cursor.js";

const MONTHS = [
	{ month: "2026-10", digest: "00c0ffee" },
	{ month: "2026-11", digest: "deadbeef" },
];
/** Each list: its months and the words of a position. */
const LISTS: readonly (readonly [CursorList, number, number])[] = [
	["licenses", 1, 2],
	["changes", 2, 3],
	["aggregate", 1, 4],
	["offices", 1, 4],
];
const SHORT_QUERY = "state=CA";
const LONG_QUERY = `office_name=${"x".repeat(VALUE_LENGTH_MAX)}`;

const cursors = new Cursors(() => new Uint8Array(32).fill(7));
const grant = cursors.grantOf("whole");

/** Every text that differs from `text` in one bit of what it encodes, and in one bit of a character. */
function* altered(text: string): Generator<string> {
	const bytes = Buffer.from(text, "base64url");
	for (let bit = 0; bit < bytes.length * 8; bit++) {
		const other = Buffer.from(bytes);
		other[bit >> 3] ^= 1 << (bit & 7);
		yield other.toString("base64url");
	}
	for (let at = 0; at < text.length; at++) {
		for (let bit = 0; bit < 7; bit++) {
			const character = String.fromCharCode(text.charCodeAt(at) ^ (1 << bit));
			yield text.slice(0, at) + character + text.slice(at + 1);
		}
	}
	for (let length = 0; length < text.length; length++) yield text.slice(0, length);
	for (const more of ["A", "=", "AAAA", " "]) yield text + more;
}

test("a cursor says what was written, and is refused with any bit altered, cut off or added", () => {
	for (const [list, months, words] of LISTS) {
		for (const query of [SHORT_QUERY, LONG_QUERY]) {
			const position = [4_000_000_000, 1, 0, 77].slice(0, words);
			const text = cursors.write({ list, months: MONTHS.slice(0, months), grant, position, query });
			assert.ok(text.length <= CURSOR_LENGTH_MAX);
			const opened = cursors.read(list, text);
			assert.deepEqual(
				[opened?.months, opened?.grant, opened?.position, opened?.query],
				[MONTHS.slice(0, months), grant, position, query === SHORT_QUERY ? query : null],
			);
			assert.deepEqual([opened?.isOf(query), opened?.isOf(`${query}x`)], [true, false]);
			for (const other of altered(text)) assert.equal(cursors.read(list, other), null, `${list} ${other}`);
			for (const [another] of LISTS) if (another !== list) assert.equal(cursors.read(another, text), null);
			assert.equal(
				new Cursors(() => new Uint8Array(32).fill(8)).read(list, text),
				null,
				"of another service",
			);
		}
	}
});

test("a short cursor is refused with any bit altered, of another query, and by another list", () => {
	for (const [list, months, words] of LISTS) {
		const position = { list, months: MONTHS.slice(0, months), position: [9, 8, 7, 6].slice(0, words) };
		const text = cursors.writeShort(position, "subject");
		assert.deepEqual(cursors.readShort(list, text, "subject"), position);
		assert.equal(cursors.readShort(list, text, "another"), "other");
		for (const other of altered(text)) assert.equal(cursors.readShort(list, other, "subject"), "unknown");
		for (const [another] of LISTS)
			if (another !== list) assert.equal(cursors.readShort(another, text, "subject"), "unknown", another);
		assert.equal(cursors.read(list, text), null);
	}
});
