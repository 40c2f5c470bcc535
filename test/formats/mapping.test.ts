/** Mapped files: accessible after they are unlinked, and unmapped once nothing refers to them. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { holdFile, mapFile, mappingFault, prefault } from "../../formats/files/mmap.js";
import { collectGarbage } from "../collect-garbage.js";
import { residentBytes } from "../resident-bytes.js";

const MAPS = "/proc/self/maps";
const options = {
	skip:
		mappingFault() !== null
			? "needs the addon, which a C compiler makes"
			: process.platform !== "linux" && `${MAPS} is Linux's`,
};

function fileOf(t: TestContext, bytes: number, parent = tmpdir()): string {
	const folder = mkdtempSync(join(parent, "rollcall-mapping-"));
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
	for (let i = 0; i < 100 && timesMapped(path) !== times; i++) {
		collectGarbage();
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

test("prefaulting maps the pages that are in the page cache, and no others", options, async (t) => {
	const path = fileOf(t, 3_000_001);
	const bytes = mapFile(path);
	assert.equal(residentBytes(path), 0);
	await prefault(bytes);
	assert.equal(residentBytes(path), 733 * 4_096);
	assert.equal(bytes[3_000_000], "rollcall".charCodeAt(0));

	// On a disk, since tests have a temporary folder in memory; written back, then dropped from the page cache.
	const other = fileOf(t, 3_000_001, "/var/tmp");
	spawnSync("dd", [`of=${other}`, "oflag=nocache", "conv=notrunc,fdatasync", "count=0"], { stdio: "ignore" });
	const cached = spawnSync("fincore", ["--bytes", "--noheadings", "--output", "RES", other], {
		encoding: "utf8",
	});
	if (cached.status !== 0 || Number(cached.stdout) > 0) {
		t.diagnostic(
			"this machine cannot drop a file from the page cache, or tell: only the first half is tested",
		);
		return;
	}
	await prefault(mapFile(other));
	assert.equal(residentBytes(other), 0);
});

test(
	"a mapping that has been prefaulted is removed as others are; memory that is no mapping is left alone",
	options,
	async (t) => {
		const path = fileOf(t, 50_000_000);
		const done = prefault(mapFile(path));
		assert.equal(await collect(path, 0).then(() => done), undefined);
		assert.equal(await collect(path, 0), 0);
		await prefault(Buffer.alloc(10));
		await prefault(mapFile(path, "shared-memory"));
	},
);

/** A thread that maps a file, and ends; nothing else of the process uses the addon. */
const THREAD = `
	import { workerData } from "node:worker_threads";
	const { mapFile } = await import(workerData.mmap);
	let bytes = mapFile(workerData.path);
	bytes = null;
	process.exit(0);
`;
const PROCESS = `
	import { once } from "node:events";
	import { setTimeout as delay } from "node:timers/promises";
	import { Worker } from "node:worker_threads";
	const [mmap, path, thread] = process.argv.slice(1);
	for (let i = 0; i < 3; i++) await once(new Worker(new URL(thread), { workerData: { mmap, path } }), "exit");
	await delay(100);
`;

test(
	"mappings are removed after the last thread with the addon has ended, while the process goes on",
	options,
	(t) => {
		const path = fileOf(t, 0);
		// A hole of a file: removing its mapping takes longer than ending the thread.
		truncateSync(path, 1 << 30);
		const mmap = new URL("../../formats/files/mmap.js", import.meta.url).href;
		const thread = `data:text/javascript,${encodeURIComponent(THREAD)}`;
		const settings = ["--input-type=module", "--eval", PROCESS, mmap, path, thread];
		const { status, signal, stderr } = spawnSync(process.execPath, settings, { encoding: "utf8" });
		assert.deepEqual([status, signal], [0, null], stderr);
	},
);
