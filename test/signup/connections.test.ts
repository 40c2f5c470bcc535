/** What one client can hold of the signup port: connections, and responses that it does not read. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ClientAddresses } from "../../server/http/client-address.js";
import { jsonPageAnswer, PageServer } from "../../server/pages/page-server.js";
import { bytesInUse } from "../bytes-in-use.js";
import { SetClock } from "../keys/scratch.js";

/** More than the kernel buffers for a client that does not read. */
const LARGE_BYTES = 32 * 1024 * 1024;
const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** A page server with one page; returns its port and how often the page was answered. */
async function serve(t: TestContext, body: string, proxies: string[] = [], responseMsMax?: number) {
	const pages = { answered: 0, port: 0 };
	const answer = () => {
		pages.answered++;
		return jsonPageAnswer(200, body);
	};
	const server = new PageServer({
		routes: (["GET", "POST"] as const).map((method) => ({ method, path: "/", counted: false, answer })),
		addresses: new ClientAddresses(proxies),
		clock: new SetClock(),
		perMinute: 100,
		onError: (error) => assert.fail(error as Error),
		...(responseMsMax === undefined ? {} : { responseMsMax }),
	});
	pages.port = await server.listen("127.0.0.1", 0);
	t.after(() => server.close());
	return pages;
}

async function connected(t: TestContext, port: number): Promise<Socket> {
	const socket = connect(port, "127.0.0.1");
	t.after(() => socket.destroy());
	socket.on("error", () => undefined);
	await once(socket, "connect");
	return socket;
}

/** Resolves when the connection is closed, by a reset too. */
function closeOf(socket: Socket): Promise<void> {
	return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** Whether a new connection gets an answer, which leaves it open. */
function isAnswered(t: TestContext, port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1", () => socket.write(GET));
		t.after(() => socket.destroy());
		socket.on("error", () => undefined);
		socket.once("data", () => resolve(true));
		socket.once("close", () => resolve(false));
	});
}

test("a client that sends many requests at once has few answered, and is disconnected", async (t) => {
	const pages = await serve(t, "x".repeat(4_000));
	const socket = await connected(t, pages.port);
	const closed = closeOf(socket);
	socket.resume();
	socket.write(GET.repeat(2_000));
	await closed;
	assert.ok(pages.answered < 20, `${pages.answered} answered`);
});

test("requests that wait for their responses are answered on one connection, a few at once too", async (t) => {
	const pages = await serve(t, "x");
	const socket = await connected(t, pages.port);
	let received = "";
	socket.on("data", (chunk) => {
		received += chunk;
	});
	for (const requests of [1, 1, 4]) {
		received = "";
		socket.write(GET.repeat(requests));
		while (received.split('"x"').length <= requests) await once(socket, "data");
	}
	assert.equal(pages.answered, 6);
});

test("a client that does not read its response, or the next one, is disconnected", async (t) => {
	const pages = await serve(t, "x".repeat(LARGE_BYTES), [], 300);
	for (const read of [0, LARGE_BYTES]) {
		const socket = await connected(t, pages.port);
		const closed = closeOf(socket);
		let bytes = 0;
		socket.on("data", (chunk) => {
			bytes += chunk.length;
			if (bytes >= read) socket.pause();
		});
		const begunMs = performance.now();
		socket.write(GET.repeat(2));
		// The end is seen only by a client that reads, so it reads once the time is over.
		await new Promise((resolve) => setTimeout(resolve, 1_500));
		socket.removeAllListeners("data").on("data", (chunk) => {
			bytes += chunk.length;
		});
		socket.resume();
		await closed;
		assert.ok(bytes < read + LARGE_BYTES, `${bytes} bytes`);
		assert.ok(performance.now() - begunMs < 8_000);
	}
});

test("a client that leaves before its responses leaves no deadline behind", async (t) => {
	const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
	const pages = await serve(t, "x".repeat(LARGE_BYTES));
	const socket = await connected(t, pages.port);
	const before = timers();
	socket.write(GET);
	await new Promise<void>((resolve) => {
		let bytes = 0;
		socket.on("data", (chunk) => {
			bytes += chunk.length;
			if (bytes >= LARGE_BYTES) resolve();
		});
	});
	socket.pause();
	socket.write(GET.repeat(3));
	while (pages.answered < 4) await new Promise(setImmediate);
	socket.destroy();
	for (let turns = 0; timers() > before && turns < 10_000; turns++) await new Promise(setImmediate);
	assert.equal(timers(), before);
});

test("an address has a bounded number of connections, unless it is a proxy", async (t) => {
	for (const [proxy, expected] of [
		["192.0.2.1", 50],
		["127.0.0.1", 60],
	] as const) {
		const { port } = await serve(t, "x", [proxy]);
		const answers = await Promise.all(Array.from({ length: 60 }, () => isAnswered(t, port)));
		assert.equal(answers.filter(Boolean).length, expected);
	}
});

test("a body of many parts takes no more memory than its length", async (t) => {
	const pages = await serve(t, "x");
	const sockets = await Promise.all(Array.from({ length: 40 }, () => connected(t, pages.port)));
	assert.ok(await isAnswered(t, pages.port));
	const before = bytesInUse();
	const head =
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
	for (const socket of sockets) socket.write(`${head}${"1\r\n \r\n".repeat(4_000)}`);
	assert.ok(await isAnswered(t, pages.port));
	await delay(1_000);
	const grown = bytesInUse() - before;
	assert.ok(grown < 4 * 2 ** 20, `${grown} bytes`);
	const answers = sockets.map((socket) => once(socket, "data"));
	for (const socket of sockets) socket.write("2\r\n{}\r\n0\r\n\r\n");
	for (const [answer] of await Promise.all(answers)) assert.match(String(answer), /^HTTP\/1\.1 200 /);
});
