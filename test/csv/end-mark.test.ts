/** An end-of-file mark is removed where it ends a source, however the source is read. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EndMarkReader } from "../../builder/input/end-mark-reader.js";
import { checkAsyncProperty } from "../oracle/seeded.js";

/** Reads as a file does: whole targets until it ends. */
function readerOf(text: string): { read(target: Uint8Array): Promise<number> } {
	let rest = Buffer.from(text, "latin1");
	return {
		async read(target) {
			const read = rest.copy(target);
			rest = rest.subarray(read);
			return read;
		},
	};
}

async function readBy(text: string, sizes: readonly number[]): Promise<{ text: string; found: boolean }> {
	const reader = new EndMarkReader(readerOf(text));
	let read = "";
	for (let i = 0; ; i++) {
		const target = new Uint8Array(sizes[i % sizes.length]);
		const length = await reader.read(target);
		read += Buffer.from(target.subarray(0, length)).toString("latin1");
		if (length < target.length) return { text: read, found: reader.found };
	}
}

test("an end-of-file mark at the very end is removed, and no other, whatever the buffers", async (t) => {
	const piece = fc.constantFrom("\u001a", "\u001a", "\n", "\r\n", "a", "bc", "\u001a\u001a");
	/** At most fifteen bytes after a mark that ends a buffer, as documented. */
	const text = fc.tuple(fc.string({ maxLength: 20 }), fc.array(piece, { maxLength: 6 }));
	await checkAsyncProperty(
		t,
		2_000,
		fc.asyncProperty(
			text,
			fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
			async ([head, tail], sizes) => {
				const given = Buffer.from([head, ...tail].join(""), "latin1").toString("latin1");
				// biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is one
				const expected = given.replace(/\u001a[\u001a\r\n]*$/, "");
				const { text: read, found } = await readBy(given, sizes);
				assert.equal(read, expected, JSON.stringify([given, sizes]));
				assert.equal(found, expected !== given);
			},
		),
	);
});
