/** Request bodies that never arrive cost their sender its places, not others their service. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { Admission } from "../../server/api/admission.js";
import type { Response } from "../../server/api/responses/response.js";
import { BodiesInFlight, type BodySlot } from "../../server/http/bodies-in-flight.js";
import { ClientAddresses } from "../../server/http/client-address.js";
import { RequestHead } from "../../server/http/request-head.js";
import type { Exchange } from "../../server/http/transport.js";
import { BodyReceiver } from "../../server/mcp/body-receiver.js";
import { bytesInUse } from "../bytes-in-use.js";
import { ServedFixture } from "../http/served.js";
import { transportsHere } from "../http/transports.js";

const STALLED = 400;
/** Of one key. */
const IN_FLIGHT_MAX = 64;

/** Of bodies that come byte by byte: how many, and how many bytes of each come so. */
const DRIPPED = 32;
const DRIPPED_BYTES = 4_000;
/** The largest body of a message. */
const BODY_BYTES = 65_536;

/** Declared, of all incomplete bodies of a thread. */
const BYTES_MAX = 64 * 2 ** 20;

interface Stalled {
	text(): string;
	send(bytes: string): void;
	end(): void;
}

/** Sends the head of a message of `length` bytes, or in chunks. */
async function stall(port: number, key: string, length: number | "chunked" = 2_000): Promise<Stalled> {
	const socket = connect({ port, host: "127.0.0.1", noDelay: true });
	let text = "";
	socket.setEncoding("latin1").on("data", (chunk: string) => {
		text += chunk;
	});
	// The server may close who stalls.
	socket.on("error", () => undefined);
	await once(socket, "connect");
	const types = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
	const framing = length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
	socket.write(`POST /mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${types}${framing}\r\n\r\n`);
	return { text: () => text, send: (bytes) => socket.write(bytes), end: () => socket.destroy() };
}

for (const transport of transportsHere("stalled bodies")) {
	test(`bodies that never come are bounded by key and shed nobody else, over ${transport}`, async (t) => {
		const served = await ServedFixture.start(transport, { pending_requests_max: 20 });
		t.after(() => served.close());
		const key = await served.key({ rate_limits: { per_minute: 1_000_000 } });
		const { load } = served.app;
		const stalled = await Promise.all(Array.from({ length: STALLED }, () => stall(served.port, key)));
		const refusedNow = () => stalled.filter(({ text }) => text().startsWith("HTTP/1.1 429 "));
		for (let i = 0; i < 250 && refusedNow().length < STALLED - IN_FLIGHT_MAX; i++) await delay(20);
		assert.equal(load.receiving, IN_FLIGHT_MAX);
		assert.ok(load.pending < 20, `${load.pending} are pending`);
		const refused = refusedNow();
		assert.equal(refused.length, STALLED - IN_FLIGHT_MAX);
		assert.match(refused[0].text(), /bodies are incomplete/);
		for (const path of ["/v1/health", "/v1/me"]) assert.equal((await served.request(path, key)).status, 200);
		const { status } = await served.request("/mcp", key, {
			method: "POST",
			headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
		});
		assert.equal(status, 429, "the key's places are taken");
		for (const { end } of stalled) end();
		for (let i = 0; i < 100 && load.receiving > 0; i++) await delay(20);
		assert.deepEqual([load.receiving, load.pending], [0, 0]);
	});

	test(`places of bodies in chunks return however these end, over ${transport}`, async (t) => {
		const served = await ServedFixture.start(transport);
		t.after(() => served.close());
		const key = await served.key({ rate_limits: { per_minute: 1_000_000 } });
		const { load } = served.app;
		// Twice, so that a place that is kept is missed.
		for (let round = 0; round < 2; round++) {
			const begun = Array.from({ length: IN_FLIGHT_MAX }, () => stall(served.port, key, "chunked"));
			const stalled = await Promise.all(begun);
			for (let i = 0; i < 250 && load.receiving < IN_FLIGHT_MAX; i++) await delay(20);
			assert.equal(load.receiving, IN_FLIGHT_MAX);
			const more = await stall(served.port, key, "chunked");
			for (let i = 0; i < 250 && more.text() === ""; i++) await delay(20);
			assert.match(more.text(), /^HTTP\/1\.1 429 [\s\S]*bodies are incomplete/);
			more.end();
			const ends = [
				({ end }: Stalled) => end(),
				({ send }: Stalled) => send("not a size\r\n"),
				({ send }: Stalled) => send("2\r\n{}\r\n0\r\n\r\n"),
			];
			for (const [i, each] of stalled.entries()) ends[i % ends.length](each);
			for (let i = 0; i < 100 && load.receiving > 0; i++) await delay(20);
			for (const { end } of stalled) end();
			for (let i = 0; i < 100 && load.pending > 0; i++) await delay(20);
			assert.deepEqual([load.receiving, load.pending], [0, 0]);
		}
	});

	test(`a body that comes byte by byte takes no more memory than its length, over ${transport}`, async (t) => {
		const served = await ServedFixture.start(transport);
		t.after(() => served.close());
		const key = await served.key({ rate_limits: { per_minute: 1_000_000 } });
		const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }).padEnd(BODY_BYTES);
		const dripped = await Promise.all(
			Array.from({ length: DRIPPED }, () => stall(served.port, key, BODY_BYTES)),
		);
		for (let i = 0; i < 250 && served.app.load.receiving < DRIPPED; i++) await delay(20);
		const before = bytesInUse();
		for (let at = 0; at < DRIPPED_BYTES; at++) {
			for (const { send } of dripped) send(message[at]);
			await nextTurn();
		}
		const grown = bytesInUse() - before;
		assert.ok(grown < 3 * DRIPPED * BODY_BYTES, `${grown} bytes`);
		for (const { send } of dripped) send(message.slice(DRIPPED_BYTES));
		for (let i = 0; i < 250 && !dripped.every(({ text }) => text().endsWith("}")); i++) await delay(20);
		for (const { text, end } of dripped) {
			assert.match(text(), /^HTTP\/1\.1 200 /);
			assert.match(text(), /"result":\{\}/);
			end();
		}
	});

	test(`health is answered while everything else is shed, over ${transport}`, async (t) => {
		const served = await ServedFixture.start(transport, { pending_requests_max: 5 });
		t.after(() => served.close());
		const key = await served.key();
		const statusOf = async (path: string) => {
			const headers = { authorization: `Bearer ${key}` };
			return (await fetch(`http://127.0.0.1:${served.port}${path}`, { headers })).status;
		};
		served.app.load.pending += 100;
		assert.equal(await statusOf("/v1/me"), 503);
		assert.equal(await statusOf("/v1/health"), 200);
		served.app.load.pending -= 100;
		assert.equal(await statusOf("/v1/me"), 200);
	});
}

test("incomplete bodies are bounded by key, by address and in bytes, and places return", () => {
	const bodies = new BodiesInFlight(new ClientAddresses(["10.0.0.1"]));
	let formatted = 0;
	const take = (key: string, address: string, bytes = 10) =>
		bodies.take(key, bytes, () => {
			formatted++;
			return address;
		});
	const places: BodySlot[] = [];
	const hold = (place: BodySlot | string) => {
		if (typeof place === "string") assert.fail(place);
		places.push(place);
	};
	for (let i = 0; i < 64; i++) hold(take("a", "192.0.2.1"));
	assert.equal(formatted, 0, "addresses are not looked at while so few bodies are incomplete");
	assert.match(take("a", "192.0.2.2") as string, /key/);
	for (let key = 0; key < 3; key++) for (let i = 0; i < 64; i++) hold(take(`k${key}`, "192.0.2.1"));
	assert.match(take("other", "192.0.2.1") as string, /address/);
	// A proxy stands for many.
	hold(take("other", "10.0.0.1"));
	assert.match(take("big", "192.0.2.9", 64 * 2 ** 20) as string, /too many/);
	for (const place of places) bodies.release(place);
	for (let i = 0; i < 64; i++) assert.notEqual(typeof take("a", "192.0.2.1", 2 ** 20), "string");
	assert.match(take("b", "192.0.2.1", 1) as string, /too many/, "bytes are given back exactly");
});

test("a body in chunks is counted as the longest that a message may have", () => {
	const bodies = new BodiesInFlight(new ClientAddresses([]));
	const head = new RequestHead("POST", "/mcp", "");
	head.add("transfer-encoding", "chunked");
	const receive = () => {
		let refusal: unknown = null;
		const exchange = { receiveBody: () => undefined } as unknown as Exchange;
		const admission = { clientAddress: () => "192.0.2.1" } as unknown as Admission;
		const refuse = (error: unknown) => {
			refusal = error;
		};
		const response = {} as Response;
		new BodyReceiver({ admission, bodies }, head, exchange, response, refuse).receive("a", () => undefined);
		return refusal;
	};
	bodies.take("b", BYTES_MAX - BODY_BYTES, () => "192.0.2.2");
	assert.equal(receive(), null);
	assert.match(String(receive()), /receiving too many request bodies/);
});

test("counting of incomplete bodies agrees with counting all of them, in any order of taking and releasing", () => {
	const seed = 20_261;
	let state = seed;
	const number = (below: number) => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return (state >>> 8) % below;
	};
	const bodies = new BodiesInFlight(new ClientAddresses([]));
	const held: { place: BodySlot; key: string; address: string }[] = [];
	for (let step = 0; step < 20_000; step++) {
		// Fills and empties by turns, past where counting begins and ends.
		const filling = Math.floor(step / 1_000) % 2 === 0;
		if (number(10) < (filling ? 2 : 8) && held.length > 0) {
			const [{ place }] = held.splice(number(held.length), 1);
			bodies.release(place);
			continue;
		}
		const key = `k${number(10)}`;
		const address = `192.0.2.${number(2)}`;
		const full =
			held.filter((other) => other.key === key).length >= 64 ||
			held.filter((other) => other.address === address).length >= 256;
		const place = bodies.take(key, 0, () => address);
		assert.equal(typeof place === "string", full, `seed ${seed}, step ${step}`);
		if (typeof place !== "string") held.push({ place, key, address });
	}
});
