/** The build benchmark, run at a small size so that it keeps working. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { builderFolder } from "./builder-process.js";

const BENCH = fileURLToPath(new URL("../../bench/main.js", import.meta.url));

test("the build benchmark times builds and reports their size by section", (t) => {
	const { folder } = builderFolder(t);
	const out = join(folder, "figures.json");
	const args = ["build", "--rows", "800", "--rounds", "1", "--no-peers", "--work", folder, "--out", out];
	const table = execFileSync(process.execPath, [BENCH, ...args], { encoding: "utf8", stdio: "pipe" });
	assert.match(table, /builder, no row store/);
	assert.match(table, /their CPU time: \d+ ms, \d+\.\d % of the rest/);
	const { figures, sections, cpu } = JSON.parse(readFileSync(out, "utf8"));
	assert.deepEqual(
		figures.map(({ name }: { name: string }) => name),
		["builder", "builder, mapped", "builder, no row store"],
	);
	assert.ok(figures[0].seconds[0] > 0);
	assert.ok(sections.length > 5);
	for (const { added, rest } of [cpu.rowStore, cpu.noRowStore]) assert.ok(added > 0 && added < rest);
});
