/** Statistics of a month with a status a row: the same as of any other, without text of all that a state asks for one of. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import { ByteSink } from "../../engine/index.js";
import { Statistics } from "../../engine/statistics.js";
import { COVERAGE_COLUMNS, type Dictionary, EXPIRATION_BUCKETS, JURISDICTIONS } from "../../formats/index.js";

const STATES = JURISDICTIONS.slice(0, 3).map(({ state, country }) => ({ state, country, first: 0, rows: 1 }));
const BYTES_MAX = 8 << 20;

/** Statistics of three states, of which the first has `few` statuses, the others `many` in common; `read` counts values read. */
function statisticsOf(few: number, many: number) {
	const read = { values: 0 };
	const countsOf = (length: number, first: number) => {
		const codes = Array.from({ length }, (_, i) => first + i);
		return { codes, rows: codes.map((code) => 1 + (code % 3)) };
	};
	const states = [countsOf(few, 0), countsOf(many, few), countsOf(many, few)].map((license_status) => ({
		license_status,
		member_type: countsOf(1, 0),
		coverage: COVERAGE_COLUMNS.map(() => 0),
		expiration: EXPIRATION_BUCKETS.map(() => 0),
	}));
	const value = (code: number) => {
		read.values++;
		return String(code);
	};
	const offsets = new Uint32Array(few + many + 1);
	for (let code = 0, end = 0; code <= few + many; end += String(code++).length) offsets[code] = end;
	const dictionary = { get: () => ({ value, offsets, distinct: few + many }) as unknown as Dictionary };
	const statistics = new Statistics(STATES, { stats: { states }, dictionary } as unknown as SnapshotColumns);
	return { statistics, read };
}

const ofState = (i: number) => ({ countries: [], states: [STATES[i].state] });

test("as JSON they are what they are as objects, of few words and of many", () => {
	for (const many of [5, 20_000])
		for (const geography of [null, ofState(0), ofState(1)]) {
			const { statistics } = statisticsOf(7, many);
			const sink = new ByteSink(16, BYTES_MAX);
			statistics.write(geography, sink);
			assert.equal(sink.view().toString(), JSON.stringify(statistics.of(geography)));
		}
});

test("what an answer has no room for is refused before a value is read", () => {
	const { statistics, read } = statisticsOf(7, 300_000);
	for (const geography of [null, ofState(2)])
		assert.throws(
			() => statistics.write(geography, new ByteSink(16, BYTES_MAX)),
			/takes more than 8388608 bytes/,
		);
	assert.equal(read.values, 0);
});

test("of one state with few of the words no others are read", () => {
	const { statistics, read } = statisticsOf(7, 200_000);
	statistics.write(ofState(0), new ByteSink(16, BYTES_MAX));
	assert.equal(read.values, 7 + 1);
});
