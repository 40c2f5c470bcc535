/** Large objects: read from real responses, written in whole buffers whatever the chunks, and resumed where they broke off. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bodyOf } from "../../formats/object-store/http-exchange.js";
import { getObject } from "../../formats/object-store/http-get.js";
import { putObject } from "../../formats/object-store/http-put.js";
import { HttpsStore } from "../../formats/object-store/https-store.js";
import type { ObjectStore } from "../../formats/object-store/object-store.js";
import { pullFiles } from "../../formats/object-store/pull-files.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
	const server = createServer(listener).listen(0, "127.0.0.1");
	await new Promise((listening) => server.once("listening", listening));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const never = new AbortController().signal;

test("status, headers and body of a response; a redirect is not followed", async (t) => {
	const url = await serve(t, ({ url: path }, response) => {
		if (path === "/moved") response.writeHead(302, { Location: "/there" }).end();
		else response.writeHead(206, { ETag: '"e"', Vary: ["a", "b"] }).end("bytes");
	});
	const found = await getObject(`${url}/there`, {}, never);
	assert.deepEqual([found.status, found.ok, found.headers.get("etag")], [206, true, '"e"']);
	const chunks: Uint8Array[] = [];
	for await (const chunk of bodyOf("object", found)) chunks.push(chunk);
	assert.equal(Buffer.concat(chunks).toString(), "bytes");
	const moved = await getObject(`${url}/moved`, {}, never);
	assert.deepEqual([moved.status, moved.ok], [302, false]);
});

test("a store that switches protocols has not answered", { timeout: 10_000 }, async (t) => {
	const url = await serve(t, ({ socket }) => {
		socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
	});
	await assert.rejects(getObject(url, {}, never), /closed without an answer/);
	const put = putObject(url, {}, new Blob(["small"]), never, () => undefined);
	await assert.rejects(put, /closed without an answer/);
});

test("a request without an answer ends with its signal's reason, and a body that breaks off or stops fails", async (t) => {
	const url = await serve(t, ({ url: path }, response) => {
		if (path === "/silent") return;
		response.writeHead(200, { "Content-Length": 10 }).write("half");
		if (path === "/broken") setTimeout(() => response.destroy(), 20);
	});
	const ending = new AbortController();
	const silent = getObject(`${url}/silent`, {}, ending.signal);
	ending.abort(new Error("ended"));
	await assert.rejects(silent, /ended/);
	for (const [path, message] of [
		["broken", /^object: /],
		["stopped", /^object: no byte for 0.05 s$/],
	] as const) {
		const response = await getObject(`${url}/${path}`, {}, never);
		const read = async () => {
			for await (const chunk of bodyOf("object", response, 50)) assert.equal(chunk.length, 4);
		};
		await assert.rejects(read(), { code: "store_unreachable", message });
	}
});

/** A store of one object, whose bytes come in chunks of random sizes; the first answers break off after `breaks` bytes. */
function storeOf(object: Buffer, draw: Draw, breaks: number[]): ObjectStore {
	const open = async function* (from: number) {
		const end = breaks.shift() ?? object.length;
		for (let at = from; at < end; ) {
			const bytes = draw.pick([1, 4_096, 65_536, (1 << 18) - 1, 1 << 18, 3_000_000]);
			yield object.subarray(at, Math.min(end, at + bytes));
			at += bytes;
		}
	};
	const store: Partial<ObjectStore> = {
		url: "test:",
		open: async (_name, from) => open(from),
		size: async () => object.length,
	};
	return store as ObjectStore;
}

test("files have the bytes of their objects, whatever the chunks and wherever a download broke off", async (t) => {
	tellSeed(t, 20);
	const folder = mkdtempSync(join(tmpdir(), "rollcall-get-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	for (let i = 0; i < 20; i++) {
		const draw = new Draw(SEED, i);
		const object = Buffer.alloc(draw.pick([0, 1, 1 << 18, (1 << 18) + 1, 5_000_000]));
		for (let at = 0; at < object.length; at += 1_000) object[at] = draw.below(256);
		const breaks = draw.oneIn(2) ? [draw.below(object.length + 1)] : [];
		const sha256 = createHash("sha256").update(object).digest("hex");
		const file = { path: `file-${i}`, bytes: object.length, sha256 };
		const options = { parallel: 1, bytesPerSecond: Number.POSITIVE_INFINITY };
		await pullFiles(storeOf(object, draw, breaks), [file], folder, options);
		assert.ok(readFileSync(join(folder, file.path)).equals(object), `object ${i}`);
	}
});

test("an origin serves objects from any offset, also one that ignores ranges", async (t) => {
	const object = Buffer.from("0123456789");
	for (const ranges of [true, false]) {
		const url = await serve(t, ({ headers }, response) => {
			assert.equal(headers["accept-encoding"], "identity");
			const from = ranges ? Number(/bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0) : 0;
			response.writeHead(from === 0 ? 200 : 206).end(object.subarray(from));
		});
		for (const from of [0, 4]) {
			const chunks: Uint8Array[] = [];
			for await (const chunk of await new HttpsStore(url).open("object", from)) chunks.push(chunk);
			assert.equal(Buffer.concat(chunks).toString(), "0123456789".slice(from));
		}
	}
});
