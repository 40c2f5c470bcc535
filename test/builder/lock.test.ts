/** One builder at a time: what holding the lock, losing it, and finding a dead builder's mean. */

import assert from "node:assert/strict";
import fs, {
	existsSync,
	lstatSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { BuildError } from "../../builder/errors.js";
import { BuilderLock } from "../../builder/months/lock.js";
import { Staging } from "../../builder/months/publish.js";
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

/** Makes writing a file fail with `code` until the result is called. */
function failingWrites(t: TestContext, code: string): () => void {
	const { writeFileSync: write } = fs;
	const restore = () => {
		fs.writeFileSync = write;
		syncBuiltinESMExports();
	};
	t.after(restore);
	fs.writeFileSync = () => {
		throw Object.assign(new Error("refused"), { code });
	};
	syncBuiltinESMExports();
	return restore;
}

test("a lock that cannot be written is not left behind", (t) => {
	const path = join(scratch(t), "lock");
	const restore = failingWrites(t, "EIO");
	assert.throws(() => BuilderLock.take(path), { code: "unwritable_file" });
	restore();
	assert.deepEqual(readdirSync(dirname(path)), []);
});

test("on a full disk the lock is a link, which others respect, take over from the dead, and remove", (t) => {
	const path = join(scratch(t), "lock");
	const restore = failingWrites(t, "ENOSPC");
	const lock = BuilderLock.take(path);
	lock.requireHeld();
	assert.throws(() => BuilderLock.take(path), isRefused);
	restore();
	assert.throws(() => BuilderLock.take(path), isRefused, "where the disk has room again");
	lock.release();
	assert.deepEqual(readdirSync(dirname(path)), []);
	symlinkSync(DEAD, path);
	const next = BuilderLock.take(path);
	assert.equal(lstatSync(path).isSymbolicLink(), false);
	next.release();
	assert.deepEqual(readdirSync(dirname(path)), []);
});
