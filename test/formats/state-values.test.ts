/** The values of states: which there are and how often, and that a prefix finds those whose folds start with it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeStateValues } from "../../formats/encode/state-values.js";
import {
	Dictionary,
	HEAD_BYTES,
	HEAD_WORDS,
	headRange,
	headsWithin,
	StateValues,
	writeFoldHead,
} from "../../formats/index.js";
import { compareCodePoints, naiveFold } from "../oracle/code-points.js";
import { checkProperty } from "../oracle/seeded.js";
import { anyText, trickyText } from "../oracle/tricky-text.js";
import { encodeText } from "./text-heap.js";

const text = fc.oneof(trickyText(5), trickyText(HEAD_BYTES + 3), anyText());

function headOf(value: string): Uint32Array {
	const bytes = Buffer.from(`.${value}.`);
	const words = new Uint32Array(HEAD_WORDS + 1);
	writeFoldHead(bytes, 1, bytes.length - 1, words, 1);
	return words.slice(1);
}

test("a head is in the range of a prefix if the fold starts with it, and in no other exact range", (t) => {
	checkProperty(
		t,
		2000,
		fc.property(text, text, fc.nat(HEAD_BYTES + 2), (value, other, length) => {
			const variants = [value, value.toUpperCase(), value.normalize("NFD")];
			for (const prefix of [...variants, other].map((of) => Array.from(of).slice(0, length).join(""))) {
				const { bounds, isExact } = headRange(prefix);
				const folded = naiveFold(prefix);
				const fits = Buffer.byteLength(folded) <= HEAD_BYTES;
				assert.equal(isExact, fits && !folded.includes("\0"), JSON.stringify(prefix));
				for (const variant of variants) {
					const head = headOf(variant);
					const { from, to } = headsWithin(head, 0, 1, bounds);
					const isIn = from < to;
					const starts = naiveFold(variant).startsWith(folded);
					if (isExact || starts) assert.equal(isIn, starts, JSON.stringify([variant, prefix]));
				}
			}
		}),
	);
});

test("a character that composes with the last one of a head changes the head", () => {
	const bounds = Array.from(headRange("abcdefge").bounds);
	assert.deepEqual(bounds, [...headOf("abcdefge"), ...headOf("abcdefge")]);
	assert.deepEqual(headsWithin(headOf("abcdefge\u0301"), 0, 1, Uint32Array.from(bounds)), { from: 0, to: 0 });
	assert.deepEqual(headOf("abcdefge\u0301"), headOf("ABCDEFGÉ"));
});

test("every state has its values with their rows, and a prefix in it those that start with it", (t) => {
	const cell = fc.option(fc.oneof(text, fc.constantFrom("ab", "AB", "ab\0", "ab\0c", "abc")));
	checkProperty(
		t,
		500,
		fc.property(fc.array(fc.array(cell, { maxLength: 12 }), { maxLength: 4 }), text, (states, other) => {
			const values = [...new Set(states.flat())]
				.filter((value): value is string => value !== null && value !== "")
				.sort((a, b) => compareCodePoints(naiveFold(a), naiveFold(b)) || compareCodePoints(a, b));
			const { offsets, heap } = encodeText(values);
			const codes = Uint32Array.from(states.flat(), (value) =>
				value === null || value === "" ? values.length : values.indexOf(value),
			);
			let first = 0;
			const runs = states.map(({ length: rows }) => {
				first += rows;
				return { country: "US" as const, state: "CA", first: first - rows, rows };
			});
			const encoded = encodeStateValues(codes, runs, offsets, heap);
			const dictionary = new Dictionary(offsets, heap, null, values.length);
			const stored = new StateValues(encoded.offsets, encoded.codes, encoded.rows, encoded.heads, dictionary);
			const prefixes = [other, "ab", "ab\0", ...values.slice(0, 4)];
			for (const prefix of [...prefixes, ...prefixes.map((p) => Array.from(p).slice(0, 9).join(""))]) {
				states.forEach((cells, state) => {
					const { from, to } = stored.prefixRange(state, prefix);
					const found: [string, number][] = [];
					for (let place = from; place < to; place++)
						found.push([values[stored.codes[place]], stored.rows[place]]);
					const expected = values
						.filter((value) => naiveFold(value).startsWith(naiveFold(prefix)))
						.map((value): [string, number] => [value, cells.filter((c) => c === value).length])
						.filter(([, rows]) => rows > 0);
					assert.deepEqual(found, expected, JSON.stringify([state, prefix]));
				});
			}
		}),
	);
});
