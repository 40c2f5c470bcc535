/** The words of names, split byte by byte, are those of the definition on texts, in its order. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SpellingNumbering } from "../../builder/compile/spelling-numbering.js";
import { collectNameWords } from "../../builder/compile/word-numbering.js";
import { countNameWords, nameCompounds, nameWords, spellingKeys } from "../../formats/index.js";
import { checkProperty } from "../oracle/seeded.js";

const PIECES =
	"a B 1 de La von San jr III O Mc é Ñ ß ﬁ Ⅳ ﷺ σ Σ ς İ ı 한 글 々 😀 ½ ´ ¨ × ' ` . - – / & ( , ，".split(" ");
const BLANKS = [" ", "  ", "\t", "\u00a0", "\u3000", "\u0301", "\u200b", "\ufeff"];

const name = fc.oneof(
	{
		weight: 20,
		arbitrary: fc
			.array(
				fc.oneof(
					{ weight: 3, arbitrary: fc.constantFrom(...PIECES) },
					{ weight: 1, arbitrary: fc.constantFrom(...BLANKS) },
				),
				{ maxLength: 14 },
			)
			.map((pieces) => pieces.join("")),
	},
	// Words as long as the bytes of a fast name may become, and longer.
	{
		weight: 1,
		arbitrary: fc
			.integer({ min: 1, max: 400 })
			.map((length) => `ﷺ${"ﷺ".repeat(length / 5)} de ${"a".repeat(length)}`),
	},
);

/** The words of each value, as texts, and the numbers of its spelling keys. */
function wordsOf(values: readonly string[]): { words: string[]; count: number; keys: number[] }[] {
	const bytes = values.map((value) => Buffer.from(value));
	const offsets = new Uint32Array(values.length + 1);
	for (const [i, { length }] of bytes.entries()) offsets[i + 1] = offsets[i] + length;
	const spellings = new SpellingNumbering(values.length);
	const found = collectNameWords({ offsets, heap: new Uint8Array(Buffer.concat(bytes)) }, spellings);
	const text = (word: number) =>
		Buffer.from(found.heap.slice(found.offsets[word], found.offsets[word + 1])).toString();
	return values.map((_, i) => ({
		words: Array.from(found.valueWords.slice(found.valueOffsets[i], found.valueOffsets[i + 1]), text),
		count: found.valueCounts[i],
		keys: [spellings.own[i], spellings.joined[i]].filter((key) => key !== -1),
	}));
}

test("names split by bytes have the words, in order, of their texts", (t) => {
	checkProperty(
		t,
		300,
		fc.property(fc.array(name, { maxLength: 30 }), (values) => {
			const numbers = new Map<string, number>();
			const numberOf = (key: string) => {
				const number = numbers.get(key) ?? numbers.size;
				numbers.set(key, number);
				return number;
			};
			const expected = values.map((value) => {
				const compounds = nameCompounds(value);
				return {
					words: [...nameWords(compounds)],
					count: Math.min(255, countNameWords(compounds)),
					keys: spellingKeys(value).map(numberOf),
				};
			});
			assert.deepEqual(wordsOf(values), expected);
		}),
	);
});

test("more different tokens than are kept, and one token in names of other languages", () => {
	const tokens = Array.from({ length: 70_000 }, (_, i) => `é${i}`);
	const found = wordsOf([...tokens, "É1-é2, DE é3"]);
	assert.deepEqual(found[0].words, ["e0"]);
	assert.deepEqual(found[69_999].words, ["e69999"]);
	assert.deepEqual([found[70_000].words, found[70_000].count], [["e1", "e2", "e1e2", "de", "e3", "dee3"], 4]);
});
