/** Files that become accessible have V8 collect no garbage: their bytes are not memory that it could free. */

import assert from "node:assert/strict";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { mapFile, mappingMode } from "../../formats/index.js";
import { collectGarbage } from "../collect-garbage.js";

const FILES = 60;
/** Less than the 64 MB at which V8 starts for a single file. */
const FILE_BYTES = 40 << 20;
/** V8 may start some for other reasons. */
const COLLECTIONS_MAX = 3;

const LARGE_COLLECTIONS: ReadonlySet<number> = new Set([
	constants.NODE_PERFORMANCE_GC_MAJOR,
	constants.NODE_PERFORMANCE_GC_INCREMENTAL,
]);

/** Files without contents on disk. */
function sparseFiles(folder: string): string[] {
	return Array.from({ length: FILES }, (_, i) => {
		const path = join(folder, String(i));
		const descriptor = openSync(path, "w");
		ftruncateSync(descriptor, FILE_BYTES);
		closeSync(descriptor);
		return path;
	});
}

test("2.4 GB of files become accessible without collections, and may be freed", {
	skip: mappingMode() !== "mmap" && "files are not mapped here",
}, async () => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-views-"));
	try {
		const paths = sparseFiles(folder);
		// The first view has one run.
		let views: Buffer[] = [mapFile(paths[0])];
		let collections = 0;
		const observer = new PerformanceObserver((list) => {
			for (const entry of list.getEntries()) {
				const { detail } = entry as unknown as { detail: { kind: number } };
				if (LARGE_COLLECTIONS.has(detail.kind)) collections++;
			}
		});
		await pause(50);
		observer.observe({ entryTypes: ["gc"] });
		for (const path of paths) {
			views.push(mapFile(path));
			// V8 marks in steps of the event loop.
			await pause(1);
		}
		await pause(100);
		assert.ok(collections <= COLLECTIONS_MAX, `${collections} collections`);
		assert.equal(views.at(-1)?.length, FILE_BYTES);
		// V8 takes the bytes of each off again; newer ones end the process where these are more than it counts.
		for (let times = 0; times < 3; times++) {
			views = [];
			collectGarbage();
			await pause(50);
			views = paths.map((path) => mapFile(path));
		}
		observer.disconnect();
	} finally {
		rmSync(folder, { recursive: true });
	}
});
