/** Hashes of a drop's values are seeded, so that no drop can be written to make them collide. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { blockOfText, keyedHash } from "../../builder/csv/byte-block.js";

type Hashing = { blockOfText: typeof blockOfText; keyedHash: typeof keyedHash };

function hashOf({ blockOfText, keyedHash }: Hashing, text: string): number {
	const { block, length } = blockOfText(text);
	return keyedHash(block.words, 0, length);
}

const TEXTS = Array.from({ length: 2_000 }, (_, i) => `license-${i}`);

test("two threads hash the same values otherwise", async () => {
	const url = new URL("../../builder/csv/byte-block.js?another", import.meta.url).href;
	const another: Hashing = await import(url);
	const same = TEXTS.filter((text) => hashOf({ blockOfText, keyedHash }, text) === hashOf(another, text));
	assert.ok(same.length < 3, `${same.length} of ${TEXTS.length} hashes are the same`);
});

test("values that differ in the highest bits of two words do not collide for every seed", () => {
	// Without a secret multiplier, these pairs collide whatever the seed: flipping bit 31 of a word flips
	// bits 31 and 16 of the hash, which the next word can flip back.
	let collisions = 0;
	for (let i = 0; i < 500; i++) {
		const bytes = new Uint8Array(12);
		const words = new DataView(bytes.buffer);
		words.setUint32(0, i * 2_654_435_761, true);
		words.setUint32(4, i * 40_503, true);
		const hash = keyedHash(words, 0, 8);
		words.setUint32(0, (words.getUint32(0, true) ^ 0x80000000) >>> 0, true);
		words.setUint32(4, (words.getUint32(4, true) ^ 0x80010000) >>> 0, true);
		if (keyedHash(words, 0, 8) === hash) collisions++;
	}
	assert.ok(collisions < 5, `${collisions} of 500 pairs collide`);
});

test("hashes of many values are spread", () => {
	const buckets = new Set(TEXTS.map((text) => hashOf({ blockOfText, keyedHash }, text) & 0xffff));
	assert.ok(buckets.size > 1_900, `${buckets.size} buckets`);
});
