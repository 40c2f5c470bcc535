/** Slow readers, silent clients and too many requests cost a bounded amount, on both transports. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { errorResponse } from "../../server/api/schemas/endpoint-responses.js";
import { type HeldAnswer, Load } from "../../server/http/load.js";
import { sendRaw } from "../http/raw-socket.js";
import { ServedFixture } from "../http/served.js";
import { transportsHere } from "../http/transports.js";
import { largeMonthFolder } from "./large-month.js";

const MIB = 1024 * 1024;
const BIG_PAGE = "/v1/licenses?limit=1000&format=csv";
/** Transports cut a silent client off after some ten seconds, and a stuck one after some forty at most. */
const CUT_OFF_MS_MAX = 60_000;

function requestText(path: string, key: string): string {
	return `GET ${path} HTTP/1.1\r\nHost: rollcall.test\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

interface StuckReader {
	readonly socket: Socket;
	/** Requests sent. */
	readonly asked: number;
}

/**
 * Opens a connection that sends one request after the other and never reads, until the kernel's
 * buffers are full and an answer waits in the server, or one was cut off.
 */
async function stuckReader({ port, app }: ServedFixture, key: string): Promise<StuckReader> {
	const { load } = app;
	const socket = connect(port, "127.0.0.1");
	socket.on("error", () => undefined);
	await once(socket, "connect");
	socket.pause();
	const { heldBytes, cuts } = load;
	for (let asked = 1; asked <= 100; asked++) {
		socket.write(requestText(BIG_PAGE, key));
		await delay(60);
		if (load.heldBytes > heldBytes || load.cuts > cuts) return { socket, asked };
	}
	throw new Error("the machine's buffers took a hundred answers");
}

/** Opens a connection that has asked nothing yet. */
async function listener(port: number): Promise<{ socket: Socket; text: () => string }> {
	const socket = connect(port, "127.0.0.1");
	let text = "";
	socket.setEncoding("latin1").on("data", (chunk: string) => {
		text += chunk;
	});
	await once(socket, "connect");
	return { socket, text: () => text };
}

async function until(holds: () => boolean, withinMs: number, what: string): Promise<void> {
	const end = performance.now() + withinMs;
	while (!holds()) {
		assert.ok(performance.now() < end, `${what} within ${withinMs} ms`);
		await delay(20);
	}
}

for (const transport of transportsHere("backpressure")) {
	describe(`backpressure over ${transport}`, () => {
		let served: ServedFixture;
		let key: string;
		before(async () => {
			const data = await largeMonthFolder();
			served = await ServedFixture.start(transport, { data, slow_readers_mib: 2, shed_after_ms: 100 });
			key = await served.key({ rate_limits: { per_minute: 1_000_000 } });
		});
		after(() => served.close());

		test("clients that do not read occupy bounded memory, and the others are served", async () => {
			const { load } = served.app;
			const readers: StuckReader[] = [];
			while (load.cuts === 0 && readers.length < 40) readers.push(await stuckReader(served, key));
			assert.ok(load.cuts > 0, "slow readers are cut off");
			assert.ok(load.heldBytes <= 2 * MIB, `${load.heldBytes} bytes are held`);
			const { status, text } = await served.request(BIG_PAGE, key);
			assert.equal(status, 200);
			assert.equal(text.split("\r\n").length, 1_002);
			for (const { socket } of readers) socket.destroy();
			await until(() => load.pending === 0, 5_000, "answers nobody waits for end");
			assert.equal(load.heldBytes, 0);
		});

		test("a slow reader that keeps reading gets every byte", async () => {
			const { status, text: whole } = await served.request(BIG_PAGE, key);
			assert.equal(status, 200, whole);
			const { socket, asked } = await stuckReader(served, key);
			const chunks: Buffer[] = [];
			let bytes = 0;
			socket.on("data", (chunk: Buffer) => {
				chunks.push(chunk);
				bytes += chunk.length;
			});
			socket.resume();
			const least = asked * Buffer.byteLength(whole);
			await until(() => bytes > least, 10_000, `${asked} answers arrive`);
			const received = Buffer.concat(chunks).toString("utf8");
			assert.equal(received.split(whole).length - 1, asked);
			socket.destroy();
		});

		test("clients that read nothing, send nothing or half a request are disconnected", async () => {
			const { load } = served.app;
			const { socket: stuck } = await stuckReader(served, key);
			const silent = ["", "GET /v1/health HTTP/1.1\r\nHost: roll"].map(async (bytes) => {
				const { text, closed } = await sendRaw(served.port, bytes, CUT_OFF_MS_MAX);
				assert.ok(closed, `${JSON.stringify(bytes)} keeps its connection`);
				assert.doesNotMatch(text, / 200 /);
			});
			await Promise.all([
				...silent,
				until(
					() => load.heldBytes === 0 && load.pending === 0,
					CUT_OFF_MS_MAX,
					"the stuck answer is dropped",
				),
			]);
			stuck.destroy();
		});

		test("overlong targets and headers are refused", async () => {
			for (const head of [
				`GET /v1/health?a=${"a".repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
				`GET /v1/health HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(40_000)}\r\n\r\n`,
			]) {
				const { text, closed } = await sendRaw(served.port, head);
				assert.match(text, /^HTTP\/1\.1 400 /);
				assert.ok(closed);
			}
		});

		test("requests that have waited too long are shed with 503 and Retry-After", async () => {
			const { clock } = served;
			const honest = clock.now.bind(clock);
			// Every request now takes this long, so that requests that arrive together wait for each other.
			clock.now = () => {
				Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
				return honest();
			};
			const connections = await Promise.all(Array.from({ length: 24 }, () => listener(served.port)));
			// Once all are accepted, what is written in one go is there for the server in one turn.
			await delay(150);
			for (const { socket } of connections) socket.write(requestText("/v1/me", key));
			await until(() => connections.every(({ text }) => text().endsWith("}")), 10_000, "all are answered");
			clock.now = honest;
			const answers = connections.map(({ socket, text }) => {
				socket.destroy();
				return { text: text() };
			});
			const shed = answers.filter(({ text }) => text.startsWith("HTTP/1.1 503 "));
			const answered = answers.filter(({ text }) => text.startsWith("HTTP/1.1 200 "));
			assert.equal(shed.length + answered.length, answers.length);
			assert.ok(shed.length > 0, "some are shed");
			assert.ok(answered.length > 0, "some are served");
			for (const { text } of shed) {
				assert.match(text, /\r\nRetry-After: 1\r\n/);
				const { error } = errorResponse.parse(JSON.parse(text.slice(text.indexOf("\r\n\r\n"))));
				assert.equal(error.code, "unavailable");
			}
			const usage = await served.request("/v1/me", key);
			assert.equal(usage.status, 200, "and once the queue is gone, all are served");
		});
	});
}

test("of buffered responses the one longest without progress is disconnected first", () => {
	const load = new Load({ pendingMax: 10, turnMsMax: 1_000, heldBytesMax: 100 });
	const cut: string[] = [];
	const answer = (name: string, bytes: number): HeldAnswer => ({ bytes, cut: () => cut.push(name) });
	const first = answer("first", 40);
	load.hold(first);
	load.hold(answer("second", 40));
	load.progressed(first);
	load.hold(answer("third", 30));
	assert.deepEqual(cut, ["second"]);
	assert.equal(load.heldBytes, 70);
	load.hold(answer("fourth", 200));
	assert.deepEqual(cut, ["second", "first", "third", "fourth"]);
	assert.equal(load.heldBytes, 0);
	assert.equal(load.cuts, 4);
	load.close();
});

test("requests beyond the most that may be pending are shed and counted", () => {
	const load = new Load({ pendingMax: 2, turnMsMax: 60_000, heldBytesMax: 100 });
	load.pending = 1;
	assert.equal(load.sheds(), false);
	load.pending = 2;
	assert.equal(load.sheds(), true);
	assert.equal(load.shed, 1);
	load.close();
});
