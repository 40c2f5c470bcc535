/** A dictionary finds values, prefixes, ranks and bounds as a sorted array does. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SPARSE_INDEX_VALUES_MIN } from "../../formats/decode/sparse-index.js";
import { encodeDictionary } from "../../formats/encode/dictionary.js";
import { Dictionary } from "../../formats/index.js";
import { compareCodePoints, naiveFold } from "../oracle/code-points.js";
import { checkProperty } from "../oracle/seeded.js";
import { anyText, trickyText } from "../oracle/tricky-text.js";
import { encodeText } from "./text-heap.js";

/** Distinct values in dictionary order: by fold, then by their own code points. */
function sortValues(values: readonly string[]): string[] {
	return [...new Set(values)]
		.filter((value) => value !== "")
		.sort((a, b) => compareCodePoints(naiveFold(a), naiveFold(b)) || compareCodePoints(a, b));
}

function dictionaryOf(sorted: readonly string[]): Dictionary {
	const { offsets, heap } = encodeText(sorted);
	const encoded = encodeDictionary(offsets, heap, (i) => naiveFold(sorted[i]) === naiveFold(sorted[i - 1]));
	assert.equal(encoded.distinct, sorted.length);
	return new Dictionary(encoded.offsets, encoded.heap, encoded.foldRanks, encoded.folds);
}

/** Values, some of which differ only by case or composition, and texts to look up. */
const valuesAndKeys = fc
	.tuple(fc.array(trickyText(4), { maxLength: 30 }), fc.array(anyText(), { maxLength: 8 }))
	.map(([some, other]) => {
		const variants = some.flatMap((v) => [v, v.toUpperCase(), v.normalize("NFD")]);
		return { values: sortValues([...variants, ...other]), keys: [...variants, ...other, "", "zzz"] };
	});

test("codes, values and ranks are those of the sorted values", (t) => {
	checkProperty(
		t,
		500,
		fc.property(valuesAndKeys, ({ values }) => {
			const dictionary = dictionaryOf(values);
			const folds = [...new Set(values.map(naiveFold))];
			assert.equal(dictionary.distinct, values.length);
			assert.equal(dictionary.folds, folds.length);
			assert.equal(dictionary.foldRanks === null, folds.length === values.length);
			values.forEach((value, code) => {
				assert.equal(dictionary.value(code), value);
				assert.equal(dictionary.rank(code), folds.indexOf(naiveFold(value)));
			});
			assert.equal(dictionary.value(values.length), null);
			assert.equal(dictionary.rank(values.length), folds.length);
		}),
	);
});

test("a value is found by its exact text only", (t) => {
	checkProperty(
		t,
		500,
		fc.property(valuesAndKeys, ({ values, keys }) => {
			const dictionary = dictionaryOf(values);
			for (const key of keys) assert.equal(dictionary.find(key), values.indexOf(key), JSON.stringify(key));
		}),
	);
});

test("a prefix is the range of the codes whose fold starts with its fold", (t) => {
	checkProperty(
		t,
		500,
		fc.property(valuesAndKeys, ({ values, keys }) => {
			const dictionary = dictionaryOf(values);
			for (const key of [...keys, ...keys.map((k) => Array.from(k).slice(0, 2).join(""))]) {
				const { from, to } = dictionary.prefixRange(key);
				const expected = values.filter((value) => naiveFold(value).startsWith(naiveFold(key)));
				assert.deepEqual(values.slice(from, to), expected, JSON.stringify(key));
				assert.deepEqual(dictionary.prefixRange(key), { from, to }, "asked again");
			}
		}),
	);
});

test("a prefix is found among thousands of values, where every sixteenth is searched first", (t) => {
	const word = fc.oneof(trickyText(3), fc.constantFrom("Aa", "aaaaaaaa", "aaaaaaaaa", "É", "b\0", "zz"));
	checkProperty(
		t,
		30,
		fc.property(
			fc.uniqueArray(word, { minLength: 28, maxLength: 40 }),
			fc.constantFrom(-1, 0, 1, 500),
			fc.nat(9),
			anyText(),
			(words, more, cut, other) => {
				const texts = words.flatMap((a) => words.flatMap((b) => [a + b, `${a}${b}c`, `${a}d${b}`]));
				const values = sortValues(texts).slice(0, SPARSE_INDEX_VALUES_MIN + more);
				assert.ok(values.length >= SPARSE_INDEX_VALUES_MIN - 1);
				const dictionary = dictionaryOf(values);
				const prefixes = [...values.filter((_, i) => i % 97 === 0), ...words, other, ""];
				for (const prefix of prefixes.flatMap((of) => [of, Array.from(of).slice(0, cut).join("")])) {
					const { from, to } = dictionary.prefixRange(prefix);
					const folded = naiveFold(prefix);
					const expected = values.filter((value) => naiveFold(value).startsWith(folded));
					assert.deepEqual(values.slice(from, to), expected, JSON.stringify(prefix));
				}
			},
		),
	);
});

test("a range of ranks is the range of their codes", (t) => {
	checkProperty(
		t,
		500,
		fc.property(valuesAndKeys, fc.nat(40), fc.nat(40), ({ values }, a, b) => {
			const dictionary = dictionaryOf(values);
			const low = Math.min(a, b, dictionary.folds);
			const high = Math.min(Math.max(a, b), dictionary.folds);
			const range = dictionary.codesOfRanks({ from: low, to: high });
			const expected = [...values.keys()].filter(
				(c) => dictionary.rank(c) >= low && dictionary.rank(c) < high,
			);
			const got = Array.from({ length: range.to - range.from }, (_, i) => range.from + i);
			assert.deepEqual(got, expected);
		}),
	);
});

test("the lower bound of a date is the first date at or after it", (t) => {
	const date = fc
		.integer({ min: -200_000, max: 200_000 })
		.map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
	checkProperty(
		t,
		500,
		fc.property(fc.array(date, { maxLength: 20 }), date, (dates, bound) => {
			const values = sortValues(dates);
			const dictionary = dictionaryOf(values);
			for (const text of [bound, `${bound}~`, ...values]) {
				const expected = values.filter((value) => value < text).length;
				assert.equal(dictionary.lowerBound(text), expected);
			}
		}),
	);
});
