/** The states without a value of a column are those in whose rows a look at each finds none. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { COLUMNS } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { randomMonth, rawRows } from "../oracle/random-month.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { withTwins } from "./compiled-month.js";

test("for every column with a dictionary, of months whose states lack some", async (t) => {
	const runs = fuzzRuns(12);
	tellSeed(t, runs);
	const draw = new Draw(SEED);
	const columns = COLUMNS.filter(({ kind }) => kind === "dict" || kind === "date");
	let found = 0;
	for (const [run, month] of fc.sample(randomMonth(), { seed: SEED, numRuns: runs }).entries()) {
		const lacking = new Map<unknown, Set<string>>();
		const raw = rawRows(month).map((row) => {
			const lacks =
				lacking.get(row.state) ?? new Set(columns.filter(() => draw.oneIn(3)).map(({ name }) => name));
			lacking.set(row.state, lacks);
			const cells = Object.entries(row).map(([name, value]) => [
				name,
				lacks.has(name) && name !== "state" && name !== "country" ? "" : value,
			]);
			return Object.fromEntries(cells) as typeof row;
		});
		await withTwins(raw, month.month, { rowStore: false }, ({ mapped, shared, naive }) => {
			for (const { name } of columns) {
				const expected = mapped.states
					.map(({ state }) => state)
					.filter((state) => {
						const own = naive.rows.filter((row) => row.state === state);
						return own.length > 0 && own.every((row) => row[name] === null);
					});
				found += expected.length;
				for (const snapshot of [mapped, shared, mapped])
					assert.deepEqual(
						snapshot.statesWithout(name, {}, null).map(({ state }) => state),
						expected,
						`run ${run}: ${name}`,
					);
			}
		});
	}
	assert.ok(found > 0);
});
