/** The limit of the name index. Its contents are compared with a naive search in test/names/. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeNameIndex } from "../../formats/encode/name-index.js";

test("postings past the largest section are a typed error, also where their number wraps in 32 bits", () => {
	// One value of 65,536 words, in as many rows.
	const count = 2 ** 16;
	const words = {
		offsets: Uint32Array.of(0, 1),
		heap: Buffer.from("a"),
		valueOffsets: Uint32Array.of(0, count),
		valueWords: new Uint32Array(count),
		valueCounts: Uint8Array.of(255),
	};
	assert.throws(() => encodeNameIndex(words, new Uint32Array(count)), {
		code: "limit_exceeded",
		message: "a name index: 4294967296 postings, at most 536870911",
	});
	assert.equal(encodeNameIndex(words, new Uint32Array(2)).postings.length, 2 * count);
});
