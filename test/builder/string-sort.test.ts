/** Strings are sorted by bytes, for every alphabet, length and number of strings. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SortMemory } from "../../builder/compile/sort-memory.js";
import {
	type ByteStrings,
	sortInLoop,
	sortInModule,
	sortStrings,
} from "../../builder/compile/string-sort.js";
import { Draw } from "../oracle/draw.js";

function stringsOf(values: readonly Buffer[]): ByteStrings {
	const offsets = new Uint32Array(values.length + 1);
	values.forEach((value, i) => {
		offsets[i + 1] = offsets[i] + value.length;
	});
	return { offsets, heap: Buffer.concat(values) };
}

/** Compares the whole order with the platform's sort. */
function check(values: readonly Buffer[], what: string): void {
	const given = stringsOf(values);
	for (const tie of [(a: number, b: number) => a - b, (a: number, b: number) => b - a]) {
		const expected = Uint32Array.from(values.keys()).sort(
			(a, b) => Buffer.compare(values[a], values[b]) || tie(a, b),
		);
		for (const sort of values.length === 0 ? [sortStrings] : [sortStrings, sortInLoop, sortInModule])
			assert.deepEqual(sort(given, tie), expected, `${what}, ${sort.name}`);
	}
}

/** Strings of up to `length` bytes drawn from `alphabet`, with shared prefixes and duplicates. */
function strings(draw: Draw, count: number, length: number, alphabet: readonly number[]): Buffer[] {
	const values: Buffer[] = [];
	for (let i = 0; i < count; i++) {
		const begin = i > 0 && draw.oneIn(3) ? values[draw.below(i)] : Buffer.alloc(0);
		const own = Buffer.from(Array.from({ length: draw.below(length + 1) }, () => draw.pick(alphabet)));
		values.push(draw.oneIn(9) && i > 0 ? values[draw.below(i)] : Buffer.concat([begin.subarray(0, 40), own]));
	}
	return values;
}

const ALPHABETS: Readonly<Record<string, readonly number[]>> = {
	"one byte": [0x61],
	"NUL and another": [0, 1],
	digits: Array.from({ length: 10 }, (_, i) => 0x30 + i),
	letters: Array.from({ length: 27 }, (_, i) => (i === 26 ? 0x20 : 0x61 + i)),
	"every byte": Array.from({ length: 256 }, (_, i) => i),
};

for (const [name, alphabet] of Object.entries(ALPHABETS)) {
	test(`strings of ${name} are sorted by bytes, few and many`, () => {
		for (const [count, length] of [
			[0, 0],
			[1, 3],
			[17, 2],
			[300, 12],
			[20_000, 9],
			[40_000, 3],
		]) {
			check(strings(new Draw(count), count, length, alphabet), `${count} strings of up to ${length}`);
		}
	});
}

test("strings with long common prefixes are sorted without deep recursion", () => {
	const long = Buffer.alloc(300_000, "ab");
	check(
		Array.from({ length: 40 }, (_, i) => Buffer.concat([long, Buffer.from(String((i * 7) % 20))])),
		"long",
	);
	const many = Array.from({ length: 20_000 }, (_, i) =>
		Buffer.from(`${"x".repeat(100)}${(i * 7919) % 20_000}`),
	);
	check(many, "many");
});

test("strings that a module cannot address are left to JavaScript, and others still sorted by it", () => {
	assert.equal(SortMemory.of(2 ** 28, 0), null);
	assert.notEqual(SortMemory.of(10, 100), null);
});
