/** Files in UTF-16 are read as the same text in UTF-8, and a surrogate without its pair as no text at all. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ByteReader } from "../../builder/input/byte-reader.js";
import { Utf16Reader } from "../../builder/input/utf16-reader.js";
import { checkAsyncProperty } from "../oracle/seeded.js";

/** Bytes of a piece that is recoded at once: what lies across its end is in two pieces. */
const PIECE_BYTES = 1 << 20;

function readerOf(bytes: Uint8Array): ByteReader {
	let at = 0;
	return {
		sourceBytes: bytes.length,
		async read(target) {
			const piece = bytes.subarray(at, at + target.length);
			target.set(piece);
			at += piece.length;
			return piece.length;
		},
		async close() {},
	};
}

async function recoded(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be"): Promise<Buffer> {
	const reader = new Utf16Reader("a.csv", readerOf(bytes), encoding);
	const pieces: Buffer[] = [];
	for (;;) {
		const target = Buffer.alloc(1 << 16);
		const read = await reader.read(target);
		if (read === 0) return Buffer.concat(pieces);
		pieces.push(target.subarray(0, read));
	}
}

/** The code units in both orders of bytes. */
function ordersOf(text: string) {
	const little = Buffer.from(text, "utf16le");
	return [
		["utf-16le", little],
		["utf-16be", Buffer.from(little).swap16()],
	] as const;
}

test("texts of any characters are read as in UTF-8, also where a pair lies across two pieces", (t) =>
	checkAsyncProperty(
		t,
		40,
		fc.asyncProperty(fc.string({ unit: "binary", maxLength: 30 }), async (text) => {
			// An even and an odd number of units before the text.
			for (const before of ["", "a,", "ab,", ".".repeat(PIECE_BYTES / 2 - 3)]) {
				const whole = `${before}${text}`;
				for (const [encoding, bytes] of ordersOf(`,${whole}`))
					assert.ok((await recoded(bytes, encoding)).equals(Buffer.from(`,${whole}`)), encoding);
			}
		}),
	));

test("a surrogate without its pair becomes bytes that are not UTF-8, and what is around it stays", async () => {
	const lone = (unit: number) => [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
	const [low, high, comma] = [0xdc41, 0xd83d, 0x2c];
	for (const [units, expected] of [
		[
			[comma, low],
			[comma, ...lone(low)],
		],
		[
			[low, comma],
			[...lone(low), comma],
		],
		[
			[high, comma],
			[...lone(high), comma],
		],
		[
			[comma, high],
			[comma, ...lone(high)],
		],
		[
			[high, high, 0xdc00, comma],
			[...lone(high), ...Buffer.from("\ud83d\udc00"), comma],
		],
		[
			[high, 0x4e00, comma],
			[...lone(high), ...Buffer.from("\u4e00"), comma],
		],
	] as const)
		for (const [encoding, bytes] of ordersOf(String.fromCharCode(...units)))
			assert.deepEqual([...(await recoded(bytes, encoding))], expected, `${encoding} ${units}`);
});

test("a surrogate without its pair that ends a file and a piece of it is read, too", async () => {
	const text = `${",".repeat(PIECE_BYTES / 2 - 1)}\ud83d`;
	for (const [encoding, bytes] of ordersOf(text))
		assert.deepEqual([...(await recoded(bytes, encoding)).subarray(-4)], [0x2c, 0xed, 0xa0, 0xbd], encoding);
});
