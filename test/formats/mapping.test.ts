/** Mapped files: accessible after they are unlinked, and unmapped once nothing refers to them. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { holdFile, mappingFault } from "../../formats/mmap.js";

const MAPS = "/proc/self/maps";
const options = {
	skip:
		mappingFault() !== null
			? "needs the mapping addon, which a C compiler makes"
			: process.platform !== "linux" && `${MAPS} is Linux's`,
};

function fileOf(t: TestContext, bytes: number): string {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-mapping-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const path = join(folder, "file");
	writeFileSync(path, Buffer.alloc(bytes, "rollcall"));
	return path;
}

function timesMapped(path: string): number {
	return readFileSync(MAPS, "utf8")
		.split("\n")
		.filter((line) => line.includes(path)).length;
}

/** Collects garbage until `path` is mapped `times` times, in 100 turns at most. */
async function collect(path: string, times: number): Promise<number> {
	setFlagsFromString("--expose-gc");
	const gc = runInNewContext("gc") as () => void;
	for (let i = 0; i < 100 && timesMapped(path) !== times; i++) {
		gc();
		await turn();
	}
	return timesMapped(path);
}

test("a file is mapped when it is held, and accessible once, also after it was unlinked", options, (t) => {
	const path = fileOf(t, 100_000);
	const held = holdFile(path);
	assert.equal(timesMapped(path), 1);
	unlinkSync(path);
	const bytes = held();
	assert.deepEqual(bytes, Buffer.alloc(100_000, "rollcall"));
	assert.throws(held, { name: "TypeError", message: "view takes a handle that has no view yet" });
	assert.equal(bytes.length, 100_000);
});

test(
	"a mapping goes with the last reference: to its memory, or to what holds it without",
	options,
	async (t) => {
		const path = fileOf(t, 100_000);
		let held: (() => Buffer)[] | null = Array.from({ length: 20 }, () => holdFile(path));
		assert.equal(timesMapped(path), 20);
		let bytes: Buffer | null = held[0]();
		held = null;
		assert.equal(await collect(path, 1), 1);
		assert.equal(bytes[99_999], "rollcall".charCodeAt(99_999 % 8));
		let part: Buffer | null = bytes.subarray(5, 6);
		bytes = null;
		assert.equal(await collect(path, 0), 1, "a view of a part keeps it");
		assert.equal(part[0], "rollcall".charCodeAt(5));
		part = null;
		assert.equal(await collect(path, 0), 0);
	},
);
