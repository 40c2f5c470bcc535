/** Faults of LMDB's data file that would crash the process, beside the sound file that each is made of. */

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DataFile, dataFileFault } from "../../server/store/data-file.js";
import { StoreError } from "../../server/store/errors.js";
import { Store } from "../../server/store/store.js";
import { addKey, scratchFolder, scratchStore } from "./scratch.js";

/** Longer than the result of a check is reused. */
const LOOKED_MS = 30;
/** Offset of the root of a tree in the first page. */
const ROOT = 88;

test("a file that becomes shorter while it is open is cut short, even if no tree begins in what is missing", async (t) => {
	const dataFolder = scratchFolder(t);
	await Store.open({ dataFolder, create: true }).close();
	const path = join(dataFolder, "keys", "data.mdb");
	const { length } = readFileSync(path);
	const file = new DataFile(path);
	t.after(() => file.close());
	appendFileSync(path, Buffer.alloc(8_192));
	assert.equal(file.fault(), null);
	truncateSync(path, length);
	await delay(LOOKED_MS);
	assert.equal(file.fault(), `data.mdb was cut short, from ${length + 8_192} to ${length} bytes`);
});

test("a tree begins in one of the pages that the file has", async (t) => {
	const dataFolder = scratchFolder(t);
	await Store.open({ dataFolder, create: true }).close();
	const path = join(dataFolder, "keys", "data.mdb");
	const bytes = readFileSync(path);
	const pages = bytes.length / bytes.readUInt32LE(48);
	for (const [root, fault] of [
		[pages - 1, null],
		[pages, `data.mdb is cut short: it ends after ${pages} pages, a tree begins in page ${pages}`],
	] as const) {
		bytes.writeBigUInt64LE(BigInt(root), ROOT);
		writeFileSync(path, bytes);
		assert.equal(dataFileFault(path), fault);
	}
});

test("nothing is written to a store whose file was moved away", async (t) => {
	const store = scratchStore(t);
	await addKey(store);
	const path = join(store.path, "data.mdb");
	renameSync(path, `${path}.moved`);
	await assert.rejects(
		addKey(store),
		(error) =>
			error instanceof StoreError &&
			error.code === "write_failed" &&
			error.message.endsWith("nothing was written: data.mdb was moved or replaced"),
	);
	assert.equal(store.keys().length, 1);
});
