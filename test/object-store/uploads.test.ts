/** Uploads: as long as a store takes bytes they go on, and one that stops is given up. */

import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { exchange } from "../../formats/object-store/http-exchange.js";
import { putObject } from "../../formats/object-store/http-put.js";
import { sha256Of } from "../../formats/object-store/index.js";
import { S3Store } from "../../formats/object-store/s3-store.js";

/** More than a connection buffers. */
const BODY = new Blob([Buffer.alloc(32 << 20)]);

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
	const server = createServer(listener).listen(0, "127.0.0.1");
	await new Promise((listening) => server.once("listening", listening));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const times = { idleMs: 300, answerMs: 300 };

function upload(url: string, body = BODY) {
	return exchange("object", (signal, extend) => putObject(url, {}, body, signal, extend, times));
}

test("a store that stops reading is given up, as is one that does not answer", {
	timeout: 20_000,
}, async (t) => {
	for (const [kind, body] of [
		["stops reading", BODY],
		["does not answer", new Blob(["small"])],
	] as const) {
		let requests = 0;
		const url = await serve(t, () => {
			requests++;
		});
		const message = "object: no answer within 0.3 s, after 4 attempts";
		await assert.rejects(upload(url, body), { code: "store_unreachable", message }, kind);
		assert.equal(requests, 4, kind);
	}
});

test("a store that reads slowly gets all of it, in many times the limit", { timeout: 20_000 }, async (t) => {
	let bytes = 0;
	const url = await serve(t, async (request, response) => {
		// Where the machine stands still for as long, it is tried again.
		bytes = 0;
		for await (const chunk of request) {
			bytes += chunk.length;
			if (bytes % (1 << 20) < chunk.length) await delay(40);
		}
		response.writeHead(200).end();
	});
	const startedMs = performance.now();
	assert.equal((await upload(url)).status, 200);
	assert.equal(bytes, BODY.size);
	assert.ok(performance.now() - startedMs > 2 * times.idleMs);
});

test("an answer before the end of the body counts, and ends the upload", { timeout: 20_000 }, async (t) => {
	const url = await serve(t, (_, response) => {
		response.writeHead(403, { Connection: "close" }).end("<Code>AccessDenied</Code>");
	});
	const response = await upload(url);
	assert.equal(response.status, 403);
	await response.body?.getReader().cancel();
});

/** An S3 store at `endpoint`. */
function storeAt(endpoint: string): S3Store {
	const address = { endpoint, region: "us-east-1", bucket: "bucket", prefix: "" };
	return new S3Store(address, { accessKeyId: "id", secretAccessKey: "secret" });
}

test("a write to a store that stops reading ends after its time, and at once with its signal", {
	timeout: 20_000,
}, async (t) => {
	let asked: () => void = () => undefined;
	const store = storeAt(await serve(t, () => asked()));
	const sha256 = sha256Of(Buffer.from("any"));
	const ending = new AbortController();
	asked = () => ending.abort();
	await assert.rejects(store.write("object", BODY, sha256, null, ending.signal), {
		code: "store_unreachable",
		message: /: ended$/,
	});
	t.mock.timers.enable({ apis: ["setTimeout"] });
	asked = () => undefined;
	// The connection takes what it buffers meanwhile; then 20 s pass at each.
	const passing = setInterval(() => t.mock.timers.tick(20_001), 300);
	t.after(() => clearInterval(passing));
	await assert.rejects(store.write("object", BODY, sha256, null), {
		code: "store_unreachable",
		message: /no answer within 20 s, after 4 attempts$/,
	});
});

test("a write of an empty and of a small object has its length, its bytes and no transfer coding", async (t) => {
	const seen: unknown[] = [];
	const store = storeAt(
		await serve(t, async (request, response) => {
			const parts: Buffer[] = [];
			for await (const part of request) parts.push(part as Buffer);
			const { "content-length": length, "transfer-encoding": coding, authorization } = request.headers;
			assert.match(authorization ?? "", /^AWS4-HMAC-SHA256 /);
			seen.push([request.method, request.url, length, coding, Buffer.concat(parts).toString()]);
			response.end();
		}),
	);
	for (const text of ["", "bytes"]) {
		const bytes = Buffer.from(text);
		assert.equal(await store.write("object", new Blob([bytes]), sha256Of(bytes), null), "written");
	}
	assert.deepEqual(seen, [
		["PUT", "/bucket/object", "0", undefined, ""],
		["PUT", "/bucket/object", "5", undefined, "bytes"],
	]);
});
