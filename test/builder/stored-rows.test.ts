/** Which months have stored rows: by default the newest only; older ones lose theirs when a newer one is published. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ByteSink, DEFAULT_QUERY, openLibrary } from "../../engine/index.js";
import { COLUMNS } from "../../formats/index.js";
import { type BuilderFolder, builderFolder, csv, stateRows } from "./builder-process.js";

const DROP = csv([...stateRows("CA", 6), ...stateRows("TX", 4)]);

type Listed = readonly { readonly month: string; readonly row_store_bytes: number }[];

/** Published months with stored rows, newest first. */
async function stored(builder: BuilderFolder): Promise<string[]> {
	const months = await builder.json<Listed>("list");
	return months.filter(({ row_store_bytes }) => row_store_bytes > 0).map(({ month }) => month);
}

async function build(builder: BuilderFolder, month: string, ...flags: string[]) {
	const drop = builder.write(`drop-${month}.csv`, DROP);
	return builder.json<{ rowsDroppedOf: string | null }>("build", drop, "--accept", "all", ...flags);
}

/** How often this process has mapped a file; 0 where the system does not tell. */
function timesMapped(path: string): number {
	const maps = "/proc/self/maps";
	if (!existsSync(maps)) return 0;
	return readFileSync(maps, "utf8")
		.split("\n")
		.filter((line) => line.endsWith(path)).length;
}

function pageOf(data: string, month: string): { readonly rows: string; readonly isStored: boolean } {
	const snapshot = openLibrary({ dataFolder: data }).find(month);
	assert.ok(snapshot !== undefined, month);
	const sink = new ByteSink();
	const columns = COLUMNS.map(({ name }) => name);
	snapshot.renderList(snapshot.query(DEFAULT_QUERY), { columns, masked: false }, sink);
	return { rows: sink.view().toString(), isStored: snapshot.hasRowStore };
}

test("the newest month alone has stored rows, and a month that had them answers the same without", async (t: TestContext) => {
	const builder = builderFolder(t);
	assert.equal((await build(builder, "2026-10")).rowsDroppedOf, null);
	const before = pageOf(builder.data, "2026-10");
	assert.equal(before.isStored, true);
	const running = openLibrary({ dataFolder: builder.data });
	const text = await builder.run("build", builder.write("drop-2026-11.csv", DROP), "--accept", "all");
	assert.match(text.stdout, /stored rows of 2026-10 dropped, since 2026-11 is newer/);
	assert.deepEqual(await stored(builder), ["2026-11"]);
	assert.deepEqual(pageOf(builder.data, "2026-10"), { ...before, isStored: false });
	const mappings = () => timesMapped(join(builder.data, "snapshots/2026-10/state.col"));
	const mapped = mappings();
	assert.deepEqual([...running.reload().opened].sort(), ["2026-10", "2026-11"], "opened again without them");
	assert.equal(running.find("2026-10")?.hasRowStore, false);
	assert.ok(mappings() <= mapped, "its columns are not mapped again");
	assert.deepEqual(running.reload().opened, []);

	await builder.json("rows", "add", "2026-10");
	assert.deepEqual(running.reload().opened, ["2026-10"], "a server takes rows that were added");
	assert.equal(running.find("2026-10")?.hasRowStore, true);
	running.close();
	assert.equal((await build(builder, "2026-12")).rowsDroppedOf, "2026-11");
	assert.deepEqual(await stored(builder), ["2026-12", "2026-10"], "rows that were added are kept");
	assert.equal((await build(builder, "2026-09")).rowsDroppedOf, null);
	assert.deepEqual(await stored(builder), ["2026-12", "2026-10"], "an older month stores none");
	await build(builder, "2026-10", "--replace");
	assert.deepEqual(await stored(builder), ["2026-12", "2026-10"], "as the month that it replaces");
	await build(builder, "2026-09", "--replace");
	assert.deepEqual(await stored(builder), ["2026-12", "2026-10"], "as the month that it replaces");
});

test("--row-store stores rows of any month and keeps those of older ones, at a release too", async (t: TestContext) => {
	const builder = builderFolder(t);
	await build(builder, "2026-10");
	assert.equal((await build(builder, "2026-11", "--row-store")).rowsDroppedOf, null);
	await build(builder, "2026-09", "--row-store");
	assert.deepEqual(await stored(builder), ["2026-11", "2026-10", "2026-09"]);
	await build(builder, "2026-12", "--row-store", "--hold");
	await builder.run("release", "2026-12");
	assert.deepEqual(await stored(builder), ["2026-12", "2026-11", "2026-10", "2026-09"]);
	await build(builder, "2027-01", "--hold");
	assert.equal((await stored(builder))[0], "2026-12", "a held month is not published");
	await builder.run("release", "2027-01");
	assert.deepEqual(await stored(builder), ["2027-01", "2026-11", "2026-10", "2026-09"]);
	await build(builder, "2027-02", "--no-row-store");
	assert.deepEqual(await stored(builder), ["2026-11", "2026-10", "2026-09"]);
});

test("a restored month that is the newest takes over; what a crash left of dropped rows is removed", async (t: TestContext) => {
	const builder = builderFolder(t);
	await build(builder, "2026-10");
	await build(builder, "2026-11");
	await builder.json("retire", "2026-11");
	await builder.json("rows", "add", "2026-10");
	const remnant = join(builder.data, "retired", ".removed-rows-2026-10");
	mkdirSync(remnant);
	writeFileSync(join(remnant, "000.row"), "left");
	await builder.json("restore", "2026-11");
	assert.deepEqual(await stored(builder), ["2026-11"]);
	assert.equal(existsSync(remnant), false);
	assert.deepEqual(readdirSync(join(builder.data, "retired")), []);
	assert.equal((await builder.json<unknown[]>("verify")).length, 2);
});
