/** Files of the newest month are in huge pages once queries have used them, those of a month before no longer. */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, renameSync, rmSync, statSync, truncateSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ByteSink, type Library, openLibrary, type Snapshot } from "../../engine/index.js";
import { hasHugePages, hugePageBytes } from "../../formats/files/mmap.js";
import { CATALOG_FILE, COLUMNS, ROW_STORE_FOLDER, snapshotFolder } from "../../formats/index.js";
import { collectGarbage } from "../collect-garbage.js";
import { untilHeld } from "../huge-pages-held.js";
import { Draw } from "../oracle/draw.js";
import { compileRows } from "./compiled-month.js";

const HUGE = 1 << 21;
// Without the id, which tells the month apart.
const columns = COLUMNS.map(({ name }) => name).filter((name) => name !== "id" && name !== "snapshot");
const projection = { columns, masked: false };
const skip = !hasHugePages() && "needs the addon, and a Linux that gives huge pages on demand";

/** Renders rows from their stored values. */
function render(snapshot: Snapshot | null | undefined): string {
	assert.ok(snapshot?.hasRowStore);
	const sink = new ByteSink(16);
	snapshot.renderRows(Uint32Array.of(7, 11_000, 29_999), projection, "json", sink);
	return sink.view().toString();
}

/** Two months of which only the older is published; `held`: bytes of huge pages for the rows of one. */
async function withMonthAside(t: TestContext) {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-huge-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const raw = Array.from({ length: 30_000 }, (_, i) => ({
		state: "CA",
		member_last_name: `Okafor ${i % 9_000}`,
		member_state_license_number: `B${i}`,
		member_address: `${i} Kowhai Street, at the corner of the Avenue of the Americas`,
	}));
	const data = join(folder, "data");
	for (const month of ["2026-10", "2026-11"]) await compileRows(raw, month, data, true, new Draw(1));
	const newest = snapshotFolder(data, "2026-11");
	const rows = statSync(join(newest, "rows", "000.row")).size;
	assert.ok(rows > HUGE, `${rows} bytes of stored rows`);
	const aside = join(folder, "aside");
	renameSync(newest, aside);
	return { data, newest, aside, held: Math.round(rows / HUGE) * HUGE };
}

/** Does the work of preparing a reload; returns the snapshot that will be the newest. */
async function prepare(library: Library): Promise<Snapshot | null> {
	const work = library.prepareReload();
	for (;;) {
		const { done, value } = work.next();
		if (done === true) return value;
		await value;
	}
}

test("files of the newest month are in huge pages once they are used", { skip }, async (t) => {
	const { data, newest, aside, held } = await withMonthAside(t);
	const library = openLibrary({ dataFolder: data });
	const { latest } = library;
	assert.equal(hugePageBytes(), 0, "before a query");
	const rendered = render(latest);
	await untilHeld(held);
	assert.equal(render(latest), rendered);

	cpSync(aside, newest, { recursive: true });
	collectGarbage();
	library.reload();
	assert.equal(library.latest?.month, "2026-11");
	await untilHeld(0);
	assert.equal(render(latest), rendered, "the older month, mapped again");
	await delay(50);
	assert.equal(hugePageBytes(), 0, "and no longer copied");
	assert.equal(render(library.latest), rendered);
	await untilHeld(held);

	rmSync(newest, { recursive: true });
	cpSync(aside, newest, { recursive: true });
	truncateSync(join(newest, CATALOG_FILE), 10);
	assert.equal(library.reload().failed.length, 1, "a damaged month in its place");
	assert.equal(render(library.find("2026-11")), rendered, "which is left as it was");
	await delay(50);
	assert.equal(hugePageBytes(), held);

	rmSync(newest, { recursive: true });
	library.reload();
	await untilHeld(0);
	library.close();

	const mapped = openLibrary({ dataFolder: data, hugePages: false });
	assert.equal(render(mapped.latest), rendered);
	await delay(50);
	assert.equal(hugePageBytes(), 0, "where huge pages are not wanted");
});

test("those of a month that is to become the newest are so before, unless it does not become it", {
	skip,
}, async (t) => {
	const { data, newest, aside, held } = await withMonthAside(t);
	const library = openLibrary({ dataFolder: data });
	const rendered = render(library.latest);
	await untilHeld(held);

	renameSync(aside, newest);
	const next = await prepare(library);
	assert.equal(render(next), rendered);
	await untilHeld(2 * held);
	library.reload();
	assert.equal(library.latest, next);
	await untilHeld(held);
	assert.equal([...library.keepUsedInSlices()].length, 0, "all is as it should be");

	// In use before, so that no first use follows.
	renameSync(newest, aside);
	assert.equal(await prepare(library), library.find("2026-10"));
	await untilHeld(2 * held);
	renameSync(aside, newest);
	library.reload();
	assert.equal(library.latest?.month, "2026-11");
	await untilHeld(held);

	renameSync(newest, aside);
	library.reload();
	await untilHeld(0);
	assert.ok([...library.keepUsedInSlices()].length > 0, "without preparation");
	await untilHeld(held);

	renameSync(aside, newest);
	assert.equal(render(await prepare(library)), rendered);
	await untilHeld(2 * held);
	renameSync(newest, aside);
	library.reload();
	assert.equal(library.latest?.month, "2026-10");
	await untilHeld(held);
	library.close();
	await untilHeld(0);
});

test("those of a month that is served stay so where it was prepared without its rows, which came back", {
	skip,
}, async (t) => {
	const { data, newest, aside, held } = await withMonthAside(t);
	renameSync(aside, newest);
	// The publication becomes the same again: its stamp is of the folder and its time.
	utimesSync(newest, 1e9, 1e9);
	const library = openLibrary({ dataFolder: data });
	const rendered = render(library.latest);
	await untilHeld(held);
	renameSync(join(newest, ROW_STORE_FOLDER), aside);
	assert.equal((await prepare(library))?.hasRowStore, false);
	renameSync(aside, join(newest, ROW_STORE_FOLDER));
	utimesSync(newest, 1e9, 1e9);
	assert.deepEqual(library.reload(), { opened: [], closed: [], failed: [] });
	await delay(50);
	assert.equal(hugePageBytes(), held);
	assert.equal(render(library.latest), rendered);
	library.close();
	await untilHeld(0);
});
