/**
 * A hash index finds every value and no other, as a binary search does; corrupt words cost a bounded
 * search.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { encodeDictionary } from "../../formats/encode/dictionary.js";
import { encodeHashIndex } from "../../formats/encode/hash-index.js";
import { hashBytes } from "../../formats/hash.js";
import {
	Dictionary,
	HASH_GROUP_WORDS,
	HASH_GROUPS_PROBED,
	HASH_INDEX_VALUES_MIN,
	HashIndex,
} from "../../formats/index.js";
import { compareCodePoints, naiveFold } from "../oracle/code-points.js";
import { checkProperty } from "../oracle/seeded.js";
import { anyText, trickyText } from "../oracle/tricky-text.js";
import { encodeText } from "./text-heap.js";

/** Enough license numbers that any month's dictionary with them has a hash index. */
const NUMBERS = Array.from({ length: HASH_INDEX_VALUES_MIN }, (_, i) => `SL${3_000_000 + i * 7}`);

interface Pair {
	readonly values: readonly string[];
	readonly words: Uint32Array;
	readonly indexed: Dictionary;
	readonly searched: Dictionary;
}

/** The same values with a hash index and without. */
function dictionariesOf(texts: readonly string[]): Pair {
	const values = [...new Set(texts)]
		.filter((value) => value !== "")
		.sort((a, b) => compareCodePoints(naiveFold(a), naiveFold(b)) || compareCodePoints(a, b));
	const { offsets, heap } = encodeText(values);
	const { foldRanks, folds } = encodeDictionary(
		offsets,
		heap,
		(i) => naiveFold(values[i]) === naiveFold(values[i - 1]),
	);
	const words = encodeHashIndex(offsets, heap);
	assert.ok(words !== null);
	return {
		values,
		words,
		indexed: new Dictionary(offsets, heap, foldRanks, folds, new HashIndex(words, values.length)),
		searched: new Dictionary(offsets, heap, foldRanks, folds),
	};
}

/** Texts similar to `text`: other case, other composition, one character more, fewer or different. */
function nearly(text: string): string[] {
	const points = Array.from(text);
	return [
		text.toUpperCase(),
		text.toLowerCase(),
		text.normalize("NFD"),
		text.normalize("NFC"),
		points.slice(0, -1).join(""),
		points.slice(1).join(""),
		points.toReversed().join(""),
		`${text}0`,
		`0${text}`,
		`${text}\u0000`,
		text.repeat(20),
	];
}

test("a value is found as by binary search, and a similar text is not", (t) => {
	const drawn = fc.tuple(
		fc.array(trickyText(4), { maxLength: 30 }),
		fc.array(anyText(), { maxLength: 30 }),
		fc.array(fc.nat(99_999), { maxLength: 200 }),
	);
	checkProperty(
		t,
		300,
		fc.property(drawn, ([some, other, numbers]) => {
			const texts = [
				...some.flatMap((v) => [v, v.toUpperCase()]),
				...other,
				...numbers.map(String),
				...NUMBERS,
			];
			const { values, indexed, searched } = dictionariesOf(texts);
			const postings = {
				offsets: Uint32Array.from([...values.keys(), values.length]),
				rows: new Uint32Array(3),
			};
			values.forEach((value, code) => {
				assert.equal(indexed.find(value), code);
				assert.equal(indexed.find(value, postings), code, "with rows to read ahead, most past their end");
			});
			for (const text of ["", "\ud800", "\ufffd", ...texts.flatMap(nearly)])
				assert.equal(indexed.find(text), searched.find(text), JSON.stringify(text));
		}),
	);
});

test("the hash of a value is the one in the format's description", () => {
	const hashOf = (text: string) => hashBytes(Buffer.from(text), 0, Buffer.byteLength(text));
	// FNV-1a's published values, through the finalizer in unbounded integers.
	const finalized = (fnv: bigint) => {
		const modulus = 2n ** 32n;
		let hash = ((fnv ^ (fnv >> 16n)) * 2246822507n) % modulus;
		hash = ((hash ^ (hash >> 13n)) * 3266489909n) % modulus;
		return Number(hash ^ (hash >> 16n));
	};
	assert.equal(hashOf(""), finalized(0x811c9dc5n));
	assert.equal(hashOf("a"), finalized(0xe40c292cn));
	assert.equal(hashOf("foobar"), finalized(0xbf9cf968n));
});

test("the words of a hash index are pinned", () => {
	const { offsets, heap } = encodeText(NUMBERS);
	const words = encodeHashIndex(offsets, heap);
	assert.ok(words !== null);
	assert.equal(words.length, 6 * HASH_GROUP_WORDS);
	assert.equal(crc32(new Uint8Array(words.buffer)), 3_239_986_948);
});

test("a column of few values has no hash index, nor has one whose values all collide", () => {
	const few = encodeText(NUMBERS.slice(1));
	assert.equal(encodeHashIndex(few.offsets, few.heap), null);
	// The same value repeated: the worst distribution of hashes.
	const alike = encodeText(Array.from({ length: HASH_GROUPS_PROBED * HASH_GROUP_WORDS + 1 }, () => "L1"));
	assert.equal(encodeHashIndex(alike.offsets, alike.heap), null);
});

test("for any words, a search terminates and finds a value or none", (t) => {
	const { values, words, searched } = dictionariesOf(NUMBERS);
	const { offsets, heap } = searched;
	const lies = fc.array(fc.tuple(fc.nat(words.length - 1), fc.integer()), { minLength: 1, maxLength: 96 });
	checkProperty(
		t,
		500,
		fc.property(lies, fc.boolean(), (changes, full) => {
			const lying = full ? words.map((word) => (word === 0 ? 0xffffffff : word)) : words.slice();
			for (const [at, word] of changes) lying[at] = word;
			const index = new HashIndex(lying, values.length);
			const dictionary = new Dictionary(offsets, heap, null, values.length, index);
			for (const value of [...NUMBERS.slice(0, 8), "SL1", ""]) {
				const code = dictionary.find(value);
				assert.ok(code === -1 || values[code] === value);
			}
		}),
	);
});

/** The index of a value that `count` codes have: each takes the next word. */
function repeated(count: number) {
	const { offsets, heap } = encodeText(Array.from({ length: count }, () => "L1"));
	const words = encodeHashIndex(offsets, heap);
	assert.ok(words !== null);
	return { words, hash: hashBytes(heap, offsets[0], offsets[1]) };
}

test("a value in the last word of the last group probed is found", () => {
	const count = HASH_GROUPS_PROBED * HASH_GROUP_WORDS;
	const { words, hash } = repeated(count);
	assert.equal(
		new HashIndex(words, count).find(hash, (code) => code === count - 1),
		count - 1,
	);
});

test("a word with a code past the last value is not compared", () => {
	const count = HASH_INDEX_VALUES_MIN + 8;
	const { words, hash } = repeated(count);
	const compared: number[] = [];
	new HashIndex(words, count - 1).find(hash, (code) => {
		compared.push(code);
		return false;
	});
	assert.deepEqual(
		compared,
		Array.from({ length: count - 1 }, (_, code) => code),
	);
});
