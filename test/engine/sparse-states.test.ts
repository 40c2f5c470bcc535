/** States in which most rows have no value are those that counting the rows one by one finds, at once and in slices. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SparseStates } from "../../engine/columns/sparse-states.js";
import {
	type Column,
	columnNamed,
	type Dictionary,
	type StateRun,
	type TextColumn,
} from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";

const ROWS = 1_200_001;
const DISTINCT = 9;
const CITY = columnNamed("member_city");
const ADDRESS = columnNamed("member_address");

/** States of any number of rows; in each, a share of the rows has no value. */
function statesOf(draw: Draw): { run: StateRun; share: number }[] {
	const states: { run: StateRun; share: number }[] = [];
	for (let first = 0; first < ROWS; ) {
		const rows = Math.min(ROWS - first, draw.below(4) === 0 ? draw.below(40) : draw.below(300_000));
		const share = [0, 0.3, 0.5, 0.7, 1][draw.below(5)];
		states.push({ run: { country: "US", state: `S${states.length}`, first, rows }, share });
		first += rows;
	}
	return states;
}

for (const seed of [1, 2, 3])
	test(`of ${ROWS} rows, seed ${seed}`, () => {
		const draw = new Draw(seed);
		const states = statesOf(draw);
		const codes = new Uint8Array(ROWS);
		const offsets = new Uint32Array(ROWS + 1);
		const expected = new Map<Column, { state: string; missing: number }[]>(
			[CITY, ADDRESS].map((column) => [column, []]),
		);
		for (const { run, share } of states) {
			const missing = [0, 0];
			for (let row = run.first; row < run.first + run.rows; row++) {
				const [hasNoCity, hasNoAddress] = [draw.below(1_000), draw.below(1_000)].map(
					(x) => x < share * 1_000,
				);
				codes[row] = hasNoCity ? DISTINCT : draw.below(DISTINCT);
				offsets[row + 1] = offsets[row] + (hasNoAddress ? 0 : 1 + draw.below(3));
				missing[0] += +hasNoCity;
				missing[1] += +hasNoAddress;
			}
			for (const [i, column] of [CITY, ADDRESS].entries())
				if (missing[i] * 2 > run.rows && missing[i] < run.rows)
					expected.get(column)?.push({ state: run.state, missing: missing[i] });
		}
		const sections = {
			codes: { get: () => codes },
			dictionary: { get: () => ({ distinct: DISTINCT }) as Dictionary },
			text: { get: () => ({ offsets }) as TextColumn },
		};
		const runs = states.map(({ run }) => run);
		const atOnce = new SparseStates(sections, ROWS, runs);
		const sliced = new SparseStates(sections, ROWS, runs);
		assert.ok([...sliced.prepare()].length > 20, "it takes slices");
		// What was found is not looked for again.
		sections.codes.get = () => assert.fail("codes are read again");
		sections.text.get = () => assert.fail("text is read again");
		const foundIn = (found: SparseStates, column: Column) =>
			found.get(column).map(({ run, missing }) => ({ state: run.state, missing }));
		for (const column of [CITY, ADDRESS]) assert.deepEqual(foundIn(sliced, column), expected.get(column));
		sections.codes.get = () => codes;
		sections.text.get = () => ({ offsets }) as TextColumn;
		for (const column of [CITY, ADDRESS]) assert.deepEqual(foundIn(atOnce, column), expected.get(column));
		assert.ok([...expected.values()].some((found) => found.length > 0));
	});
