/** Where files cannot be mapped, the threads of a server hold each file once between them. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { SharedFiles } from "../../server/workers/shared-files.js";
import { scratchFolder } from "../keys/scratch.js";

function startReader(t: TestContext, files: SharedFiles): (path: string) => Promise<unknown> {
	const line = files.openLine();
	const script = new URL("./file-reader.js", import.meta.url);
	const worker = new Worker(script, { workerData: line, transferList: [line.port] });
	t.after(() => worker.terminate());
	return async (path) => {
		worker.postMessage(path);
		return (await once(worker, "message"))[0];
	};
}

test("threads that ask for one file are handed the same memory", async (t) => {
	const path = join(scratchFolder(t), "a.col");
	writeFileSync(path, Buffer.alloc(10_000, 7));
	const files = new SharedFiles();
	const [first, second] = [startReader(t, files), startReader(t, files)];
	assert.deepEqual(await Promise.all([first(path), second(path)]), [10_000, 10_000]);
	// Each added 1 to the first byte of what it was handed; the file has what it had.
	const own = startReader(t, files);
	await own(path);
	const line = files.openLine();
	line.port.postMessage(path);
	const [{ buffer }] = (await once(line.port, "message")) as [{ buffer: SharedArrayBuffer }];
	assert.equal(new Uint8Array(buffer)[0], 10);
	assert.equal(readFileSync(path)[0], 7);
	line.port.close();
});

test("a replaced file is read again, and a missing one is reported", async (t) => {
	const folder = scratchFolder(t);
	const path = join(folder, "a.col");
	writeFileSync(path, "first");
	const files = new SharedFiles();
	const read = startReader(t, files);
	assert.equal(await read(path), 5);
	writeFileSync(join(folder, "b.col"), "the second");
	renameSync(join(folder, "b.col"), path);
	files.prune();
	assert.equal(await read(path), 10);
	assert.equal(await read(join(folder, "missing.col")), "unreadable");
	assert.equal(await read(path), 10);
});
