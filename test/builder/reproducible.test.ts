/** The same rows become the same bytes, regardless of threads, chunks and files. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildMonth } from "../../builder/build/build-month.js";
import type { BuildOptions } from "../../builder/build/build-options.js";
import { synthesize } from "../../builder/synth/index.js";
import { DEFAULT_QUERY, openLibrary } from "../../engine/index.js";
import { snapshotFolder } from "../../formats/index.js";
import {
	type BuilderFolder,
	builderFolder,
	csv,
	folderBytes,
	runBuilder,
	stateRows,
} from "./builder-process.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const ROSTERS = join(ROOT, "../shared/data/real");

/** Builds in this process. */
async function build(builder: BuilderFolder, data: string, options: Partial<BuildOptions>) {
	return buildMonth({
		files: [],
		dataFolder: join(builder.folder, data),
		month: "2026-11",
		maps: [],
		dateFormat: null,
		accept: new Set(),
		dryRun: false,
		rowStore: true,
		threads: 2,
		now: () => new Date(0),
		...options,
	});
}

function snapshotBytes(builder: BuilderFolder, data: string): Map<string, Buffer> {
	return folderBytes(snapshotFolder(join(builder.folder, data), "2026-11"));
}

test("the same CSV gives the same bytes for any number of threads, none included, and size of chunks", async (t) => {
	const builder = builderFolder(t);
	const { files } = await synthesize({
		rows: 2_500,
		months: ["2026-11"],
		seed: 3,
		out: join(builder.folder, "drops"),
	});
	const cuts = [
		{ threads: null },
		{ threads: 1 },
		{ threads: 2, chunkBytes: 40_003 },
		{ threads: 3, chunkBytes: 5_003 },
	];
	let expected: Map<string, Buffer> | null = null;
	for (const [index, cut] of cuts.entries()) {
		const report = await build(builder, `data${index}`, { files: [files[0].path], ...cut });
		assert.equal(report.rows, 2_500);
		const bytes = snapshotBytes(builder, `data${index}`);
		expected ??= bytes;
		assert.deepEqual([...bytes.keys()], [...expected.keys()]);
		for (const [name, content] of bytes) {
			assert.ok(content.equals(expected.get(name) as Buffer), `${name} with ${JSON.stringify(cut)}`);
		}
	}
});

test("the same CSV gives the same bytes where a process cannot run WebAssembly", async (t) => {
	const builder = builderFolder(t);
	const out = join(builder.folder, "drops");
	// More names than are sorted in JavaScript where WebAssembly runs.
	const { files } = await synthesize({ rows: 6_000, months: ["2026-11"], seed: 4, out });
	await build(builder, "data", { files: [files[0].path], rowStore: false });
	const data = join(builder.folder, "without");
	const args = ["build", files[0].path, "--month", "2026-11", "--data", data, "--no-row-store"];
	const { code, stderr } = await runBuilder(args, { NODE_OPTIONS: "--jitless" });
	assert.equal(code, 0, stderr);
	assert.deepEqual(snapshotBytes(builder, "without"), snapshotBytes(builder, "data"));
});

test("files given together are merged, and give what one file of all their rows gives", async (t) => {
	const builder = builderFolder(t);
	const california = stateRows("CA", 300);
	const texas = stateRows("TX", 200);
	const columns = Object.keys(california[0]);
	const one = builder.write("one.csv", csv([...california, ...texas], columns));
	const first = builder.write("first.csv", csv(california, columns));
	// Another column order, compressed: only the rows matter.
	const second = builder.write("second.csv.gz", gzipSync(csv(texas, columns.toReversed())));
	await build(builder, "together", { files: [one] });
	const report = await build(builder, "apart", { files: [first, second] });
	assert.deepEqual(
		report.sources.map((source) => source.rows),
		[300, 200],
	);
	assert.deepEqual(snapshotBytes(builder, "apart"), snapshotBytes(builder, "together"));
	const latest = openLibrary({ dataFolder: join(builder.folder, "apart") }).latest;
	assert.deepEqual(
		latest?.states.map(({ state, rows }) => [state, rows]),
		[
			["CA", 300],
			["TX", 200],
		],
	);
});

test("real rosters of three states become one month by their map files", async (t) => {
	const maps = ["ct", "il", "tx"].map((state) => join(ROOT, "test/maps", `${state}.json`));
	if (!existsSync(ROSTERS)) return t.skip(`the rosters are not at ${ROSTERS}`);
	if (!maps.every((map) => existsSync(map))) return t.skip(`the map files are not at ${maps[0]}`);
	const builder = builderFolder(t);
	const report = await build(builder, "data", { files: [ROSTERS], maps });
	assert.equal(report.rows, 42_728);
	assert.equal(report.rejects.rows, 0);
	assert.equal(existsSync(report.rejectFile), false);
	assert.deepEqual(
		report.states.map(({ state, rows }) => [state, rows]),
		[
			["CT", 25_513],
			["IL", 8_701],
			["TX", 8_514],
		],
	);
	const { latest } = openLibrary({ dataFolder: join(builder.folder, "data") });
	assert.ok(latest !== null);
	const counted = (filters: Record<string, unknown>) =>
		latest.query({ ...DEFAULT_QUERY, filters }).total as number;
	// Counted from the rosters themselves.
	const roster = (name: string) => readFileSync(join(ROSTERS, name), "latin1");
	const smiths = roster("tx-inspectors.csv")
		.split("\n")
		.filter((line) => /,"?Smith"?,/i.test(line)).length;
	assert.ok(smiths > 0);
	assert.ok(counted({ state: ["TX"], last_name: "smith" }) >= smiths);
	assert.ok(counted({ state: ["CT"], expires_after: "2026-01-01", expires_before: "2026-12-31" }) > 1000);
	assert.ok(counted({ city: "STAMFORD" }) > 100);
});
