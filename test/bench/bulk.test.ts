/** `bench bulk` at a small size: it runs, compares what it measures with the engine, and reports every figure. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { figuresTable } from "../../bench/bulk/figure.js";
import { expectedWalk } from "../../bench/bulk/measure-walks.js";
import { measureBulk } from "../../bench/commands/bulk.js";
import { CHANGED_SHARE, prepareChangedMonths } from "../../bench/data/changed-months.js";
import { openLibrary } from "../../engine/index.js";

const ROWS = 3_000;
const SEED = 11;

const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
after(() => rmSync(work, { recursive: true }));

let dataFolder = "";
before(async () => {
	dataFolder = (await prepareChangedMonths({ work, rows: ROWS, seed: SEED }, () => undefined)).dataFolder;
});

test("whole results are measured, and compared with the engine's", async () => {
	const flags = {
		data: dataFolder,
		rows: ROWS,
		seed: SEED,
		peers: false,
		rounds: 1,
		quiet: 0.2,
		work,
	};
	const figures = await measureBulk({ ...flags, only: "changes,walk,exports,files" });
	assert.ok(figures.length >= 23, `${figures.length} figures`);
	for (const { name, measured } of figures)
		assert.match(measured, /^(?:∞|[\d.,]+) ?(?:ms|s|x|%|MiB|\/s)/, name);
	// A target can be missed at any size; the disk of so few changes is not.
	const disk = figures.find(({ name }) => name.startsWith("disk"));
	assert.equal(disk?.reached, true);
	assert.equal(figuresTable(figures).trimEnd().split("\n").length, figures.length + 1);
	assert.notEqual(expectedWalk(openLibrary({ dataFolder }).snapshots[0]), 0);
});

test("the months made for it have the share of changed licenses that is asked for", () => {
	const library = openLibrary({ dataFolder });
	const [newer, older] = library.snapshots;
	const { totals } = library.changes(older, newer).changes;
	const share = totals.changed / ROWS;
	assert.ok(Math.abs(share - CHANGED_SHARE) < 0.008, `${share}`);
	assert.ok(totals.new > 0 && totals.gone > 0);
});
