/** Change files follow the months: built, built in between, retired, restored; and a killed builder leaves no half of one. */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { builderFolder, csv, stateRows } from "../builder/builder-process.js";

const DROPS: Record<string, string> = {
	"2026-08": csv(stateRows("CA", 50)),
	"2026-09": csv(stateRows("CA", 40)),
	"2026-10": csv([...stateRows("CA", 45), ...stateRows("TX", 5)]),
};

async function withMonths(t: TestContext, ...months: string[]) {
	const builder = builderFolder(t);
	for (const month of months)
		await builder.json("build", builder.write(`a-${month}.csv`, DROPS[month]), "--accept", "all");
	return builder;
}

/** Pairs of months that have changes. */
function pairs(data: string): string[] {
	const folder = join(data, "changes");
	return existsSync(folder)
		? readdirSync(folder)
				.map((name) => name.slice(0, 15))
				.sort()
		: [];
}

test("a month's changes are computed with it, and again when a month is inserted, retired or restored", async (t) => {
	const builder = await withMonths(t, "2026-08", "2026-10");
	assert.deepEqual(pairs(builder.data), ["2026-08_2026-10"]);
	const drop = builder.write("a-2026-09.csv", DROPS["2026-09"]);
	await builder.json("build", drop, "--accept", "all", "--dry-run");
	assert.deepEqual(pairs(builder.data), ["2026-08_2026-10"]);
	await builder.json("build", drop, "--accept", "all");
	const all = ["2026-08_2026-09", "2026-08_2026-10", "2026-09_2026-10"];
	assert.deepEqual(pairs(builder.data), all);
	await builder.json("retire", "2026-09");
	assert.deepEqual(pairs(builder.data), ["2026-08_2026-10"]);
	await builder.json("restore", "2026-09");
	assert.deepEqual(pairs(builder.data), all);
	await builder.json("retire", "2026-10");
	assert.deepEqual(pairs(builder.data), ["2026-08_2026-09"]);
	// The month built anew from another drop has other changes, under another name.
	const before = readdirSync(join(builder.data, "changes"));
	await builder.json("retire", "2026-09");
	await builder.json("prune", "2026-09");
	await builder.json("build", builder.write("b-2026-09.csv", DROPS["2026-10"]), "--accept", "all");
	assert.deepEqual(pairs(builder.data), ["2026-08_2026-09"]);
	assert.notDeepEqual(readdirSync(join(builder.data, "changes")), before);
});

test("a drop that renames its columns changes nothing where a map names them, and their values where none does", async (t) => {
	const builder = await withMonths(t, "2026-08");
	const rows = stateRows("CA", 50);
	const names = Object.keys(rows[0]);
	const [, ...lines] = csv(rows).split("\n");
	const renamed = { office_name: "Brokerage", member_city: "Town" };
	const header = names.map((name) => renamed[name as keyof typeof renamed] ?? name).join(",");
	const drop = builder.write("b-2026-09.csv", [header, ...lines].join("\n"));
	const columns = Object.fromEntries(Object.entries(renamed).map(([ours, theirs]) => [theirs, ours]));
	const map = builder.write("map.json", JSON.stringify({ columns }));
	const totals = async () => {
		const [made] = await builder.json<{ totals: unknown }[]>("changes", "2026-08", "2026-09");
		return made.totals;
	};
	await builder.json("build", drop, "--map", map, "--accept", "all");
	assert.deepEqual(await totals(), { new: 0, gone: 0, changed: 0 });
	await builder.json("build", drop, "--replace", "--accept", "all");
	assert.deepEqual(await totals(), { new: 0, gone: 0, changed: 50 });
});

test("`changes` computes those of two months, or of all adjacent ones, and prints their totals", async (t) => {
	const builder = await withMonths(t, "2026-08", "2026-09", "2026-10");
	const made = await builder.json("changes", "2026-08", "2026-10");
	assert.deepEqual(made, [{ from: "2026-08", to: "2026-10", totals: { new: 5, gone: 5, changed: 0 } }]);
	assert.deepEqual(pairs(builder.data), ["2026-08_2026-09", "2026-08_2026-10", "2026-09_2026-10"]);
	const diff = await builder.json<{ new: number; gone: number }>("diff", "2026-08", "2026-10");
	assert.deepEqual([diff.new, diff.gone], [5, 5]);
	const neighbours = await builder.json<{ to: string }[]>("changes");
	assert.deepEqual(
		neighbours.map(({ to }) => to),
		["2026-09", "2026-10"],
	);
	const swapped = await builder.run("changes", "2026-10", "2026-08");
	assert.equal(swapped.code, 2);
	assert.match(swapped.stderr, /2026-10 is not before 2026-08/);
});
