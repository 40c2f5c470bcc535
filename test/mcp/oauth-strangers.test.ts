/** What strangers with access tokens that are not valid, or stand for no key, take of the tool server. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { ServedFixture } from "../http/served.js";
import { transportsHere } from "../http/transports.js";
import { post, request } from "./tool-client.js";

const RESOURCE = "https://api.example.com/mcp";
const WHOAMI = request("tools/call", { name: "whoami" });
/** Incomplete bodies that one key may have. */
const IN_FLIGHT_MAX = 64;
const FAILED_PER_MINUTE = 20;
const KEYLESS_PER_MINUTE = 100;
const STRANGER = { "X-Forwarded-For": "192.0.2.1" };
const CLIENT = { "X-Forwarded-For": "192.0.2.2" };

const pair = await generateKeyPair("ES256", { extractable: true });
const jwk = { ...(await exportJWK(pair.publicKey)), alg: "ES256", use: "sig" };
let issuer = "";
/** The issuer answers once this resolves. */
let isUp: Promise<unknown> = Promise.resolve();
const issuerServer = createServer(async (incoming, outgoing) => {
	await isUp;
	const isMetadata = incoming.url === "/.well-known/openid-configuration";
	outgoing.end(JSON.stringify(isMetadata ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [jwk] }));
});

before(async () => {
	issuerServer.listen(0, "127.0.0.1");
	await once(issuerServer, "listening");
	issuer = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}`;
});
after(() => {
	issuerServer.closeAllConnections();
	issuerServer.close();
});

function signed(served: ServedFixture, claims: Record<string, unknown>): Promise<string> {
	const exp = Math.floor(served.clock.nowMs / 1_000) + 600;
	return new SignJWT({ iss: issuer, aud: RESOURCE, scope: "read", exp, ...claims })
		.setProtectedHeader({ alg: "ES256" })
		.sign(pair.privateKey);
}

/** Sends the head of a message of 100 bytes, and one byte of it. */
async function stall(
	t: { after(work: () => void): void },
	served: ServedFixture,
	address: string,
	token = "a.b.c",
) {
	// It keeps its side open when the server closes its own.
	const socket = connect({ port: served.port, host: "127.0.0.1", allowHalfOpen: true });
	t.after(() => socket.destroy());
	socket.on("error", () => undefined);
	await once(socket, "connect");
	const types = "Content-Type: application/json\r\nAccept: application/json, text/event-stream";
	const head = `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Forwarded-For: ${address}`;
	socket.write(`${head}\r\nContent-Length: 100\r\n${types}\r\n\r\n{`);
	return socket;
}

/** The status of the answer to what was sent on a connection. */
async function statusOf(socket: Socket): Promise<number> {
	const [answer] = await once(socket, "data", { signal: AbortSignal.timeout(5_000) });
	return Number(String(answer).slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
}

/** Waits until `isSo`, for `attempts` times 20 ms at most. */
async function until(isSo: () => boolean | Promise<boolean>, attempts = 250): Promise<void> {
	for (let i = 0; i < attempts; i++) {
		if (await isSo()) return;
		await delay(20);
	}
	assert.fail(`not so: ${isSo}`);
}

for (const transport of transportsHere("access tokens of strangers")) {
	test(`access tokens of strangers over ${transport}`, async (t) => {
		const first = await ServedFixture.start(transport);
		const { id } = await first.keyWithId({ name: "of agents" });
		const other = await first.keyWithId({ name: "of others" });
		await first.stop();
		const served = await ServedFixture.start(transport, {
			data: first.dataFolder,
			oauth_issuer: issuer,
			oauth_resource: RESOURCE,
			oauth_grants: [
				["read", id],
				["more", other.id],
			],
			trusted_proxies: ["127.0.0.1"],
			failed_keys_per_minute: FAILED_PER_MINUTE,
			keyless_per_minute: KEYLESS_PER_MINUTE,
		});
		t.after(() => served.close());
		served.clock.nowMs = Date.now();
		const { load } = served.app;

		await t.test(
			"invalid tokens are counted for their address, also where its client has left",
			async (t) => {
				let answer = () => {};
				isUp = new Promise<void>((resolve) => {
					answer = resolve;
				});
				const forged = await new SignJWT({ iss: issuer, aud: RESOURCE, scope: "read", exp: 2 ** 32 })
					.setProtectedHeader({ alg: "ES256" })
					.sign((await generateKeyPair("ES256")).privateKey);
				const stalled: Socket[] = [];
				for (let i = 0; i < FAILED_PER_MINUTE; i++) stalled.push(await stall(t, served, "192.0.2.3", forged));
				await until(() => load.receiving === FAILED_PER_MINUTE);
				for (const socket of stalled) socket.destroy();
				await until(() => load.receiving === 0);
				answer();
				const fromThere = () => post(served, "a.b.d", WHOAMI, { "X-Forwarded-For": "192.0.2.3" });
				assert.equal((await post(served, await signed(served, {}), WHOAMI, CLIENT)).status, 200);
				// Asked too rarely to use the window up by itself.
				await until(async () => (await fromThere()).status === 429, FAILED_PER_MINUTE / 2);
				assert.equal((await post(served, "a.b.d", WHOAMI, CLIENT)).status, 401);
			},
		);

		await t.test("invalid tokens are refused without their bodies, which keep nobody out", async (t) => {
			const stalled: Socket[] = [];
			for (let i = 0; i < IN_FLIGHT_MAX; i++) {
				if (i % FAILED_PER_MINUTE === 0) served.clock.nowMs += 60_000;
				const socket = await stall(t, served, "192.0.2.1");
				assert.equal(await statusOf(socket), 401);
				stalled.push(socket);
			}
			served.clock.nowMs += 60_000;
			const token = await signed(served, { jti: "not seen before" });
			assert.equal((await post(served, token, WHOAMI, CLIENT)).status, 200);
			assert.deepEqual([load.receiving, load.pending], [0, 0]);
			// What follows of these bodies is no request.
			for (const socket of stalled) socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".padEnd(99));
			assert.equal((await post(served, token, WHOAMI, CLIENT)).status, 200);
		});

		await t.test("bodies of a token that was verified are counted by its key", async (t) => {
			served.clock.nowMs += 60_000;
			const token = await signed(served, { jti: "stalls" });
			for (let i = 0; i < IN_FLIGHT_MAX; i++) await stall(t, served, "192.0.2.1", token);
			await until(() => load.receiving === IN_FLIGHT_MAX);
			assert.equal((await post(served, token, WHOAMI, CLIENT)).status, 429);
			const others = await signed(served, { scope: "more", jti: "of another key" });
			assert.equal((await post(served, others, WHOAMI, CLIENT)).status, 200);
		});

		await t.test(
			"a token without a mapped scope takes the requests that its address has without a key",
			async () => {
				served.clock.nowMs += 60_000;
				const token = await signed(served, { scope: "other" });
				const statuses = [];
				// The first one, which takes a verification, is counted as one with an invalid key.
				for (let i = 0; i <= KEYLESS_PER_MINUTE + 1; i++)
					statuses.push((await post(served, token, WHOAMI, STRANGER)).status);
				assert.deepEqual(new Set(statuses.slice(0, -1)), new Set([403]));
				assert.equal(statuses.at(-1), 429);
				assert.equal((await post(served, token, WHOAMI, CLIENT)).status, 403);
				assert.equal((await post(served, await signed(served, {}), WHOAMI, STRANGER)).status, 200);
			},
		);

		await t.test("tokens without a mapped scope take no more verifications than invalid ones", async () => {
			served.clock.nowMs += 60_000;
			const send = async (jti: string, from: Record<string, string>) =>
				(await post(served, await signed(served, { scope: "other", jti }), WHOAMI, from)).status;
			for (let i = 0; i < FAILED_PER_MINUTE; i++) assert.equal(await send(`one of many ${i}`, STRANGER), 403);
			assert.equal(await send("one too many", STRANGER), 429);
			assert.equal(await send("elsewhere", CLIENT), 403);
		});
	});
}
