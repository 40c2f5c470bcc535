/** Notes are written completely or not at all, also where no links can be made. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeNote, readNote } from "../../server/store/note.js";
import { scratchFolder } from "./scratch.js";

/** The error of symlinkSync where links cannot be made. */
function forbidden(): never {
	throw Object.assign(new Error("EPERM: operation not permitted, symlink"), { code: "EPERM" });
}

for (const [where, link] of [
	["", undefined],
	[" where no links may be made", forbidden],
] as const) {
	test(`a note is made once, and reads as written${where}`, (t) => {
		const path = join(scratchFolder(t), "note");
		assert.equal(readNote(path), null);
		assert.equal(makeNote(path, "12.34.ab", link), true);
		assert.equal(makeNote(path, "another", link), false);
		assert.equal(readNote(path), "12.34.ab");
	});
}

test("where neither a link nor a file can be made, the system's error is reported", (t) => {
	const path = join(scratchFolder(t), "missing", "note");
	assert.throws(() => makeNote(path, "text"), { code: "ENOENT" });
	assert.throws(() => makeNote(path, "text", forbidden), { code: "ENOENT" });
});

test("a file of an earlier version is read as a note", (t) => {
	const path = join(scratchFolder(t), "server.1");
	writeFileSync(path, "1 boot start");
	assert.equal(readNote(path), "1 boot start");
});
