/** CRC-32 by the addon and by zlib: the same, of any bytes wherever they are, and of parts as of the whole. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { crc32 as crc32ByZlib } from "node:zlib";
import fc from "fast-check";
import { crc32 } from "../../formats/crc32.js";
import { openAddon } from "../../formats/files/addon.js";
import { Draw } from "../oracle/draw.js";
import { checkProperty } from "../oracle/seeded.js";

const LENGTH_MAX = 5000;
const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

function randomBytes(draw: Draw, length: number): Buffer {
	return Buffer.from(Array.from({ length }, () => draw.below(256)));
}

/** Whether this processor has the instructions that the addon needs. */
function multipliesWithoutCarries(): boolean {
	if (process.platform !== "linux" || process.arch !== "x64") return false;
	const flags = readFileSync("/proc/cpuinfo", "latin1");
	return /\bpclmulqdq\b/.test(flags) && /\bsse4_1\b/.test(flags);
}

test("the addon has the function where the processor has the instructions", () => {
	const addon = openAddon();
	if (addon !== null && process.platform === "linux")
		assert.equal(addon.crc32 !== undefined, multipliesWithoutCarries());
});

test("any bytes, of any length and place, after any value, have the CRC of zlib", (t) => {
	checkProperty(
		t,
		2_000,
		fc.property(seeds, (seed) => {
			const draw = new Draw(seed, 1);
			const from = draw.below(64);
			const all = randomBytes(draw, from + (draw.below(3) === 0 ? draw.below(200) : draw.below(LENGTH_MAX)));
			const bytes = all.subarray(from);
			const value = draw.below(2) === 0 ? 0 : draw.below(2 ** 32);
			const expected = bytes.length === 0 ? value : crc32ByZlib(bytes, value);
			assert.equal(crc32(bytes, value), expected, `${bytes.length} bytes from ${from} after ${value}`);
			const byAddon = openAddon()?.crc32;
			if (byAddon !== undefined) assert.equal(byAddon(bytes, value), expected, "of few bytes too");
		}),
	);
});

test("every length up to some blocks has the CRC of zlib", () => {
	const bytes = randomBytes(new Draw(7, 1), 1100);
	for (let length = 1; length <= bytes.length; length++) {
		const part = bytes.subarray(0, length);
		assert.equal(crc32(part), crc32ByZlib(part), `${length} bytes`);
	}
});

test("parts have the CRC of the whole", () => {
	const bytes = randomBytes(new Draw(8, 1), 9000);
	for (const cut of [0, 1, 63, 64, 511, 512, 4500, 8999, 9000])
		assert.equal(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut))), crc32(bytes), `cut at ${cut}`);
});

test("what is no array of bytes, and what is no number, are refused", () => {
	const byAddon = openAddon()?.crc32 as unknown as ((...given: unknown[]) => number) | undefined;
	if (byAddon === undefined) return;
	for (const given of [
		[],
		["text", 0],
		[new Uint16Array(64), 0],
		[new Uint8Array(64)],
		[new Uint8Array(64), "0"],
	])
		assert.throws(() => byAddon(...given), /crc32 takes a Uint8Array and a number/);
});
