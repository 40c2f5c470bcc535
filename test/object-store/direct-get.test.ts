/**
 * Responses received into buffers that are used again: the same bytes whatever the pieces that arrive and however slow
 * the reader, and an error for each response that is not as it must be.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { getDirect } from "../../formats/object-store/direct-get.js";
import type { StoreResponse } from "../../formats/object-store/http-exchange.js";
import { getObject } from "../../formats/object-store/http-get.js";
import { makeCertificate, NO_OPENSSL } from "../certificate.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";

const never = new AbortController().signal;

/** Answers each connection's request, once its head has come, and returns the server's address. */
async function serve(
	t: TestContext,
	answer: (socket: Socket, request: string) => void,
	server: Server = createServer(),
	event = "connection",
): Promise<URL> {
	const sockets = new Set<Socket>();
	server.on(event, (socket: Socket) => {
		sockets.add(socket);
		socket.on("error", () => undefined);
		let head = "";
		socket.on("data", (bytes) => {
			head += bytes.toString("latin1");
			if (head.endsWith("\r\n\r\n")) answer(socket, head);
		});
	});
	server.listen(0, "127.0.0.1");
	await new Promise((listening) => server.once("listening", listening));
	t.after(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	return new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}/object?part=1`);
}

/** The body's bytes. Each chunk is read `slow` turns of the event loop after it came, when it must be unchanged. */
async function bodyBytes(response: StoreResponse | null, slow: () => Promise<void>): Promise<Buffer> {
	assert.ok(response?.body);
	const reader = response.body.getReader();
	const parts: Buffer[] = [];
	for (;;) {
		const { done, value } = await reader.read();
		if (done === true || value === undefined) return Buffer.concat(parts);
		assert.ok(value.length > 0);
		await slow();
		parts.push(Buffer.from(value));
	}
}

/** Sends bytes in pieces of random sizes, some of them after a pause, and ends the connection. */
async function drip(socket: Socket, bytes: Buffer, draw: Draw): Promise<void> {
	for (let at = 0; at < bytes.length && !socket.destroyed; ) {
		const size = draw.pick([1, 7, 1_000, 65_536, 300_000, 2_000_000]);
		if (!socket.write(bytes.subarray(at, at + size))) await Promise.race([drained(socket), delay(200)]);
		at += size;
		if (draw.oneIn(4)) await turn();
		if (draw.oneIn(20)) await delay(2);
	}
	socket.end();
}

function drained(socket: Socket): Promise<void> {
	return new Promise((resolve) => socket.once("drain", resolve));
}

test("the body has the bytes that were sent, whatever the pieces and however slow the reader", async (t) => {
	tellSeed(t, 40);
	for (let i = 0; i < 40; i++) {
		const draw = new Draw(SEED, i);
		const body = Buffer.alloc(draw.pick([0, 1, 30_000, 262_144, 262_145, 600_000, 5_000_000]));
		for (let at = 0; at < body.length; at += draw.pick([1, 97, 1_000])) body[at] = draw.below(256);
		const head = `HTTP/1.1 206 Partial\r\nETag: "${i}"\r\ncontent-length:  ${body.length} \r\n\r\n`;
		const sending = new Draw(SEED, 1_000 + i);
		const url = await serve(
			t,
			(socket) => void drip(socket, Buffer.concat([Buffer.from(head), body]), sending),
		);
		const response = await getDirect(url, {}, never);
		assert.deepEqual([response?.status, response?.ok, response?.headers.get("ETag")], [206, true, `"${i}"`]);
		const slow = draw.pick([async () => undefined, () => turn(), () => delay(draw.below(4))]);
		assert.ok((await bodyBytes(response, slow)).equals(body), `body ${i} of ${body.length} bytes`);
	}
});

test("a request names its host and the connection's end, and its headers can hold no line break", async (t) => {
	let received = "";
	const url = await serve(t, (socket, request) => {
		received = request;
		socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone");
	});
	const response = await getDirect(url, { Range: "bytes=4-" }, never);
	assert.deepEqual([response?.status, response?.ok], [404, false]);
	assert.equal((await bodyBytes(response, async () => undefined)).toString(), "gone");
	const lines = ["GET /object?part=1 HTTP/1.1", `Host: ${url.host}`, "Connection: close", "Range: bytes=4-"];
	assert.equal(received, `${lines.join("\r\n")}\r\n\r\n`);
	await assert.rejects(getDirect(url, { Range: "bytes=4-\r\nX: y" }, never), /Invalid character in header/);
});

test("a server of HTTP/1.0 is read too", async (t) => {
	const url = await serve(t, (socket) => socket.end("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody"));
	assert.equal((await bodyBytes(await getDirect(url, {}, never), async () => undefined)).toString(), "body");
});

test("a response without a length, or in chunks, is asked for again through the library", async (t) => {
	const heads = [
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbody",
		"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody",
	];
	for (const [i, head] of heads.entries()) {
		const url = await serve(t, (socket) => socket.end(head));
		assert.equal(await getDirect(url, {}, never), null);
		// The library refuses a response that tells its length twice.
		if (i === 1) await assert.rejects(getObject(url.href, {}, never));
		else {
			const response = await getObject(url.href, {}, never);
			assert.equal((await bodyBytes(response, async () => undefined)).toString(), "body");
		}
	}
});

test("a length that is no number, or told twice, is left to the library, which refuses it", async (t) => {
	for (const length of ["4x", "4\r\nContent-Length: 5", "-4", `4${"0".repeat(15)}`]) {
		const url = await serve(t, (socket) =>
			socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\nbody`),
		);
		assert.equal(await getDirect(url, {}, never), null, length);
		const read = async () => bodyBytes(await getObject(url.href, {}, never), async () => undefined);
		await assert.rejects(read(), length);
	}
});

test("a response that is malformed, ends early or is longer than it says fails", async (t) => {
	const faults: [string, RegExp][] = [
		["HTTP/2 200\r\nContent-Length: 4\r\n\r\nbody", /is not HTTP\/1/],
		["SSH-2.0-OpenSSH\r\n\r\n", /is not HTTP\/1/],
		[
			"HTTP/1.1 200 OK\r\nA: \x1b[31m\r\nContent-Length: 4\r\n\r\nbody",
			/^Error: the response has a malformed header$/,
		],
		["HTTP/1.1 200 OK\r\nA: b\nc: d\r\nContent-Length: 4\r\n\r\nbody", /malformed header/],
		["HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 4\r\n\r\nbody", /malformed header/],
		[`HTTP/1.1 200 OK\r\nA: ${"b".repeat(20_000)}\r\n\r\n`, /head is larger than 16384 bytes/],
		["b".repeat(20_000), /head is larger than 16384 bytes/],
		["HTTP/1.1 200 OK\r\nContent-Le", /ended within the response/],
		["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbod", /ended within the response/],
		["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody?", /longer than its Content-Length/],
	];
	for (const [sent, message] of faults) {
		const url = await serve(t, (socket) => socket.end(sent));
		const read = async () => bodyBytes(await getDirect(url, {}, never), async () => undefined);
		await assert.rejects(read(), message, sent.slice(0, 60));
	}
});

test("a reader that stops leaves the rest with the server", async (t) => {
	const body = Buffer.alloc(64 << 20);
	let sent = 0;
	const url = await serve(t, (socket) => {
		socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
		const send = () => {
			while (sent < body.length && !socket.destroyed) {
				sent += 1 << 20;
				if (!socket.write(body.subarray(0, 1 << 20))) break;
			}
		};
		socket.on("drain", send);
		send();
	});
	const reader = (await getDirect(url, {}, never))?.body?.getReader();
	await reader?.read();
	for (let before = -1; before !== sent; ) {
		before = sent;
		await delay(100);
	}
	// Half a megabyte is received; the rest is in the sockets' buffers.
	assert.ok(sent < body.length / 2, `${sent} bytes sent`);
	await reader?.cancel();
	await assert.rejects(async () => {
		for (;;) await reader?.read();
	}, /ended within the response/);
});

test("a response over TLS, only from a server whose certificate is trusted", {
	skip: NO_OPENSSL,
}, async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-tls-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const { key, cert } = makeCertificate(folder);
	const body = randomBytes(8_000_000);
	const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) });
	const url = await serve(
		t,
		(socket) => {
			socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
			socket.end(body);
		},
		server,
		"secureConnection",
	);
	url.protocol = "https:";
	await assert.rejects(getDirect(url, {}, never), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
	process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
	t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
	assert.ok((await bodyBytes(await getDirect(url, {}, never), () => turn())).equals(body));
});
