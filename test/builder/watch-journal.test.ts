/** The watcher's journal keeps its events in memory, reads what others append, and survives lines that are cut short. */

import assert from "node:assert/strict";
import fs, { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Journal } from "../../builder/watch/journal.js";

function begin(t: TestContext): { journal: Journal; other: Journal; path: string } {
	const data = mkdtempSync(join(tmpdir(), "rollcall-journal-"));
	t.after(() => rmSync(data, { recursive: true, force: true }));
	const open = () => new Journal(data, () => new Date("2026-12-01T00:00:00Z"));
	return { journal: open(), other: open(), path: join(data, "watch", "journal.ndjson") };
}

const drops = (journal: Journal) => journal.read().map(({ seq, drop }) => `${seq} ${drop}`);

test("events of two processes are numbered in one order, and each reads those of the other", (t) => {
	const { journal, other } = begin(t);
	assert.deepEqual(drops(journal), []);
	journal.append({ event: "building", drop: "a" });
	other.append({ event: "released", drop: "b" });
	journal.append({ event: "published", drop: "ä" });
	assert.deepEqual(drops(journal), ["1 a", "2 b", "3 ä"]);
	assert.deepEqual(drops(other), drops(journal));
});

test("a line that is cut short is ignored, and the next event starts a new one", (t) => {
	const { journal, path } = begin(t);
	journal.append({ event: "building", drop: "a" });
	appendFileSync(path, '{"seq":2,"at":"20');
	assert.deepEqual(drops(journal), ["1 a"]);
	journal.append({ event: "held", drop: "b" });
	assert.deepEqual(drops(journal), ["1 a", "2 b"]);
	// A line that lacks its end alone is an event.
	truncateSync(path, readFileSync(path).length - 1);
	assert.deepEqual(drops(journal), ["1 a", "2 b"]);
	journal.append({ event: "held", drop: "c" });
	assert.deepEqual(drops(journal), ["1 a", "2 b", "3 c"]);
	rmSync(path);
	assert.deepEqual(drops(journal), [], "another file is read anew");
});

test("what has been read is not read again", (t) => {
	const { journal, path } = begin(t);
	for (let i = 0; i < 200; i++) journal.append({ event: "building", drop: `drop ${i}` });
	const bytes = readFileSync(path).length;
	const { readSync } = fs;
	let read = 0;
	Object.assign(fs, {
		readSync: (...given: Parameters<typeof readSync>) => {
			const taken = readSync(...given);
			read += taken;
			return taken;
		},
	});
	syncBuiltinESMExports();
	t.after(() => {
		Object.assign(fs, { readSync });
		syncBuiltinESMExports();
	});
	for (let i = 0; i < 10; i++) journal.append({ event: "building", drop: `drop ${i}` });
	assert.equal(journal.read().length, 210);
	assert.ok(read > 0 && read < bytes / 10, `${read} bytes for ten lines, of a journal of ${bytes}`);
});
