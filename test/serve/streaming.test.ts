/** Bodies that are sent piece by piece: whole, in bounded memory, and given up without harm, over both transports. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import type { BodyStream } from "../../server/http/body-stream.js";
import { ClientAddresses } from "../../server/http/client-address.js";
import { ConnectionLimits } from "../../server/http/connection-limits.js";
import { createTransport } from "../../server/http/create-transport.js";
import { Load } from "../../server/http/load.js";
import type { RequestHead } from "../../server/http/request-head.js";
import type { Exchange, Transport } from "../../server/http/transport.js";
import { ServedFixture } from "../http/served.js";
import { type TransportName, transportsHere } from "../http/transports.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { largeMonthFolder } from "./large-month.js";

/** More than the buffers of two sockets take. */
const PIECES = 160;
const PIECE_BYTES = 200_000;
const WALK = "/v1/licenses?cursor=*&limit=100000";

async function until(holds: () => boolean, what: string): Promise<void> {
	const end = performance.now() + 10_000;
	while (!holds()) {
		assert.ok(performance.now() < end, what);
		await delay(10);
	}
}

for (const transport of transportsHere("streaming")) {
	describe(`long answers over ${transport}`, () => {
		let served: ServedFixture;
		let key: string;
		before(async () => {
			served = await ServedFixture.start(transport, { data: await largeMonthFolder() });
			key = await served.key({ scope: { bulk: true }, rate_limits: { per_minute: 1_000_000 } });
		});
		after(() => served.close());

		test("a walk of several pieces is the unpaged answer", async () => {
			for (const format of ["csv", "ndjson"]) {
				const whole = await served.request(`${WALK}&format=${format}`, key);
				assert.equal(whole.headers.get("transfer-encoding"), "chunked");
				let text = "";
				const rows = Number(whole.headers.get("x-total-count"));
				assert.ok(rows > 2_000, `${rows} rows`);
				for (let page = 1; (page - 1) * 1_000 < rows; page++) {
					const part = await served.request(`/v1/licenses?format=${format}&limit=1000&page=${page}`, key);
					text += format === "csv" && page > 1 ? part.text.slice(part.text.indexOf("\n") + 1) : part.text;
				}
				assert.equal(whole.text, text);
				// The answer of another page size goes on where the one before ended.
				const first = await served.request(`/v1/licenses?cursor=*&limit=1500&format=${format}`, key);
				const cursor = first.headers.get("x-next-cursor");
				const rest = await served.request(`/v1/licenses?cursor=${cursor}&limit=100000&format=${format}`, key);
				const second = format === "csv" ? rest.text.slice(rest.text.indexOf("\n") + 1) : rest.text;
				assert.equal(first.text + second, whole.text);
			}
		});

		test("HEAD has the headers and no rows, and counts as one request", async () => {
			const few = { per_minute: 3, per_day: null, monthly_quota: null };
			const limited = await served.key({ scope: { bulk: true }, rate_limits: few });
			for (const left of ["2", "1"]) {
				const head = await served.request(`${WALK}&format=csv`, limited, { method: "HEAD" });
				assert.deepEqual([head.status, head.text], [200, ""]);
				assert.equal(head.headers.get("ratelimit-remaining"), left);
				assert.ok(Number(head.headers.get("x-total-count")) > 2_000);
			}
			const refused = await served.refused(`${WALK}&format=csv`, limited);
			assert.equal(refused.code, "rate_limited");
		});

		test("clients that disconnect end their responses, and make room for others", async () => {
			for (let i = 0; i < 12; i++) {
				const socket = connect(served.port, "127.0.0.1");
				socket.on("error", () => undefined);
				await once(socket, "connect");
				const head = `GET ${WALK}&format=csv HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer ${key}\r\n\r\n`;
				socket.write(head);
				if (i % 2 === 0) await once(socket, "data");
				socket.destroy();
			}
			await until(() => served.app.load.pending === 0, "the answers have ended");
			assert.equal((await served.request(`${WALK}&format=csv`, key)).status, 200);
			assert.equal(served.app.load.heldBytes, 0);
		});
	});

	describe(`long answers of a server that stops, over ${transport}`, () => {
		let served: ServedFixture;
		let key: string;
		before(async () => {
			served = await ServedFixture.start(transport, { data: await largeMonthFolder() });
			key = await served.key({ scope: { bulk: true }, rate_limits: { per_minute: 1_000_000 } });
		});
		after(() => served.close());

		/** Asks for the whole month and reads the beginning of the answer. */
		async function begin() {
			const socket = connect(served.port, "127.0.0.1");
			await once(socket, "connect");
			socket.write(`GET ${WALK}&format=csv HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer ${key}\r\n\r\n`);
			const [first] = (await once(socket, "data")) as [Buffer];
			socket.pause();
			return { socket, first };
		}

		test("who reads on has all of the answer, and nobody begins another", async () => {
			const whole = await served.request(`${WALK}&format=csv`, key);
			const reader = await begin();
			const closing = served.app.close(10_000);
			const late = connect(served.port, "127.0.0.1");
			const [refused] = (await once(late, "error")) as [NodeJS.ErrnoException];
			assert.equal(refused.code, "ECONNREFUSED");
			const parts = [reader.first];
			reader.socket.on("data", (part: Buffer) => parts.push(part)).resume();
			await once(reader.socket, "end");
			const answer = Buffer.concat(parts).toString();
			assert.ok(answer.endsWith("\r\n0\r\n\r\n"), "the last chunk");
			const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
			assert.equal(unchunked(body), whole.text);
			await closing;
			assert.deepEqual([served.app.load.heldBytes, served.app.load.pending], [0, 0]);
			reader.socket.destroy();
		});
	});

	describe(`bodies by pieces over ${transport}`, () => {
		test("any pieces arrive in order, with and without a length", async (t) => {
			const piece = fc.integer({ min: 1, max: 300_000 });
			await checkAsyncProperty(
				t,
				6,
				fc.asyncProperty(
					fc.array(piece, { minLength: 1, maxLength: 6 }),
					fc.boolean(),
					async (sizes, known) => {
						const pieces = sizes.map((size, i) => Buffer.alloc(size, `${i}-abc`));
						await withBody(transport, sized(pieces, known), async (port, closed) => {
							const response = await fetch(`http://127.0.0.1:${port}/`);
							const body = Buffer.from(await response.arrayBuffer());
							assert.ok(body.equals(Buffer.concat(pieces)), `${body.length} bytes of ${sizes}`);
							assert.equal(response.headers.get("content-length"), known ? String(body.length) : null);
							assert.deepEqual(await closed, true);
						});
					},
				),
				4,
			);
		});

		test("a client that does not read holds one piece, and gets everything once it reads", async () => {
			for (const known of [true, false]) {
				const piece = Buffer.alloc(PIECE_BYTES, "abcdefgh");
				const pieces = new Array<Buffer>(PIECES).fill(piece);
				await withBody(transport, sized(pieces, known), async (port, closed, load) => {
					const socket = connect(port, "127.0.0.1").pause();
					await once(socket, "connect");
					socket.write("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
					await until(() => load.heldBytes > 0, "a piece waits");
					await delay(50);
					assert.ok(load.heldBytes <= PIECE_BYTES * 2, `${load.heldBytes} bytes are held`);
					let bytes = 0;
					socket.on("data", (chunk) => {
						bytes += chunk.length;
					});
					socket.resume();
					assert.equal(await closed, true);
					await until(() => bytes >= PIECES * PIECE_BYTES, "all arrives");
					await until(() => load.heldBytes === 0 && load.pending === 0, "nothing is held");
					socket.destroy();
				});
			}
		});

		test("chunks are whole wherever the socket fills up, for readers that pause", async () => {
			// A little larger than the library's buffer, so that the socket often fills between a chunk's size and its data.
			const pieces = Array.from({ length: 2_500 }, (_, i) => Buffer.alloc(16_500 + (i % 7) * 300, `${i} `));
			const sum = crc32(Buffer.concat(pieces));
			await withBody(transport, sized(pieces, false), async (port, closed) => {
				const response = await new Promise<IncomingMessage>((resolve, reject) => {
					get({ port, path: "/", agent: false }, resolve).on("error", reject);
				});
				let read = 0;
				for await (const part of response) {
					read = crc32(part as Buffer, read);
					await delay(1);
				}
				assert.equal(read, sum);
				assert.equal(await closed, true);
			});
		});

		test("a reader that is disconnected to make room ends its body", async () => {
			const pieces = new Array<Buffer>(PIECES).fill(Buffer.alloc(PIECE_BYTES, "a"));
			await withBody(
				transport,
				sized(pieces, false),
				async (port, closed, load) => {
					const socket = connect(port, "127.0.0.1").pause();
					socket.on("error", () => undefined);
					await once(socket, "connect");
					socket.write("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
					assert.equal(await closed, false);
					assert.equal(load.cuts, 1);
					assert.deepEqual([load.heldBytes, load.pending], [0, 0]);
					socket.destroy();
				},
				1,
			);
		});

		test("a reader that takes nothing is cut off when the grace of a server that stops ends", async () => {
			const pieces = new Array<Buffer>(PIECES).fill(Buffer.alloc(PIECE_BYTES, "a"));
			await withBody(transport, sized(pieces, false), async (port, closed, load, server) => {
				const socket = connect(port, "127.0.0.1").pause();
				socket.on("error", () => undefined);
				await once(socket, "connect");
				socket.write("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
				await until(() => load.heldBytes > 0, "a piece waits");
				const startedMs = performance.now();
				await server.close(200);
				assert.equal(await closed, false);
				const tookMs = performance.now() - startedMs;
				assert.ok(tookMs >= 200 && tookMs < 5_000, `${tookMs} ms`);
				assert.deepEqual([load.heldBytes, load.pending], [0, 0]);
				socket.destroy();
			});
		});

		test("a body that fails is recognisable as incomplete", async () => {
			for (const known of [true, false]) {
				const pieces = [Buffer.alloc(1_000, "a"), null, Buffer.alloc(1_000, "b")];
				await withBody(transport, sized(pieces, known), async (port, closed) => {
					const read = fetch(`http://127.0.0.1:${port}/`).then((response) => response.arrayBuffer());
					await assert.rejects(read);
					assert.equal(await closed, false);
				});
			}
		});
	});
}

/** The bytes of a chunked body, as text of one byte a character or more. */
function unchunked(body: string): string {
	const bytes = Buffer.from(body);
	const parts: Buffer[] = [];
	for (let at = 0; ; ) {
		const end = bytes.indexOf("\r\n", at);
		const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
		if (size === 0) return Buffer.concat(parts).toString();
		parts.push(bytes.subarray(end + 2, end + 2 + size));
		at = end + 2 + size + 2;
	}
}

/** A body of these pieces, each a view that is overwritten afterwards; null: it fails there. */
function sized(pieces: readonly (Buffer | null)[], known: boolean): Omit<BodyStream, "close"> {
	const view = Buffer.alloc(Math.max(...pieces.map((piece) => piece?.length ?? 0)));
	let at = 0;
	return {
		bytes: known ? pieces.reduce((sum, piece) => sum + (piece?.length ?? 0), 0) : null,
		next() {
			view.fill("!");
			if (at === pieces.length) return null;
			const piece = pieces[at++];
			if (piece === null) throw new RangeError("no such piece");
			piece.copy(view);
			return view.subarray(0, piece.length);
		},
	};
}

/** Serves one body and runs `work` on the port; `closed` resolves to whether it was sent to its end. */
async function withBody(
	name: TransportName,
	body: Omit<BodyStream, "close">,
	work: (port: number, closed: Promise<boolean>, load: Load, server: Transport) => Promise<void>,
	heldBytesMax = 1 << 24,
): Promise<void> {
	const load = new Load({ pendingMax: 100, turnMsMax: 10_000, heldBytesMax });
	const addresses = new ClientAddresses([]);
	let transport: Transport | null = null;
	try {
		const closed = new Promise<boolean>((resolve) => {
			const options = {
				handle: (_: RequestHead, exchange: Exchange) =>
					exchange.stream(200, "", { bytes: body.bytes, next: () => body.next(), close: resolve }),
				refuse: () => undefined,
				fail: () => undefined,
				shed: () => undefined,
				urgent: () => false,
				load,
				connections: new ConnectionLimits({ max: 100, perAddressMax: 100, addresses }),
			};
			transport = createTransport(name, options, false, () => undefined);
		});
		const { port } = await (transport as unknown as Transport).listen("127.0.0.1", 0);
		await work(port, closed, load, transport as unknown as Transport);
	} finally {
		await (transport as unknown as Transport | null)?.close(0);
		load.close();
	}
}
