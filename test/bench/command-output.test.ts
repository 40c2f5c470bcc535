/** What the benchmark's commands say is what they did. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { differentialCommand } from "../../bench/commands/differential.js";
import { headOf } from "../../bench/commands/engine.js";
import { scenariosOf } from "../../bench/http/scenarios.js";
import type { TwinProcess } from "../../bench/http/twin-process.js";
import { measureOpening, openingText } from "../../bench/measure/opening.js";
import type { Snapshot } from "../../engine/index.js";

test("a differential run names the peers that it may ask", () => {
	const command = differentialCommand()
		.exitOverride()
		.configureOutput({ writeErr: () => undefined });
	assert.throws(() => command.parse(["--peer", "oracle"], { from: "user" }), /Allowed choices are duckdb/);
});

test("histories over several months are read once each, and counted", async () => {
	const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	try {
		const opening = await measureOpening({ months: 2, monthRows: 300, draws: 20, seed: 3, work }, () => {});
		assert.equal(opening.history.n, 20);
		assert.match(openingText(opening), /p50 .* ms, p99 .* ms, max .* ms of 20$/);
	} finally {
		rmSync(work, { recursive: true });
	}
});

test("a run says that answers were compared only where a peer was asked", () => {
	assert.match(headOf(5000, 1), /^5,000 rows, .* every answer compared with the peers'$/);
	assert.match(headOf(5000, 0), /^5,000 rows, .* no answer compared$/);
});

test("HTTP scenarios whose requests are sent again and again say so", () => {
	const values: Record<string, string> = { state: "CA", member_full_name: "x" };
	const snapshot = {
		rows: 1,
		value: (_: number, column: string) => values[column] ?? "2026-01-01",
	} as unknown as Snapshot;
	const others = { masked: [], narrowed: [], ten: [] };
	const names = scenariosOf({ others } as unknown as TwinProcess, snapshot).map(({ name }) => name);
	for (const name of ["default page", "one row, one id", "mix of 20 shapes", "304 of the default page"])
		assert.ok(names.includes(`${name}, repeated`), name);
	assert.ok(names.includes("pages asked once, gzip"));
});
