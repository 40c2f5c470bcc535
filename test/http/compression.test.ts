/** The cache of compressed bodies: correct, and bounded in bytes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { acceptsGzip, Compressor, preferredCoding } from "../../server/api/responses/compression.js";
import { StaticFile } from "../../server/api/responses/static-file.js";

const BODY = '{"member_city":"Austin"}'.repeat(100);

test("a compressed body is found by its name until the cache is cleared", async () => {
	const compressor = new Compressor(100_000);
	for (const [name, body] of [
		["small", BODY],
		["large", BODY.repeat(50)],
	]) {
		const compressed = (await compressor.compress(body, name)) as Uint8Array;
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
		const compressed = (await compressor.compress(body, "name")) as Uint8Array;
		assert.equal(compressor.find("name")?.buffer.byteLength, compressed.length);
	}
});

test("compressed rows are kept only where that is asked for", () => {
	const compressor = new Compressor(100_000);
	const view = gzipSync(BODY);
	const compress = () => view;
	assert.equal(compressor.compress(Buffer.from(BODY), "asked once", { compress, isCached: false }), view);
	assert.equal(compressor.find("asked once"), undefined);
	const kept = compressor.compress(Buffer.from(BODY), "asked again", {
		compress,
		isCached: true,
	}) as Uint8Array;
	// The next compression overwrites the view.
	view.fill(0);
	assert.equal(gunzipSync(kept).toString(), BODY);
	assert.equal(compressor.find("asked again"), kept);
});

test("rows that their own compression enlarges are compressed by zlib, and kept as others are", () => {
	const body = Buffer.from("東".repeat(600));
	for (const bytes of [body.length, body.length + 1]) {
		const compressor = new Compressor(100_000);
		const compress = () => Buffer.alloc(bytes);
		for (const isCached of [false, true]) {
			const compressed = compressor.compress(body, "name", { compress, isCached }) as Uint8Array;
			assert.deepEqual(gunzipSync(compressed), body);
			assert.ok(compressed.length < body.length);
			assert.deepEqual(compressor.find("name"), isCached ? compressed : undefined);
		}
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

test("equal work is done once at a time, and beyond the bytes in progress bodies stay uncompressed", async () => {
	const compressor = new Compressor(100_000_000);
	const body = "x".repeat(20 * 1024 * 1024);
	const first = compressor.compress(body, "first");
	assert.equal(compressor.compress(body, "first"), first, "the same promise");
	assert.equal(compressor.compress(body, "second"), null);
	assert.equal(compressor.compress(body, null), null);
	await first;
	const second = compressor.compress(body, "second");
	assert.ok(second instanceof Promise);
	await second;
	assert.ok(compressor.find("second") !== undefined);
});

test("a static file is compressed once for each coding, and never to answer what is ready", async () => {
	const file = new StaticFile(BODY);
	assert.deepEqual(file.ready("br, gzip"), { coding: "br" });
	assert.equal(file.compressions, 0);
	const answers = await Promise.all(Array.from({ length: 50 }, () => file.get("gzip, br")));
	assert.equal(file.compressions, 1);
	assert.equal(answers[0].coding, "br");
	assert.equal(brotliDecompressSync(answers[0].bytes).toString(), BODY);
	const gzipped = await file.get("gzip, br;q=0");
	assert.equal(gzipped.coding, "gzip");
	assert.equal(gunzipSync(gzipped.bytes).toString(), BODY);
	assert.equal((await file.get("identity")).coding, null);
	assert.equal((await file.get(null)).coding, null);
	assert.equal(file.ready("gzip").coding, "gzip");
	assert.equal(file.compressions, 2);
});

test("the coding with the greatest weight is sent, none where the body as it is has a greater one", () => {
	for (const [acceptEncoding, coding, isGzip] of [
		["gzip, br", "br", true],
		["gzip;q=1.0, br;q=0.5", "gzip", true],
		["br;q=0.1, *;q=0.2", "gzip", true],
		["gzip;q=0.001", "gzip", true],
		["X-GZIP", "gzip", true],
		["gzip;q=1.0, deflate;q=0.6, identity;q=0.3", "gzip", true],
		["*", "br", true],
		["identity;q=0", null, false],
		["identity, gzip;q=0.5", null, false],
		["identity;q=0.5, gzip;q=0.5", "gzip", true],
		["identity, *;q=0", null, false],
		["gzip;q=0, *", "br", false],
		["gzip;q=much", null, false],
		["", null, false],
		[null, null, false],
	] as const) {
		const label = String(acceptEncoding);
		assert.equal(preferredCoding(acceptEncoding, ["br", "gzip"]), coding, label);
		for (let again = 0; again < 2; again++) assert.equal(acceptsGzip(acceptEncoding), isGzip, label);
	}
});

test("an Accept-Encoding of the longest head costs nothing", () => {
	assert.ok(acceptsGzip(`${"x;q=0.5,".repeat(100)}gzip`));
	const longest = [";".repeat(30_000), ",".repeat(30_000), `${"a;".repeat(15_000)},gzip`];
	const { user } = process.cpuUsage();
	for (let i = 0; i < 300; i++) assert.equal(acceptsGzip(longest[i % 3]), false);
	const ms = (process.cpuUsage().user - user) / 1_000;
	assert.ok(ms < 300, `${ms} ms for 300 requests`);
});
