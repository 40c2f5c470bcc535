/** Access tokens of an OAuth issuer at the tool server, from a self-hosted issuer over real HTTP. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
// @ts-expect-error It comes without types.
import Provider from "oidc-provider";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { JSON_HEADERS, post, request } from "./tool-client.js";

const RESOURCE = "https://api.example.com/mcp";
const SECRET = "a secret of the test client";
const WHOAMI = request("tools/call", { name: "whoami" });

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

let issuer: string;
let issuerServer: Server;
let served: ServedFixture;
let signingKey: SigningKey;

/** Starts an issuer that gives client `agent` tokens for the resource. */
async function startIssuer(): Promise<void> {
	issuerServer = createServer();
	issuerServer.listen(0, "127.0.0.1");
	await once(issuerServer, "listening");
	issuer = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}`;
	const pair = await generateKeyPair("ES256", { extractable: true });
	signingKey = pair.privateKey;
	const jwk = { ...(await exportJWK(signingKey)), alg: "ES256", use: "sig", kid: "test" };
	const provider = new Provider(issuer, {
		jwks: { keys: [jwk] },
		scopes: ["rollcall:read", "rollcall:other"],
		clients: [
			{
				client_id: "agent",
				client_secret: SECRET,
				id_token_signed_response_alg: "ES256",
				grant_types: ["client_credentials"],
				redirect_uris: [],
				response_types: [],
			},
		],
		features: {
			clientCredentials: { enabled: true },
			devInteractions: { enabled: false },
			resourceIndicators: {
				enabled: true,
				getResourceServerInfo: (_context: unknown, resource: string) => ({
					scope: "rollcall:read rollcall:other",
					audience: resource,
					accessTokenFormat: "jwt",
					accessTokenTTL: 600,
					jwt: { sign: { alg: "ES256" } },
				}),
			},
		},
	});
	issuerServer.on("request", provider.callback());
}

async function tokenOf(resource: string, scope: string): Promise<string> {
	const response = await fetch(`${issuer}/token`, {
		method: "POST",
		headers: {
			authorization: `Basic ${Buffer.from(`agent:${encodeURIComponent(SECRET)}`).toString("base64")}`,
		},
		body: new URLSearchParams({ grant_type: "client_credentials", resource, scope }),
	});
	const body = (await response.json()) as { access_token?: string };
	assert.equal(response.status, 200, JSON.stringify(body));
	return body.access_token as string;
}

/** A token signed by the issuer's key, with claims of the test's choice. */
function signed(claims: Record<string, unknown>, key: SigningKey = signingKey): Promise<string> {
	const nowS = Math.floor(served.clock.nowMs / 1_000);
	const usual = { iss: issuer, aud: RESOURCE, scope: "rollcall:read", exp: nowS + 600 };
	return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: "ES256", kid: "test" }).sign(key);
}

before(async () => {
	await startIssuer();
	const first = await ServedFixture.start(ANY_TRANSPORT);
	const { id } = await first.keyWithId({
		name: "of agents",
		scope: { geography: { countries: [], states: ["TX"] } },
	});
	await first.stop();
	served = await ServedFixture.start(ANY_TRANSPORT, {
		data: first.dataFolder,
		oauth_issuer: issuer,
		oauth_resource: RESOURCE,
		oauth_grants: [["rollcall:read", id]],
		trusted_proxies: ["127.0.0.1"],
		failed_keys_per_minute: 60,
	});
	// Tokens of the issuer are dated by the real clock.
	served.clock.nowMs = Date.now();
});
after(async () => {
	await served?.close();
	issuerServer?.closeAllConnections();
	issuerServer?.close();
});

test("the metadata names the issuer, and a 401 names the metadata", async () => {
	for (const path of ["", "/mcp"]) {
		const { status, text, headers } = await served.request(`/.well-known/oauth-protected-resource${path}`);
		assert.equal(status, 200);
		assert.equal(headers.get("vary"), "Origin", "caches keep it, and pages need another header");
		const metadata = JSON.parse(text);
		assert.equal(metadata.resource, RESOURCE);
		assert.deepEqual(metadata.authorization_servers, [issuer]);
		assert.deepEqual(metadata.scopes_supported, ["rollcall:read"]);
	}
	const { status, headers } = await post(served, null, WHOAMI);
	assert.equal(status, 401);
	assert.match(
		headers.get("www-authenticate") ?? "",
		/resource_metadata="https:\/\/api\.example\.com\/\.well-known\/oauth-protected-resource\/mcp"$/,
		"without a token nothing is wrong with it",
	);
});

test("a token of the issuer has the grant of the key that its scope is mapped to", async () => {
	const token = await tokenOf(RESOURCE, "rollcall:read");
	for (let i = 0; i < 2; i++) {
		const { status, body } = await post(served, token, WHOAMI);
		assert.equal(status, 200, JSON.stringify(body));
		assert.match(JSON.stringify(body?.result?.structuredContent), /"name":"of agents"/);
	}
	const outside = request("tools/call", { name: "search_licenses", arguments: { state: "CA" } });
	assert.match(JSON.stringify((await post(served, token, outside)).body), /scope_denied/);
	const init = { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(WHOAMI) };
	const inQuery = await served.refused(`/mcp?access_token=${token}`, token, init);
	assert.deepEqual([inQuery.status, inQuery.code], [400, "invalid_parameter"]);
});

test("a token that asks for a stream is 405 whether or not it was verified before, and 401 if it is not valid", async () => {
	const get = (token: string) => served.request("/mcp", token, { headers: { accept: "text/event-stream" } });
	const token = await signed({ jti: "a stream" });
	for (let again = 0; again < 2; again++) assert.equal((await get(token)).status, 405);
	assert.equal((await post(served, token, WHOAMI)).status, 200);
	const refused = await get(await signed({ aud: "https://other.example.com" }));
	assert.equal(refused.status, 401);
	assert.match(refused.headers.get("www-authenticate") ?? "", /resource_metadata=.*error="invalid_token"/);
});

test("tokens of other audiences, issuers, keys and times are refused as keys that are not valid", async () => {
	const stranger = (await generateKeyPair("ES256")).privateKey;
	const nowS = Math.floor(served.clock.nowMs / 1_000);
	const none = Buffer.from('{"alg":"none"}').toString("base64url");
	const tokens = [
		await tokenOf("https://other.example.com/mcp", "rollcall:read"),
		await signed({ aud: "https://other.example.com" }),
		await signed({ iss: "https://other.example.com" }),
		await signed({ exp: nowS - 1 }),
		await signed({ exp: undefined }),
		await signed({ nbf: nowS + 60 }),
		await signed({}, stranger),
		`${none}.${(await signed({})).split(".")[1]}.AA`,
		"a.b.c",
	];
	for (const token of tokens) {
		const { status, body, headers } = await post(served, token, WHOAMI);
		assert.equal(status, 401, token);
		assert.equal(body?.error?.code, "unauthorized");
		assert.match(headers.get("www-authenticate") ?? "", /resource_metadata=.*, error="invalid_token"$/);
	}
	assert.equal((await post(served, await signed({}), WHOAMI)).status, 200, "the claims are what was refused");
});

test("a token without a mapped scope is scope_denied", async () => {
	const token = await tokenOf(RESOURCE, "rollcall:other");
	const challenge = /^Bearer .*resource_metadata=.*, error="insufficient_scope", scope="rollcall:read"$/;
	// Verified once, however often it is sent: every user of the issuer could use up the verifications of others.
	for (let i = 0; i < 60; i++) {
		const { status, body, headers } = await post(served, token, WHOAMI);
		assert.deepEqual([status, body?.error?.code], [403, "scope_denied"]);
		assert.match(headers.get("www-authenticate") ?? "", challenge);
	}
	const stream = await served.request("/mcp", token, { headers: { accept: "text/event-stream" } });
	assert.equal(stream.status, 403);
	assert.match(stream.headers.get("www-authenticate") ?? "", challenge, "as of a stream too");
	for (const scope of [undefined, 1, { toString: 1 }, ["rollcall:other"]])
		assert.equal((await post(served, await signed({ scope }), WHOAMI)).status, 403, JSON.stringify(scope));
	assert.equal((await post(served, await signed({ jti: "after" }), WHOAMI)).status, 200);
});

test("a token is verified until it expires, and only at the tool server", async () => {
	const token = await signed({});
	assert.equal((await post(served, token, WHOAMI)).status, 200);
	assert.equal((await served.request("/v1/me", token)).status, 401);
	served.clock.nowMs += 601_000;
	assert.equal((await post(served, token, WHOAMI)).status, 401);
	served.clock.nowMs = Date.now();
});

test("a token that expires while its body comes is refused, and a stream of one ends when it expires", async (t) => {
	const token = await signed({ jti: "short" });
	assert.equal((await post(served, token, WHOAMI)).status, 200);
	const body = JSON.stringify(WHOAMI);
	const socket = connect(served.port, "127.0.0.1");
	t.after(() => socket.destroy());
	socket.write(
		`POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n` +
			`Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n${body[0]}`,
	);
	await once(socket, "connect");
	const version = "2026-07-28";
	const listen = request("subscriptions/listen", {
		notifications: {},
		_meta: {
			"io.modelcontextprotocol/protocolVersion": version,
			"io.modelcontextprotocol/clientCapabilities": {},
		},
	});
	const stream = await fetch(`http://127.0.0.1:${served.port}/mcp`, {
		method: "POST",
		headers: {
			...JSON_HEADERS,
			authorization: `Bearer ${token}`,
			"mcp-protocol-version": version,
			"mcp-method": "subscriptions/listen",
		},
		body: JSON.stringify(listen),
	});
	assert.equal(stream.status, 200);
	const ended = stream.text();
	served.clock.nowMs += 601_000;
	served.scheduler.tick();
	socket.write(body.slice(1));
	const [answer] = await once(socket, "data");
	assert.match(String(answer), /^HTTP\/1\.1 401 .*WWW-Authenticate: Bearer [^\r]*error="invalid_token"\r/is);
	assert.match(String(answer), /The access token expired/);
	assert.match(await ended, /"resultType":"complete"/);
	served.clock.nowMs = Date.now();
});

test("tokens that were not seen before are verified at a bounded rate", async () => {
	const statuses = new Set<number>();
	for (let i = 0; i < 60; i++) statuses.add((await post(served, `a.b.c${i}`, WHOAMI)).status);
	assert.deepEqual([...statuses].sort(), [401, 503]);
	served.clock.nowMs += 1_000;
	assert.equal((await post(served, await signed({}), WHOAMI)).status, 200);
});

test("an address that floods invalid tokens leaves the verifications of later seconds to others", async () => {
	served.clock.nowMs += 60_000;
	const flood = async (requests: number) => {
		const statuses: number[] = [];
		for (let i = 0; i < requests; i++)
			statuses.push((await post(served, `a.b.f${i}`, WHOAMI, { "X-Forwarded-For": "192.0.2.1" })).status);
		return new Set(statuses);
	};
	assert.deepEqual(await flood(70), new Set([401, 503, 429]));
	served.clock.nowMs += 1_000;
	assert.deepEqual(await flood(60), new Set([429]));
	const { status } = await post(served, await signed({ jti: "other" }), WHOAMI, {
		"X-Forwarded-For": "192.0.2.2",
	});
	assert.equal(status, 200);
});

test("while the issuer cannot be reached, new tokens are 503 and keys go on; it is asked again", async (t) => {
	// Answers nothing but an error until it is told to be the issuer.
	let isUp = false;
	let asked = 0;
	let padding = "";
	const { d: _, ...publicJwk } = await exportJWK(signingKey);
	const proxy = createServer((incoming, outgoing) => {
		asked++;
		outgoing.statusCode = isUp ? 200 : 502;
		const jwks = { keys: [{ ...publicJwk, kid: "test", alg: "ES256", use: "sig" }] };
		const own = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
		const metadata = { issuer: own, jwks_uri: `${own}/jwks`, padding };
		outgoing.end(JSON.stringify(incoming.url === "/jwks" ? jwks : metadata));
	});
	proxy.listen(0, "127.0.0.1");
	await once(proxy, "listening");
	t.after(() => {
		proxy.closeAllConnections();
		proxy.close();
	});
	const away = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	const own = await ServedFixture.start(ANY_TRANSPORT);
	const { id } = await own.keyWithId({ name: "of agents" });
	await own.stop();
	const other = await ServedFixture.start(ANY_TRANSPORT, {
		data: own.dataFolder,
		oauth_issuer: away,
		oauth_resource: RESOURCE,
		oauth_grants: [["rollcall:read", id]],
	});
	t.after(() => other.close());
	other.clock.nowMs = Date.now();
	const token = await signed({ iss: away });
	for (let i = 0; i < 2; i++) {
		const { status, body } = await post(other, token, WHOAMI);
		assert.equal(status, 503);
		assert.equal(body?.error?.code, "unavailable");
		assert.match(body?.error?.message ?? "", /the issuer does not answer/);
	}
	assert.equal((await post(other, await other.key(), WHOAMI)).status, 200);
	assert.equal(asked, 1, "it is not asked anew for every token of a stranger");
	isUp = true;
	other.clock.nowMs += 1_000;
	padding = " ".repeat(1 << 20);
	assert.equal((await post(other, token, WHOAMI)).status, 503, "no more is read than metadata has");
	padding = "";
	other.clock.nowMs += 1_000;
	assert.equal((await post(other, token, WHOAMI)).status, 200);
	isUp = false;
	assert.equal((await post(other, token, WHOAMI)).status, 200, "a token that was verified stays so");
});

test("keys are taken as without an issuer", async () => {
	assert.equal((await post(served, await served.key(), WHOAMI)).status, 200);
	assert.equal((await post(served, "nonsense", WHOAMI)).status, 401);
});
