/** Hints are kept by what they depend on, of at most so many questions, whatever months and values are asked for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Filters, Snapshot } from "../../engine/index.js";
import type { Hint, HintSource } from "../../server/api/hints/hint.js";
import { HintCache, hintsText } from "../../server/api/hints/hint-cache.js";

const CAPACITY = 64;
const cache = new HintCache(CAPACITY);
const hint: Hint = { param: "city", value: "x", message: "m", nearest: [] };

function month(geography: HintSource["geography"] = null): HintSource {
	return { snapshot: {} as Snapshot, geography, stats: null as never };
}

/** Whether the hints of a question are made anew. */
function isMade(
	source: HintSource,
	values: readonly string[],
	filters: Filters = {},
	param = "city",
): boolean {
	let made = false;
	const hints = cache.get(source, param, values, filters, () => {
		made = true;
		return [{ ...hint, value: values.join() }];
	});
	assert.equal(hints[0].value, values.join());
	assert.equal(hintsText(hints), JSON.stringify(hints));
	return made;
}

test("hints are kept by month, parameter, values, states and country, and not for keys with a geography", () => {
	const source = month();
	assert.equal(isMade(source, ["a"]), true);
	assert.equal(isMade(source, ["a"]), false);
	assert.equal(isMade(month(), ["a"]), true);
	for (const [values, filters, param] of [
		[["a"], { state: ["TX"] }, "city"],
		[["a"], { state: ["TX", "CA"] }, "city"],
		[["a"], { country: "US" }, "city"],
		[["a"], {}, "license_status"],
		[["a", "b"], {}, "city"],
		[["a 1 b"], {}, "city"],
		[["b", "a"], {}, "city"],
		[["a b"], {}, "city"],
	] as const) {
		assert.equal(isMade(source, values, filters as Filters, param), true, values.join());
		assert.equal(isMade(source, values, filters as Filters, param), false, values.join());
	}
	const narrowed = month({ countries: [], states: ["TX"] });
	for (let i = 0; i < 2; i++) assert.equal(isMade(narrowed, ["a"]), true);
	for (let i = 0; i < 2; i++) assert.equal(isMade(source, ["long".repeat(60)]), true);
	assert.equal(hintsText([hint, hint]), JSON.stringify([hint, hint]));
	assert.equal(hintsText([]), "[]");
});

test("as many as are kept make room for the next, of one month or of many", () => {
	const source = month();
	for (const [kind, others] of [() => source, () => month()].entries()) {
		isMade(source, ["first"]);
		assert.equal(isMade(source, ["first"]), false);
		for (let i = 0; i < CAPACITY; i++) isMade(others(), [`other ${i} ${kind}`]);
		assert.equal(isMade(source, ["first"]), true);
	}
});
