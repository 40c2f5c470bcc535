/** Folding and comparing over bytes agree with their definitions over strings. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	compareBytes,
	compareFolded,
	fold,
	foldBytes,
	foldToBytes,
	requirePinnedFold,
	UNICODE_VERSION,
} from "../../formats/index.js";
import { compareCodePoints, naiveFold } from "../oracle/code-points.js";
import { checkProperty } from "../oracle/seeded.js";
import { anyText } from "../oracle/tricky-text.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Lays `text` between other bytes, as in a heap, so that reads past either end show. */
function embed(text: string): { bytes: Uint8Array; start: number; end: number } {
	const value = encoder.encode(text);
	const bytes = new Uint8Array(value.length + 6).fill(0xcc);
	bytes.set(value, 3);
	return { bytes, start: 3, end: 3 + value.length };
}

test("known folds", () => {
	assert.equal(fold("SMITH"), "smith");
	assert.equal(fold("Cafe\u0301"), "caf\u00e9");
	assert.equal(fold("\u0130stanbul"), "i\u0307stanbul");
	assert.equal(fold("STRASSE"), "strasse");
	assert.equal(fold("Stra\u00dfe"), "stra\u00dfe");
	assert.equal(fold("\u1e9e"), "\u00df");
	assert.equal(fold("\u039f\u0394\u039f\u03a3"), "\u03bf\u03b4\u03bf\u03c2");
	assert.equal(fold("\u212a\u212b"), "k\u00e5");
	assert.equal(fold("\u{10400}"), "\u{10428}");
});

/** Code points that this Node and the pinned tables both assign. */
function* sharedCodePoints(): Generator<string> {
	// What a later Unicode assigns cannot be told from what the pinned one does; the oldest planes can.
	const end = Number(process.versions.unicode) > Number(UNICODE_VERSION) ? 0x3000 : 0x10_ffff;
	for (let point = 0; point <= end; point++) {
		const text = String.fromCodePoint(point);
		if (/\P{Cn}/u.test(text)) yield text;
	}
}

const TEXTS_FOLDED = 64;

test("the pinned fold of every code point, alone and among others, is that of this Node's Unicode", () => {
	const contexts = ["A*", "*\u0301", "*\u0323\u0301", "e\u0301*\u0323", "\u03a3*", "a\u03a3*", "a\u03a3*b"];
	const characters = [...sharedCodePoints()];
	for (const character of characters)
		if (fold(character) !== naiveFold(character)) assert.equal(fold(character), naiveFold(character));
	for (const context of contexts) {
		const texts = characters.map((character) => context.replace("*", () => character));
		// Many at once: what follows a line feed folds as at the start.
		for (let from = 0; from < texts.length; from += TEXTS_FOLDED) {
			const joined = texts.slice(from, from + TEXTS_FOLDED).join("\n");
			if (fold(joined) !== naiveFold(joined)) assert.equal(fold(joined), naiveFold(joined));
		}
	}
	requirePinnedFold();
});

test("the fold of UTF-8 bytes is the fold of their text", (t) => {
	checkProperty(
		t,
		3000,
		fc.property(anyText(), (text) => {
			const { bytes, start, end } = embed(text);
			assert.equal(decoder.decode(foldBytes(bytes, start, end)), naiveFold(text));
			assert.equal(decoder.decode(foldToBytes(text)), naiveFold(text));
		}),
	);
});

test("bytes of UTF-8 compare as code points do", (t) => {
	checkProperty(
		t,
		3000,
		fc.property(anyText(), anyText(), (a, b) => {
			const left = embed(a);
			const right = embed(b);
			const order = compareBytes(left.bytes, left.start, left.end, right.bytes, right.start, right.end);
			assert.equal(Math.sign(order), Math.sign(compareCodePoints(a, b)));
		}),
	);
});

/** A value and a key that often shares its beginning. */
const valueAndKey = fc.oneof(
	fc.tuple(anyText(), anyText()),
	fc.tuple(anyText(), anyText(), fc.nat(8)).map(
		([head, tail, cut]) =>
			[
				head + tail,
				Array.from(head + tail)
					.slice(0, cut)
					.join(""),
			] as const,
	),
	fc.tuple(anyText(), anyText()).map(([head, tail]) => [naiveFold(head + tail), head.toUpperCase()] as const),
);

test("a value compares with a folded key as its fold does", (t) => {
	checkProperty(
		t,
		10_000,
		fc.property(valueAndKey, ([value, key]) => {
			const { bytes, start, end } = embed(value);
			const order = compareFolded(bytes, start, end, foldToBytes(key), false);
			const expected = compareCodePoints(naiveFold(value), naiveFold(key));
			assert.equal(Math.sign(order), Math.sign(expected));
		}),
	);
});

/** Letters up to U+00FF in both cases, signs between them, and characters that compose with them or follow them. */
const LATIN_CHARACTERS = [..."aAzéÉüÜÞþ×÷ßÿàÀ", "\u00b5", "\u0100", "\u01d6", "\u0301", "\u0304", "\u0130"];

test("letters up to U+00FF compare with a folded key as their folds do", (t) => {
	const text = fc
		.array(fc.constantFrom(...LATIN_CHARACTERS), { maxLength: 4 })
		.map((characters) => characters.join(""));
	checkProperty(
		t,
		30_000,
		fc.property(text, text, (value, key) => {
			const { bytes, start, end } = embed(value);
			const expected = compareCodePoints(naiveFold(value), naiveFold(key));
			const order = compareFolded(bytes, start, end, foldToBytes(key), false);
			assert.equal(Math.sign(order), Math.sign(expected), JSON.stringify([value, key]));
			const byPrefix = naiveFold(value).startsWith(naiveFold(key)) ? 0 : expected;
			const prefixOrder = compareFolded(bytes, start, end, foldToBytes(key), true);
			assert.equal(Math.sign(prefixOrder), Math.sign(byPrefix), JSON.stringify([value, key]));
		}),
	);
});

test("a value compares with a folded prefix as 0 where its fold starts with it, and else as its fold does", (t) => {
	checkProperty(
		t,
		10_000,
		fc.property(valueAndKey, ([value, key]) => {
			const { bytes, start, end } = embed(value);
			const order = compareFolded(bytes, start, end, foldToBytes(key), true);
			const expected = naiveFold(value).startsWith(naiveFold(key))
				? 0
				: compareCodePoints(naiveFold(value), naiveFold(key));
			assert.equal(Math.sign(order), Math.sign(expected));
		}),
	);
});
