/** What rules of a watched folder do month after month, and that refusals name their settings and end `--once` with 1. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { describeMonth } from "../../builder/published-months.js";
import { Journal } from "../../builder/watch/journal.js";
import { type BuilderFolder, builderFolder, csv, stateRows } from "./builder-process.js";

/** Runs the watcher once with `rule`; the exit code, and the last event of the journal. */
async function watchOnce(builder: BuilderFolder, rule: object, ...flags: string[]) {
	const rules = builder.write(
		"rules.json",
		JSON.stringify({ rules: [{ match: "*", complete: "rename", publish: "now", ...rule }] }),
	);
	const ended = await builder.run("watch", join(builder.folder, "in"), "--rules", rules, "--once", ...flags);
	return { ...ended, last: new Journal(builder.data, () => new Date()).read().at(-1) };
}

test("a rule that replaces months publishes the first drop of each, and replaces it by the next", async (t) => {
	const builder = builderFolder(t);
	const replace = { replace: true, accept: ["states", "total", "churn"] };
	for (const [name, rows] of [
		["a-2026-10.csv", 12],
		["b-2026-10.csv", 13],
		["a-2026-11.csv", 14],
	] as const) {
		builder.write(`in/${name}`, csv(stateRows("CA", rows)));
		const { code, last, stderr } = await watchOnce(builder, replace);
		assert.deepEqual([code, last?.event, last?.drop], [0, "published", name], stderr);
		assert.equal(describeMonth(builder.data, name.slice(2, 9)).rows, rows);
	}
});

test("a watcher that refused a drop ends with 1, and each refusal names settings of the rule", async (t) => {
	const builder = builderFolder(t);
	builder.write("in/a-2026-10.csv", csv(stateRows("CA", 200)));
	assert.equal((await watchOnce(builder, {})).code, 0);
	const refusals: [name: string, state: string, rule: object, message: RegExp][] = [
		["b-2026-11.csv", "ZZ", {}, /gate rejects: .*; "accept": \["rejects"\] in its rule publishes anyway; /],
		["b-2026-10.csv", "CA", {}, /already published; "replace": true in its rule builds in its place$/],
		["c-2026-11.csv", "CA", { mergeState: ["CA"] }, /is not published: build it without .* or "mergeState"$/],
		["d-2026-10.csv", "CA", { mergeState: ["TX"] }, /rows of CA, which "mergeState" does not name$/],
		["e-2026-11.csv", "CA", { carry: ["CA"] }, /rows of CA, which "carry" takes from another month$/],
		["f-2026-09.csv", "CA", { carry: ["TX"] }, /no month before 2026-09 is published to carry rows from$/],
		["g.csv", "CA", {}, /^a drop's name with YYYY-MM is needed: no file's name has one$/],
	];
	for (const [name, state, rule, message] of refusals) {
		builder.write(`in/${name}`, csv([...stateRows("CA", 9), ...stateRows(state, 1, 9)]));
		const { code, stderr, last } = await watchOnce(builder, rule);
		assert.deepEqual([code, last?.event, last?.drop], [1, "refused", name]);
		assert.match(last?.message ?? "", message);
		assert.doesNotMatch(last?.message ?? "", /--(?!map file)/);
		assert.equal(stderr, `builder: ${join(builder.folder, "in")}: refused: ${name}\n`);
	}
	// What was refused before is not built again, so there is nothing to refuse.
	assert.equal((await watchOnce(builder, {})).code, 0);
	builder.write("in/h.csv", "");
	const { code, stdout } = await watchOnce(builder, {}, "--json");
	const lines = stdout
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	assert.deepEqual([code, lines[0].event, lines[1].error.code], [1, "refused", "drops_refused"]);
});
