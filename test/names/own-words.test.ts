/** Whether words can each have a word of their own, against trying every choice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { haveOwnWords, OWN_WORDS_MAX } from "../../engine/names/own-words.js";
import { Draw } from "../oracle/draw.js";
import { checkProperty } from "../oracle/seeded.js";

/** Whether words from `word` on can each have one that is not taken: every choice is tried. */
function tryAll(matches: Uint32Array, word: number, taken: number): boolean {
	if (word === matches.length) return true;
	for (let at = 0; at < OWN_WORDS_MAX; at++) {
		const bit = 1 << at;
		if ((matches[word] & bit & ~taken) !== 0 && tryAll(matches, word + 1, taken | bit)) return true;
	}
	return false;
}

test("words have words of their own where any choice of them gives each one", (t) => {
	const found = { yes: 0, no: 0 };
	const property = fc.property(fc.nat(), (seed) => {
		const draw = new Draw(seed);
		const shift = draw.pick([0, 27]);
		const width = 1 + draw.below(5);
		const matches = Uint32Array.from(
			{ length: draw.below(width + 2) },
			() => draw.below(2 ** width) << shift,
		);
		const expected = tryAll(matches, 0, 0);
		found[expected ? "yes" : "no"]++;
		// Words after the last that is asked for are those of the name before.
		const longer = Uint32Array.of(...matches, 0, 1);
		assert.equal(haveOwnWords(longer, matches.length), expected, String(matches));
	});
	checkProperty(t, 3_000, property);
	assert.ok(found.yes > 300 && found.no > 300, JSON.stringify(found));
});

test("a word whose word is taken gets it where the owner has another, over several owners", () => {
	const chain = Uint32Array.of(0b0011, 0b0110, 0b1100, 0b0001);
	assert.equal(haveOwnWords(chain, 4), true);
	assert.equal(haveOwnWords(Uint32Array.of(...chain, 0b1001), 5), false);
});
