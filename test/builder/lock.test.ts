/** One builder at a time: what holding the lock, losing it, and finding a dead builder's mean. */

import assert from "node:assert/strict";
import fs, { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BuildError } from "../../builder/errors.js";
import { BuilderLock } from "../../builder/lock.js";
import { Staging } from "../../builder/publish.js";
import { manifestFile, snapshotFolder } from "../../formats/index.js";
import { MEMORY_FOLDER } from "../memory-folder.js";

/** Above any process id. */
const DEAD = `${2 ** 30} boot 1`;

function scratch(t: TestContext): string {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-lock-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

const isRefused = (error: unknown) => error instanceof BuildError && error.code === "another_builder";

test("a builder that has lost its lock publishes nothing, and leaves the lock of the other", (t) => {
	const data = scratch(t);
	const staging = Staging.open(data, "2026-11");
	const lock = join(data, "staging", "lock");
	writeFileSync(lock, "another");
	const manifest = {
		month: "2026-11",
		rows: 0,
		built_at: "",
		built_by: "",
		sources: [],
		rejects: 0,
		accepted: [],
	};
	assert.throws(() => staging.publish(manifest), isRefused);
	assert.throws(() => staging.requireHeld(), isRefused);
	assert.equal(existsSync(snapshotFolder(data, "2026-11")), false);
	assert.equal(existsSync(manifestFile(data, "2026-11")), false);
	staging.close();
	assert.equal(readFileSync(lock, "utf8"), "another");
});

test("a dead builder's lock is taken over, and released once", (t) => {
	const path = join(scratch(t), "lock");
	writeFileSync(path, DEAD);
	const lock = BuilderLock.take(path);
	lock.requireHeld();
	assert.throws(() => BuilderLock.take(path), isRefused);
	lock.release();
	assert.equal(existsSync(path), false);
});

test("of two builders that find a dead one's lock, the later gives back the lock that the first has taken", (t) => {
	const path = join(scratch(t), "lock");
	writeFileSync(path, DEAD);
	const { renameSync } = fs;
	t.after(() => {
		fs.renameSync = renameSync;
		syncBuiltinESMExports();
	});
	// Between finding the dead lock and renaming it away, the first builder has replaced it by its own.
	fs.renameSync = (from, to) => {
		writeFileSync(path, "the first builder");
		renameSync(from, to);
	};
	syncBuiltinESMExports();
	assert.throws(() => BuilderLock.take(path), isRefused);
	assert.equal(readFileSync(path, "utf8"), "the first builder");
});
