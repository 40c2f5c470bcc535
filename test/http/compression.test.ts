/** The cache of compressed bodies: correct, and bounded in bytes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Compressor } from "../../server/api/responses/compression.js";

const BODY = '{"member_city":"Austin"}'.repeat(100);

test("a compressed body is found by its name until the cache is cleared", async () => {
	const compressor = new Compressor(100_000);
	for (const [name, body] of [
		["small", BODY],
		["large", BODY.repeat(50)],
	]) {
		const compressed = await compressor.compress(body, name);
		assert.equal(gunzipSync(compressed).toString(), body);
		assert.deepEqual(compressor.find(name), compressed);
	}
	assert.equal(compressor.find(null), undefined);
	compressor.clear();
	assert.equal(compressor.find("small"), undefined);
});

test("a body being compressed while the cache is cleared is not kept", async () => {
	const compressor = new Compressor(100_000);
	const compressing = compressor.compress(BODY.repeat(50), "large");
	assert.ok(compressing instanceof Promise);
	compressor.clear();
	await compressing;
	assert.equal(compressor.find("large"), undefined);
});

test("a cached body retains no other memory", async () => {
	const compressor = new Compressor(100_000);
	for (const body of [BODY, BODY.repeat(50)]) {
		const compressed = await compressor.compress(body, "name");
		assert.equal(compressor.find("name")?.buffer.byteLength, compressed.length);
	}
});

test("names count towards the size, the least recently used are evicted first", () => {
	const compressor = new Compressor(40_000);
	const names = Array.from({ length: 10 }, (_, i) => `${i}`.repeat(10_000));
	for (const name of names) {
		compressor.compress(BODY, name);
		compressor.find(names[0]);
	}
	const kept = names.filter((name) => compressor.find(name) !== undefined);
	assert.deepEqual(kept, [names[0], names[8], names[9]]);
});
