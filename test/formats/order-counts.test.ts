/** Counts of frequent values along an order: what is written is what counting each block's rows gives, and reads back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	COUNTED_IN_ORDER,
	type CodesToCount,
	columnNamed,
	countedValues,
	encodeOrderCounts,
	ORDER_COUNT_POSITIONS,
	ORDER_COUNT_SHARE,
} from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";

/** Half of them is one value, a quarter another, and so on; the last are rare. */
function skewedCodes(rows: number, distinct: number, draw: Draw): Uint32Array {
	return Uint32Array.from({ length: rows }, () => {
		let code = 0;
		while (code < distinct && draw.oneIn(2)) code++;
		return code;
	});
}

function permutationOf(rows: number, draw: Draw): Uint32Array {
	const permutation = Uint32Array.from({ length: rows }, (_, row) => row);
	for (let at = rows - 1; at > 0; at--) {
		const other = draw.below(at + 1);
		[permutation[at], permutation[other]] = [permutation[other], permutation[at]];
	}
	return permutation;
}

/** How many of the first positions of an order have a row, up to the end of each block. */
function countedByBlock(permutation: Uint32Array, isCounted: (row: number) => boolean): number[] {
	const blocks = Math.ceil(permutation.length / ORDER_COUNT_POSITIONS);
	return Array.from({ length: blocks }, (_, block) => {
		const first = permutation.subarray(0, (block + 1) * ORDER_COUNT_POSITIONS);
		return first.filter(isCounted).length;
	});
}

test("frequent values are counted up to the end of each block", () => {
	for (const [seed, rows] of [0, 1, 255, ORDER_COUNT_POSITIONS, 3 * ORDER_COUNT_POSITIONS + 7].entries()) {
		const draw = new Draw(seed);
		const columns = COUNTED_IN_ORDER.map((name): [number, CodesToCount] => {
			const distinct = draw.pick([0, 1, 12, 400]);
			return [columnNamed(name).code, { codes: skewedCodes(rows, distinct, draw), distinct }];
		});
		const of = new Map(columns);
		const permutation = permutationOf(rows, draw);
		for (const order of [null, permutationOf(rows, draw)]) {
			const counted = countedValues(({ code }) => of.get(code) as CodesToCount, rows, order);
			const values: number[] = [];
			const counts: number[] = [];
			for (const [column, { codes, distinct }] of columns) {
				const byRow = codes.map((_, row) => codes[order === null ? row : order[row]]);
				const frequent = Array.from({ length: distinct + 1 }, (_, code) => code).filter(
					(code) => codes.filter((each) => each === code).length * ORDER_COUNT_SHARE > rows,
				);
				for (const code of frequent) {
					values.push(column, code);
					counts.push(...countedByBlock(permutation, (row) => byRow[row] === code));
				}
			}
			assert.deepEqual([...counted.values], values, `seed ${seed}`);
			assert.deepEqual([...encodeOrderCounts(permutation, counted)], counts, `seed ${seed}`);
			assert.ok(rows === 0 || values.length > 0);
		}
	}
});

test("as many frequent values as there can be are counted", () => {
	const rows = 255 * 300;
	const codes = Uint32Array.from({ length: rows }, (_, row) => row % 255);
	const counted = countedValues(() => ({ codes, distinct: 400 }), rows, null);
	assert.equal(counted.values.length, 2 * 255 * COUNTED_IN_ORDER.length);
	const order = Uint32Array.from({ length: rows }, (_, row) => row);
	const blocks = Math.ceil(rows / ORDER_COUNT_POSITIONS);
	const counts = encodeOrderCounts(order, counted);
	for (let value = 0; value < counted.values.length / 2; value++)
		assert.equal(counts[(value + 1) * blocks - 1], 300, `all rows of value ${value}`);
});
