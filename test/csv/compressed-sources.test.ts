/** Sources in several zstd frames or gzip members: all of them are read, or the source is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { parseMonth } from "../../builder/csv/index.js";
import { BuildError, type BuildErrorCode } from "../../builder/errors.js";
import { ZstdFrames } from "../../builder/input/zstd-frames.js";
import { makeScratch } from "./scratch.js";
import { zstdFrame } from "./zstd-bytes.js";

const scratch = makeScratch();
const HEADER = "state,member_state_license_number\n";
const csv = (...numbers: number[]) => HEADER + numbers.map((number) => `TX,${number}\n`).join("");

async function parse(file: string) {
	return parseMonth({ files: [file], maps: [], rejectFile: scratch.rejectFile, threads: 1 });
}

async function assertRefused(file: string, code: BuildErrorCode, ...parts: string[]): Promise<void> {
	await assert.rejects(parse(file), (error: unknown) => {
		assert.ok(error instanceof BuildError, String(error));
		assert.equal(error.code, code, error.message);
		for (const part of parts) assert.ok(error.message.includes(part), `${error.message} names ${part}`);
		return true;
	});
}

test("a zstd frame that declares a window of gigabytes is refused, in any position", async () => {
	const begunBytes = process.memoryUsage().rss;
	const sound = zstdFrame(20, csv(1));
	const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
	const single = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x70, 1, 0, 0]);
	for (const bytes of [
		zstdFrame(30, csv(1)),
		Buffer.concat([sound, zstdFrame(28, "TX,2\n")]),
		Buffer.concat([sound, skippable, zstdFrame(30, "TX,2\n")]),
		single,
	]) {
		const file = scratch.write("claims.csv.zst", bytes);
		await assertRefused(file, "limit_exceeded", "claims.csv.zst", "128 MiB");
	}
	const grownBytes = process.memoryUsage().rss - begunBytes;
	assert.ok(grownBytes < 2 ** 29, `${grownBytes} bytes`);
	const file = scratch.write("sound.csv.zst", Buffer.concat([sound, skippable, zstdFrame(20, "TX,2\n")]));
	assert.equal((await parse(file)).rows, 2);
});

test("zstd is read frame by frame, also many empty ones, and not past invalid bytes", async () => {
	const empty = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
	const empties = Buffer.concat([...Array(3000).fill(empty), ...Array(3000).fill(zstdFrame(20, ""))]);
	const sound = zstdFrame(20, csv(1, 2));
	const file = scratch.write(
		"many.csv.zst",
		Buffer.concat([sound, empties, zstdFrame(20, "TX,3\n"), empties]),
	);
	assert.equal((await parse(file)).rows, 3);
	for (const junk of [Buffer.from("junk"), Buffer.from([0x28]), sound.subarray(0, sound.length - 1)]) {
		const file = scratch.write("junk.csv.zst", Buffer.concat([sound, empties, junk]));
		await assertRefused(file, "corrupt_compression", "junk.csv.zst");
	}
});

/** A zstd frame in a single segment: its header declares `declared` bytes, its raw block holds `content`. */
function zstdSegment(declared: number, content: string): Buffer {
	const block = (content.length << 3) | 1;
	const header = [0x28, 0xb5, 0x2f, 0xfd, 0x20, declared, block & 0xff, block >> 8, 0];
	return Buffer.concat([Buffer.from(header), Buffer.from(content)]);
}

test("every frame of a zstd source is read, and as many bytes as the headers declare", async () => {
	const first = csv(1, 2);
	const second = "TX,3\nTX,4\n";
	const sound = zstdSegment(first.length, first);
	const both = scratch.write("both.csv.zst", Buffer.concat([sound, zstdSegment(second.length, second)]));
	assert.equal((await parse(both)).rows, 4);
	for (const declared of [second.length - 1, second.length + 1]) {
		const file = scratch.write("short.csv.zst", Buffer.concat([sound, zstdSegment(declared, second)]));
		await assertRefused(file, "corrupt_compression", "short.csv.zst");
	}
	for (let cut = 1; cut < sound.length; cut++) {
		const file = scratch.write("cut.csv.zst", Buffer.concat([sound, sound.subarray(0, cut)]));
		await assertRefused(file, "corrupt_compression", "cut.csv.zst");
	}
});

test("damaged zstd sources leave the next one as much memory as the first", async () => {
	// 24 windows of 128 MiB are more than a WebAssembly memory can hold.
	const sound = zstdFrame(27, csv(1, 2));
	const damaged = Buffer.from(sound);
	damaged[6] |= 0b110;
	for (let i = 0; i < 24; i++) {
		await assertRefused(scratch.write("damaged.csv.zst", damaged), "corrupt_compression");
	}
	assert.equal((await parse(scratch.write("sound.csv.zst", sound))).rows, 2);
});

test("frame headers declare the bytes of all frames, in fields of every width", () => {
	const frame = (descriptor: number, sizes: number[]) =>
		Buffer.from([0x28, 0xb5, 0x2f, 0xfd, descriptor, ...sizes, 1, 0, 0]);
	const frames = new ZstdFrames("f");
	assert.equal(frames.betweenFrames, true);
	frames.push(frame(0x20, [7]));
	assert.equal(frames.declaredBytes, 7);
	frames.push(frame(0x60, [1, 2]));
	assert.equal(frames.declaredBytes, 7 + 256 + 0x201);
	frames.push(frame(0x80, [0, 1, 0, 0, 2]));
	assert.equal(frames.declaredBytes, 7 + 256 + 0x201 + 0x02000001);
	frames.push(frame(0xc0, [0, 0, 0, 0, 0, 1, 0, 0, 0]));
	assert.equal(frames.declaredBytes, 7 + 256 + 0x201 + 0x02000001 + 2 ** 32);
	assert.deepEqual([frames.ended, frames.betweenFrames], [4, true]);
	frames.push(frame(0x00, [0]).subarray(0, 7));
	assert.deepEqual([frames.declaredBytes, frames.betweenFrames], [null, false]);
});

test("gzip members are read to the end of the file, and zeros may only end it", async () => {
	const [first, second] = [gzipSync(csv(1, 2)), gzipSync("TX,3\n")];
	const zeros = Buffer.alloc(1 << 19);
	const read = [
		[first, second],
		[first, second, zeros],
		[first, zeros],
		[first, gzipSync(""), second],
	];
	const rows = [3, 3, 2, 3];
	for (const [at, parts] of read.entries()) {
		const file = scratch.write("members.csv.gz", Buffer.concat(parts));
		assert.equal((await parse(file)).rows, rows[at]);
	}
	for (const parts of [
		[first, zeros.subarray(0, 1), second],
		[first, zeros, second],
		[first, second.subarray(0, 1)],
		[first, Buffer.from("junk")],
		[first, zeros, Buffer.from("j")],
	]) {
		const file = scratch.write("members.csv.gz", Buffer.concat(parts));
		await assertRefused(file, "corrupt_compression", "members.csv.gz");
	}
});
