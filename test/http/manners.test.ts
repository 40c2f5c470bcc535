/** Answers on the wire: methods, headers, compression, entity tags, cross-origin rules, limits. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { DOCUMENT } from "./document-check.js";
import { sendRaw } from "./raw-socket.js";
import { overBothTransports, type ServedFixture } from "./served.js";

const PATHS = [
	"/v1/health",
	"/v1/me",
	"/v1/usage",
	"/v1/snapshots",
	"/v1/states",
	"/v1/stats",
	"/v1/suggest?field=city&q=sa",
	"/v1/licenses?limit=2",
	"/v1/licenses?limit=2&format=csv",
	"/v1/licenses/32200000101",
	"/v1/licenses/history?state=TX&license_number=TX-1",
	"/nowhere",
	"/v1/licenses?nonsense=1",
];

/** Paths whose answers have an entity tag. */
const TAGGED = [
	"/v1/snapshots",
	"/v1/states",
	"/v1/stats",
	"/v1/suggest?field=city&q=sa",
	"/v1/licenses?limit=2",
	"/v1/licenses?limit=2&format=ndjson",
	"/v1/licenses/32200000101",
	"/v1/licenses/history?state=TX&license_number=TX-1",
];

overBothTransports("manners", (served) => {
	test("every answer has a unique id and the security headers", async () => {
		const key = await served().key();
		const ids = new Set<string | null>();
		for (const path of PATHS) {
			const { headers } = await served().request(path, key);
			ids.add(headers.get("x-request-id"));
			assert.equal(headers.get("x-content-type-options"), "nosniff", path);
			assert.match(headers.get("cache-control") ?? "", /private|no-store/, path);
			assert.equal(headers.get("set-cookie"), null);
		}
		assert.equal(ids.size, PATHS.length);
		assert.ok(!ids.has(null));
	});

	test("HEAD answers as GET does, without the body", async () => {
		const key = await served().key();
		for (const path of PATHS) {
			const headers = { "accept-encoding": "identity" };
			const get = await served().request(path, key, { headers });
			const head = await served().request(path, key, { headers, method: "HEAD" });
			assert.equal(head.status, get.status, path);
			assert.equal(head.text, "");
			assert.equal(head.headers.get("content-length"), String(Buffer.byteLength(get.text)), path);
			assert.equal(head.headers.get("content-type"), get.headers.get("content-type"), path);
			assert.equal(head.headers.get("etag"), get.headers.get("etag"), path);
		}
	});

	test("HEAD has the coding of GET, and its length or none, whether or not the answer was compressed before", async () => {
		const key = await served().key();
		// None of these was asked before.
		for (const path of ["/v1/licenses?limit=99", "/v1/stats?state=TX", "/openapi.json"]) {
			for (const coding of ["gzip", "br;q=0.5, gzip;q=0", "identity"]) {
				const headers = { "accept-encoding": coding };
				const before = await served().request(path, key, { headers, method: "HEAD" });
				const get = await served().request(path, key, { headers });
				const after = await served().request(path, key, { headers, method: "HEAD" });
				const length = get.headers.get("content-length");
				for (const head of [before, after]) {
					assert.equal(head.headers.get("content-encoding"), get.headers.get("content-encoding"), path);
					assert.ok([null, length].includes(head.headers.get("content-length")), `${path} ${coding}`);
				}
			}
		}
	});

	test("OPTIONS needs no key and lists the methods", async () => {
		for (const path of ["/v1/health", "/v1/licenses", "/v1/licenses/5", "/v1/me"]) {
			const { status, headers, text } = await served().request(path, null, { method: "OPTIONS" });
			assert.equal(status, 204);
			assert.equal(text, "");
			assert.equal(headers.get("allow"), "GET, HEAD, OPTIONS");
		}
		assert.equal((await served().request("/nowhere", null, { method: "OPTIONS" })).status, 404);
	});

	test("another method is 405 with Allow, and 401 without a key", async () => {
		const key = await served().key();
		for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
			const refusal = await served().refused("/v1/licenses", key, { method });
			assert.equal(refusal.status, 405);
			assert.equal(refusal.code, "method_not_allowed");
			assert.equal(refusal.headers.get("allow"), "GET, HEAD, OPTIONS");
			assert.notEqual(refusal.headers.get("ratelimit-remaining"), null);
		}
		assert.equal((await served().refused("/v1/licenses", null, { method: "POST" })).status, 401);
		assert.equal((await served().refused("/v1/health", null, { method: "POST" })).status, 405);
		const withBody = await served().refused("/v1/licenses", key, { method: "POST", body: "{}" });
		assert.equal(withBody.status, 405);
	});

	test("an unknown path is 404 with the error body and a key's limit headers", async () => {
		const key = await served().key();
		for (const path of [
			"/",
			"/v1",
			"/v1/",
			"/v1/licenses/",
			"/v1/licenses/1/2",
			"/V1/me",
			"/v1/me/",
			"/v2/me",
			"/v1//me",
		]) {
			const refusal = await served().refused(path, key);
			assert.equal(refusal.status, 404, path);
			assert.equal(refusal.code, "not_found");
			assert.notEqual(refusal.headers.get("ratelimit-limit"), null);
		}
		for (const [path, meant] of [
			["/v1/licences", "/v1/licenses"],
			["/v1/licenses/", "/v1/licenses"],
			["/V1/me", "/v1/me"],
			["/licenses", "/v1/licenses"],
			["/v1/history", "/v1/licenses/history"],
			["/v1/openapi.json", "/openapi.json"],
			["/v1/state", "/v1/states"],
			["/v1/agents", null],
			["/v1/x", null],
		]) {
			const { message } = await served().refused(path as string, key);
			assert.equal(/did you mean (\S+)\?/.exec(message)?.[1] ?? null, meant, message);
		}
		assert.equal((await served().refused("/nowhere", null)).status, 404);
		assert.equal((await served().refused("/nowhere", "no-such-key")).status, 401);
	});

	test("a missing or wrong key is challenged", async () => {
		const key = await served().key();
		const cases: Record<string, string>[] = [
			{},
			{ authorization: "Bearer nonsense" },
			{ authorization: `Basic ${key}` },
			{ authorization: key },
			{ "x-api-key": "nonsense" },
			{ authorization: "Bearer nonsense", "x-api-key": key },
		];
		for (const headers of cases) {
			const refusal = await served().refused("/v1/me", null, { headers });
			assert.equal(refusal.status, 401, JSON.stringify(headers));
			assert.equal(refusal.code, "unauthorized");
			assert.match(refusal.headers.get("www-authenticate") ?? "", /^Bearer/);
		}
		assert.equal((await served().request("/v1/me", null, { headers: { "x-api-key": key } })).status, 200);
	});

	test("a key in the query string is refused, with or without a good one in a header", async () => {
		const key = await served().key();
		const alone = await served().refused(`/v1/me?api_key=${key}`, null);
		assert.equal(alone.status, 401);
		assert.match(alone.message, /query string/);
		const both = await served().refused(`/v1/me?api_key=${key}`, key);
		assert.equal(both.status, 400);
		assert.ok(!both.message.includes(key));
	});

	test("no error shows a key that a request has in the wrong place", async () => {
		const key = await served().key();
		const misplaced = [`/v1/${key}`, `/v1/licenses/${key}`];
		for (const query of [
			`limit=${key}`,
			`state=${key}`,
			`${key}=1`,
			`fields=id,${key}`,
			`sort=${"x".repeat(9)}${key}`,
		])
			misplaced.push(`/v1/licenses?${query}`);
		for (const path of misplaced) {
			const { text } = await served().request(path, key);
			assert.ok(!text.includes(key.slice(0, 20)), text);
			assert.match(text, /rollcall_…/);
			const accept = { headers: { accept: "application/problem+json" } };
			const problem = await served().request(path, key, accept);
			assert.ok(!problem.text.includes(key.slice(0, 20)), problem.text);
		}
	});

	test("If-None-Match with the entity tag is 304", async () => {
		const key = await served().key();
		for (const path of TAGGED) {
			const first = await served().request(path, key);
			const tag = first.headers.get("etag") ?? "";
			assert.match(tag, /^W\/"[^"]+"$/, path);
			for (const ifNoneMatch of [tag, `"other", ${tag}`, tag.slice(2), "*"]) {
				const { status, text, headers } = await served().request(path, key, {
					headers: { "if-none-match": ifNoneMatch },
				});
				assert.equal(status, 304, `${path} ${ifNoneMatch}`);
				assert.equal(text, "");
				assert.equal(headers.get("etag"), tag);
				assert.notEqual(headers.get("ratelimit-remaining"), null);
			}
			const changed = await served().request(path, key, { headers: { "if-none-match": 'W/"other"' } });
			assert.equal(changed.status, 200);
		}
	});

	test("the entity tag follows the query, the format, the grant and the masking, not the spelling", async () => {
		const full = await served().key();
		const masked = await served().key({ tier: "trial" });
		const narrow = await served().key({ scope: { geography: { countries: [], states: ["CA"] } } });
		const tagOf = async (path: string, key: string) =>
			(await served().request(path, key)).headers.get("etag");
		const base = "/v1/licenses?state=CA&limit=2";
		const tags = [
			await tagOf(base, full),
			await tagOf(base, masked),
			await tagOf(base, narrow),
			await tagOf(`${base}&format=csv`, full),
			await tagOf(`${base}&page=2`, full),
			await tagOf(`${base}&snapshot=2026-10`, full),
			await tagOf(`${base}&fields=id`, full),
			await tagOf(`${base}&count=false`, full),
		];
		assert.equal(new Set(tags).size, tags.length);
		assert.equal(await tagOf("/v1/licenses?limit=2&state=ca&order=asc", full), tags[0]);
	});

	test("gzip is sent where it is accepted and the body is large enough", async () => {
		const key = await served().key();
		const ask = (path: string, accept: string) =>
			rawRequest(served(), path, key, `Accept-Encoding: ${accept}\r\n`);
		const plain = await ask("/v1/licenses?limit=100", "identity");
		for (const accept of ["gzip", "br;q=1.0, gzip;q=0.5", "*", "deflate, GZIP"]) {
			for (let again = 0; again < 2; again++) {
				const packed = await ask("/v1/licenses?limit=100", accept);
				assert.match(packed.head, /content-encoding: gzip/i, accept);
				assert.match(packed.head, /vary: accept-encoding/i);
				assert.equal(gunzipSync(packed.body).toString("latin1"), plain.body.toString("latin1"));
			}
		}
		for (const accept of ["identity", "gzip;q=0", "br", "*;q=0"]) {
			const { head } = await ask("/v1/licenses?limit=100", accept);
			assert.doesNotMatch(head, /content-encoding/i, accept);
			assert.match(head, /vary: accept-encoding/i);
		}
		assert.doesNotMatch((await ask("/v1/health", "gzip")).head, /content-encoding/i, "too small to gain");
		const large = await ask("/v1/licenses?limit=1000", "gzip");
		const whole = await ask("/v1/licenses?limit=1000", "identity");
		assert.equal(gunzipSync(large.body).toString("latin1"), whole.body.toString("latin1"));
	});

	test("gzip is smaller than the body as it is, even of rows or hints as no drop has them", async () => {
		const key = await served().key();
		const unlike = encodeURIComponent("東".repeat(480));
		for (const path of [`/v1/licenses?city=${unlike}`, `/v1/licenses?format=csv&limit=20&city=${unlike}`]) {
			for (let again = 0; again < 3; again++) {
				const packed = await rawRequest(served(), path, key, "Accept-Encoding: gzip\r\n");
				const plain = await rawRequest(served(), path, key, "Accept-Encoding: identity\r\n");
				const isPacked = /content-encoding: gzip/i.test(packed.head);
				const body = isPacked ? gunzipSync(packed.body) : packed.body;
				assert.equal(body.toString("latin1"), plain.body.toString("latin1"));
				assert.ok(!isPacked || packed.body.length < plain.body.length, `${packed.body.length} bytes`);
				assert.equal(isPacked, plain.body.length >= 1_400);
			}
		}
	});

	test("pages of any origin may call the API with their own key", async () => {
		const key = await served().key();
		const headers = { origin: "https://app.example.com" };
		const answer = await served().request("/v1/licenses?limit=1", key, { headers });
		assert.equal(answer.headers.get("access-control-allow-origin"), "*");
		const exposed = (answer.headers.get("access-control-expose-headers") ?? "").toLowerCase().split(", ");
		for (const name of Object.keys(DOCUMENT.components.headers))
			assert.ok(exposed.includes(name.toLowerCase()), name);
		assert.equal(answer.headers.get("access-control-allow-credentials"), null);
		const preflight = await served().request("/v1/licenses", null, {
			method: "OPTIONS",
			headers: {
				...headers,
				"access-control-request-method": "GET",
				"access-control-request-headers": "authorization",
			},
		});
		assert.equal(preflight.status, 204);
		assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /Authorization/);
		assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /GET/);
	});

	test("every answer to a known key has limit headers, and a refused one Retry-After", async () => {
		const key = await served().key({ rate_limits: { per_minute: 3, monthly_quota: 50 } });
		const first = await served().request("/v1/me", key);
		assert.equal(first.headers.get("ratelimit-limit"), "3");
		assert.equal(first.headers.get("ratelimit-remaining"), "2");
		assert.equal(first.headers.get("ratelimit-reset"), "30");
		assert.equal(first.headers.get("x-quota-limit"), "50");
		assert.equal(first.headers.get("x-quota-used"), "1");
		assert.match(first.headers.get("ratelimit-policy") ?? "", /q=3/);
		assert.equal((await served().refused("/v1/me?x=1", key)).headers.get("ratelimit-remaining"), "1");
		assert.equal((await served().refused("/nowhere", key)).headers.get("ratelimit-remaining"), "0");
		const over = await served().refused("/v1/me", key);
		assert.equal(over.status, 429);
		assert.equal(over.code, "rate_limited");
		assert.equal(over.headers.get("retry-after"), "30");
		assert.equal(over.headers.get("x-quota-used"), "3");
	});
});

overBothTransports(
	"cross-origin rules by configuration",
	(served) => {
		test("only the origins configured may read answers", async () => {
			const ask = (origin: string) => served().request("/v1/health", null, { headers: { origin } });
			const ours = await ask("https://ours.example.com");
			assert.equal(ours.headers.get("access-control-allow-origin"), "https://ours.example.com");
			assert.match(ours.headers.get("vary") ?? "", /Origin/);
			const theirs = await ask("https://theirs.example.com");
			assert.equal(theirs.headers.get("access-control-allow-origin"), null);
			assert.match(theirs.headers.get("vary") ?? "", /Origin/);
		});
	},
	{ cors_origins: ["https://ours.example.com"] },
);

/** A request on a socket of its own, so that no client decodes the body. */
async function rawRequest(served: ServedFixture, path: string, key: string, headers: string) {
	const { text } = await sendRaw(
		served.port,
		`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n${headers}\r\n`,
	);
	const end = text.indexOf("\r\n\r\n");
	return { head: text.slice(0, end), body: Buffer.from(text.slice(end + 4), "latin1") };
}
