/** The counts of a vocabulary as text, of any states covered: as JSON.stringify writes them, most rows first. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteSink } from "../../engine/index.js";
import { VocabularyText } from "../../engine/render/vocabulary-text.js";
import { type CodeCounts, type Dictionary, JURISDICTIONS, type StateRun } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

const VALUES_MAX = 20;
const dictionary = { value: (code: number) => `"${code}" of \u00e9` } as Dictionary;

/** Counts of values that any state has, or few; of some values as many rows in several. */
function someCounts(draw: Draw, states: number): CodeCounts[] {
	const rarity = Array.from({ length: VALUES_MAX }, () => draw.pick([1, 3, 40]));
	return Array.from({ length: states }, () => {
		const codes = [...rarity.keys()].filter((code) => draw.oneIn(rarity[code]));
		return { codes, rows: codes.map(() => 1 + draw.below(draw.pick([2, 1000, 1e8]))) };
	});
}

function expected(counts: readonly CodeCounts[], states: readonly StateRun[], covered: Uint8Array): string {
	const entries = Array.from({ length: VALUES_MAX }, (_, code) => {
		const having = [...counts.keys()].filter((s) => covered[s] === 1 && counts[s].codes.includes(code));
		const rowsOf = (state: number) => counts[state].rows[counts[state].codes.indexOf(code)];
		const rows = having.reduce((sum, state) => sum + rowsOf(state), 0);
		const byState = Object.fromEntries(having.map((state) => [states[state].state, rowsOf(state)]));
		return { value: dictionary.value(code), rows, states: byState };
	});
	const found = entries.filter(({ states: of }) => Object.keys(of).length > 0);
	return JSON.stringify(found.sort((a, b) => b.rows - a.rows));
}

test("any states of up to all jurisdictions are counted", (t) => {
	const runs = fuzzRuns(300);
	tellSeed(t, runs);
	for (let run = 0; run < runs; run++) {
		const draw = new Draw(SEED, run);
		const states = JURISDICTIONS.slice(0, draw.pick([1, 5, 32, 33, JURISDICTIONS.length])).map(
			({ state, country }) => ({ state, country, first: 0, rows: 0 }),
		);
		const counts = someCounts(draw, states.length);
		const text = new VocabularyText(counts, states, dictionary);
		for (let asked = 0; asked < 4; asked++) {
			const oneIn = draw.pick([1, 2, 10, 1000]);
			const covered = Uint8Array.from(states, () => (draw.oneIn(oneIn) ? 1 : 0));
			const sink = new ByteSink(16);
			text.write(covered, sink);
			assert.equal(sink.view().toString(), expected(counts, states, covered), `run ${run}`);
		}
	}
});
