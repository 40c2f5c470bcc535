/** Files in huge pages: the same bytes at the same address at every moment, and only where that is worth it. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
	closeSync,
	fstatSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	unlinkSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import {
	hasHugePages,
	holdInHugePages,
	hugePageBytes,
	mapFile,
	releaseHugePages,
} from "../../formats/files/mmap.js";
import { collectGarbage } from "../collect-garbage.js";
import { untilHeld } from "../huge-pages-held.js";
import { Draw } from "../oracle/draw.js";

const MIB = 1 << 20;
const HUGE = 2 * MIB;
const options = {
	skip: !hasHugePages() && "needs the addon, and a Linux that gives huge pages on demand",
};

interface Written {
	readonly path: string;
	readonly written: Buffer;
}

function fileOf(t: TestContext, bytes: number, seed = 1): Written {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-huge-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const path = join(folder, "file");
	const draw = new Draw(seed);
	const written = Buffer.alloc(bytes);
	for (let at = 0; at + 4 <= bytes; at += 4) written.writeUInt32LE(draw.below(2 ** 32), at);
	writeFileSync(path, written);
	return { path, written };
}

/** Mappings of the file at `path` in this process. */
function timesMapped(path: string): number {
	const lines = readFileSync("/proc/self/maps", "utf8").split("\n");
	return lines.filter((line) => line.endsWith(` ${path}`)).length;
}

async function collectUntilHeld(bytes: number): Promise<void> {
	for (let i = 0; i < 200 && hugePageBytes() !== bytes; i++) {
		collectGarbage();
		await delay(10);
	}
	assert.equal(hugePageBytes(), bytes);
}

for (const [bytes, held] of [
	[7_500_001, 4 * HUGE],
	[2 * HUGE, 2 * HUGE],
	[HUGE + 100_000, HUGE],
	[MIB, HUGE],
	[MIB + 1, HUGE],
] as const) {
	test(`of ${bytes} bytes ${held} are held, and mapped again when they are released`, options, async (t) => {
		const { path, written } = fileOf(t, bytes);
		const memory = mapFile(path);
		assert.equal(timesMapped(path), 1);
		assert.ok(holdInHugePages(memory, path));
		await untilHeld(held);
		assert.ok(memory.equals(written), "copied");
		assert.ok(holdInHugePages(memory, path), "once is enough");
		releaseHugePages(memory);
		await untilHeld(0);
		assert.ok(memory.equals(written), "mapped again");
		releaseHugePages(memory);
		assert.ok(holdInHugePages(memory, path));
		await untilHeld(held);
		assert.ok(memory.equals(written), "copied again");
		releaseHugePages(memory);
		await untilHeld(0);
		unlinkSync(path);
		assert.ok(memory.equals(written), "unlinked");
	});
}

test("a large file is mapped once for all who map it, a changed one anew", options, async (t) => {
	const { path, written } = fileOf(t, 3 * MIB);
	const [one, two] = [mapFile(path), mapFile(path)];
	assert.equal(timesMapped(path), 1);
	assert.ok(one.equals(written) && two.equals(written));
	assert.ok(holdInHugePages(one, path));
	await untilHeld(2 * HUGE);
	// In place, as damage would be: the same file, of another time.
	const descriptor = openSync(path, "r+");
	writeSync(descriptor, "x", 1_000);
	closeSync(descriptor);
	assert.equal(mapFile(path)[1_000], "x".charCodeAt(0));
	assert.ok(one.equals(written), "the copy is as it was");
	releaseHugePages(one);
	await untilHeld(0);
});

test("huge pages last until each that asked for them has released or lost the memory", options, async (t) => {
	const { path, written } = fileOf(t, 2 * HUGE);
	let [one, two]: (Buffer | null)[] = [mapFile(path), mapFile(path)];
	assert.ok(holdInHugePages(one, path) && holdInHugePages(two, path));
	await untilHeld(2 * HUGE);
	releaseHugePages(one);
	await delay(50);
	assert.equal(hugePageBytes(), 2 * HUGE);
	assert.ok(one.equals(written));
	two = null;
	await collectUntilHeld(0);
	assert.ok(one.equals(written));
	assert.ok(holdInHugePages(one, path));
	await untilHeld(2 * HUGE);
	one = null;
	await collectUntilHeld(0);
	assert.equal(timesMapped(path), 0);
});

test(
	"small files, other files, files that are gone, and files too large for memory stay mapped",
	options,
	async (t) => {
		const small = fileOf(t, MIB - 1);
		const memory = mapFile(small.path);
		assert.equal(holdInHugePages(memory, small.path), false);
		releaseHugePages(memory);
		assert.equal(holdInHugePages(Buffer.alloc(HUGE), small.path), false, "no mapping");

		const large = fileOf(t, 2 * HUGE);
		const mapped = mapFile(large.path);
		const other = fileOf(t, 2 * HUGE, 2);
		assert.equal(holdInHugePages(mapped, other.path), false, "another file");
		assert.equal(holdInHugePages(mapped, `${large.path}.gone`), false, "no file");
		const limit = process.constrainedMemory();
		const quarter = Math.ceil((limit > 0 ? Math.min(limit, totalmem()) : totalmem()) / 4);
		const available = t.mock.method(process, "availableMemory", () => quarter + 2 * HUGE - 1);
		assert.equal(holdInHugePages(mapped, large.path), false, "a byte too little");
		available.mock.mockImplementation(() => quarter - 1);
		assert.equal(holdInHugePages(mapped, large.path), false, "less than a quarter");
		available.mock.mockImplementation(() => quarter + 2 * HUGE + 1);
		const held = fileOf(t, 2 * HUGE, 3);
		const first = mapFile(held.path);
		assert.ok(holdInHugePages(first, held.path));
		assert.ok(mapped.equals(large.written));
		await untilHeld(2 * HUGE);
		releaseHugePages(first);
		await untilHeld(0);
	},
);

test("a file that is collected before it was copied leaves no descriptor open", options, async (t) => {
	const open = () => readdirSync("/proc/self/fd").length;
	const large = fileOf(t, 24 * HUGE);
	const busy = mapFile(large.path);
	const others = Array.from({ length: 20 }, (_, i) => fileOf(t, HUGE, i).path);
	const before = open();
	assert.ok(holdInHugePages(busy, large.path));
	for (const path of others) assert.ok(holdInHugePages(mapFile(path), path));
	await collectUntilHeld(24 * HUGE);
	for (let i = 0; i < 100 && open() > before; i++) await delay(10);
	assert.equal(open(), before);
	assert.ok(busy.equals(large.written));
	releaseHugePages(busy);
	await untilHeld(0);
});

/** Has the file copied into huge pages, and ends when it is told to. */
const HOLDER = `
	import { parentPort, workerData } from "node:worker_threads";
	const { holdInHugePages, mapFile } = await import(workerData.mmap);
	const memory = mapFile(workerData.path);
	parentPort.once("message", () => parentPort.postMessage(memory.length));
	parentPort.postMessage(holdInHugePages(memory, workerData.path));
`;

test("a thread that ends closes no descriptor but its own", options, async (t) => {
	const { path, written } = fileOf(t, 3 * HUGE);
	const mmap = new URL("../../formats/files/mmap.js", import.meta.url).href;
	const source = new URL(`data:text/javascript,${encodeURIComponent(HOLDER)}`);
	const worker = new Worker(source, { workerData: { mmap, path } });
	t.after(() => worker.terminate());
	assert.deepEqual(await once(worker, "message"), [true]);
	await untilHeld(3 * HUGE);
	// They take the lowest numbers that are free, such as that of a file that was copied.
	const descriptors = Array.from({ length: 8 }, () => openSync(path, "r"));
	t.after(() => {
		for (const descriptor of descriptors) closeSync(descriptor);
	});
	// It may end together with its message.
	const ended = once(worker, "exit");
	worker.postMessage("end");
	assert.deepEqual(await once(worker, "message"), [written.length]);
	await ended;
	for (const descriptor of descriptors) assert.equal(fstatSync(descriptor).size, written.length);
	await collectUntilHeld(0);
});

/** Digests the file again and again until it is told to end; reports a digest that differs. */
const READER = `
	import { createHash } from "node:crypto";
	import { parentPort, workerData } from "node:worker_threads";
	const { mapFile } = await import(workerData.mmap);
	const memory = mapFile(workerData.path);
	const end = new Int32Array(workerData.end);
	let times = 0, wrong = 0;
	parentPort.postMessage("reading");
	while (Atomics.load(end, 0) === 0) {
		if (createHash("sha1").update(memory).digest("hex") !== workerData.digest) wrong++;
		times++;
	}
	parentPort.postMessage({ times, wrong });
`;

test("threads that read while a file is copied and mapped again read its bytes", options, async (t) => {
	const { path, written } = fileOf(t, 5 * HUGE + MIB + 5);
	const digest = createHash("sha1").update(written).digest("hex");
	const end = new SharedArrayBuffer(4);
	const mmap = new URL("../../formats/files/mmap.js", import.meta.url).href;
	const source = new URL(`data:text/javascript,${encodeURIComponent(READER)}`);
	const workers = [1, 2].map(() => new Worker(source, { workerData: { mmap, path, digest, end } }));
	t.after(() => Promise.all(workers.map((worker) => worker.terminate())));
	await Promise.all(workers.map((worker) => once(worker, "message")));
	const memory = mapFile(path);
	assert.equal(timesMapped(path), 1, "threads share the mapping");
	for (let round = 0; round < 40; round++) {
		assert.ok(holdInHugePages(memory, path));
		await (round % 2 === 0 ? untilHeld(6 * HUGE) : delay(round % 7));
		releaseHugePages(memory);
		await (round % 4 === 0 ? untilHeld(0) : delay(round % 5));
	}
	await untilHeld(0);
	Atomics.store(new Int32Array(end), 0, 1);
	const reports = await Promise.all(workers.map((worker) => once(worker, "message")));
	for (const [{ times, wrong }] of reports as [{ times: number; wrong: number }][]) {
		assert.equal(wrong, 0);
		assert.ok(times > 10, `${times} times`);
	}
	assert.ok(memory.equals(written));
});
