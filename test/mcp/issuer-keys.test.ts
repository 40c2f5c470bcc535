/** What becomes of access tokens while an issuer replaces its keys, or publishes none that can be read, or too weak ones. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import { ApiError } from "../../server/api/errors.js";
import { AccessTokens } from "../../server/mcp/oauth/access-tokens.js";
import { SetClock } from "../keys/scratch.js";

const RESOURCE = "https://api.example.com/mcp";
const NOW_MS = Date.UTC(2026, 10, 1);

/** What the issuer publishes as its keys. */
let published: unknown = { keys: [] };
let issuer = "";
/** What its metadata says it is. */
let named = "";
/** A page that it answers with instead of anything else; empty: none. */
let page = "";
let requests = 0;
const server = createServer((request, response) => {
	requests++;
	if (page !== "") {
		response.end(page);
		return;
	}
	const isMetadata = request.url === "/.well-known/openid-configuration";
	response.end(JSON.stringify(isMetadata ? { issuer: named, jwks_uri: `${issuer}/keys` } : published));
});

before(async () => {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	named = issuer;
});
after(() => {
	server.closeAllConnections();
	server.close();
});

/** A key of an issuer: its public part, and a signature of it without the name of the key. */
async function issuerKey(alg = "ES256") {
	const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
	const jwk: JWK = { ...(await exportJWK(publicKey)), alg, use: "sig" };
	const sign = (claims: JWTPayload = {}) =>
		new SignJWT({ iss: issuer, aud: RESOURCE, scope: "read", exp: NOW_MS / 1_000 + 600, ...claims })
			.setProtectedHeader({ alg })
			.sign(privateKey);
	return { jwk, sign };
}

function tokens(clock = { now: () => NOW_MS }): AccessTokens {
	const options = { issuer, resource: RESOURCE, grants: new Map([["read", "key-1"]]) };
	return new AccessTokens(options, clock);
}

test("a token that names no key is verified by each that the issuer has", async () => {
	const [old, next, strange] = await Promise.all([issuerKey(), issuerKey(), issuerKey()]);
	published = { keys: [old.jwk, next.jwk] };
	const verifier = tokens();
	for (const { sign } of [old, next])
		assert.deepEqual(await verifier.verify(await sign()), {
			keyId: "key-1",
			untilMs: NOW_MS + 600_000,
		});
	assert.equal(await verifier.verify(await strange.sign()), null);
	assert.equal(await verifier.verify(await next.sign({ aud: "https://other.example.com" })), null);
});

test("keys that cannot be read are the issuer's fault, not the token's", async () => {
	const { sign } = await issuerKey();
	const token = await sign();
	for (const each of [{}, [], { keys: "none" }]) {
		published = each;
		await assert.rejects(
			tokens().verify(token),
			(error) => error instanceof ApiError && error.code === "unavailable",
			JSON.stringify(each),
		);
	}
});

test("a token that never expires, or is signed by another algorithm, is not valid", async () => {
	const [usual, other] = await Promise.all([issuerKey(), issuerKey("RS384")]);
	published = { keys: [usual.jwk, other.jwk] };
	assert.notEqual(await tokens().verify(await usual.sign()), null);
	assert.equal(await tokens().verify(await usual.sign({ exp: undefined })), null);
	assert.equal(await tokens().verify(await other.sign()), null);
});

test("metadata of another issuer verifies no token", async () => {
	const { jwk, sign } = await issuerKey();
	published = { keys: [jwk] };
	named = "https://other.example.com";
	await assert.rejects(
		tokens().verify(await sign()),
		(error) => error instanceof ApiError && error.code === "unavailable",
	);
	named = issuer;
});

test("an issuer that answers with a page, with status 200, is asked once a second", async () => {
	const { jwk, sign } = await issuerKey();
	published = { keys: [jwk] };
	const clock = new SetClock(NOW_MS);
	const verifier = tokens(clock);
	page = "<h1>Maintenance</h1>";
	requests = 0;
	for (let i = 0; i < 3; i++)
		await assert.rejects(
			verifier.verify(await sign()),
			(error) => error instanceof ApiError && error.code === "unavailable",
		);
	assert.equal(requests, 1);
	clock.nowMs += 1_000;
	await assert.rejects(verifier.verify(await sign()));
	assert.equal(requests, 2);
	page = "";
	// A clock that was set back does not keep it from being asked.
	clock.nowMs -= 10_000;
	assert.equal((await verifier.verify(await sign()))?.keyId, "key-1");
});

test("a token is known from its verification until it expires", async () => {
	const { jwk, sign } = await issuerKey();
	published = { keys: [jwk] };
	const clock = new SetClock(NOW_MS);
	const verifier = tokens(clock);
	const token = await sign();
	assert.equal(verifier.known(token), null);
	const verified = await verifier.verify(token);
	clock.nowMs = NOW_MS + 600_000 - 1;
	assert.deepEqual(verifier.known(token), verified);
	clock.nowMs++;
	assert.equal(verifier.known(token), null);
});
