/** Every response describes a limit: the key's, or else that of the client's address (docs/API.md §5.2). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyText } from "../../server/keys/key-text.js";
import { suspendKey } from "../../server/keys/lifecycle.js";
import { NOON_MS, OPERATOR } from "../keys/scratch.js";
import { overBothTransports, type RequestOptions } from "./served.js";

const PER_MINUTE = 50;
const FAILED_PER_MINUTE = 40;
/** The fixture's clock stands at 30.4 s past the minute. */
const RESET = "30";
const UNLIMITED = "999999999999999";

function from(address: string, more: RequestOptions = {}): RequestOptions {
	return { ...more, headers: { ...more.headers, "X-Forwarded-For": address } };
}

interface Window {
	readonly limit: string | null;
	readonly remaining: string | null;
	readonly reset: string | null;
}

function windowOf(headers: Headers): Window {
	return {
		limit: headers.get("ratelimit-limit"),
		remaining: headers.get("ratelimit-remaining"),
		reset: headers.get("ratelimit-reset"),
	};
}

overBothTransports(
	"the limit headers",
	(served) => {
		test("of requests without a key count down the address's window", async () => {
			const address = "203.0.113.1";
			let remaining = PER_MINUTE;
			const requests: readonly (readonly [string, number, RequestOptions])[] = [
				["/openapi.json", 200, {}],
				["/docs", 200, { method: "HEAD" }],
				["/nowhere", 404, {}],
				["/v1/me", 401, {}],
				["/v1/licenses?limit=x", 401, {}],
				["/mcp", 401, { method: "GET" }],
				["/v1/me", 204, { method: "OPTIONS" }],
				["/docs", 405, { method: "POST" }],
				["/v1/me?api_key=x", 401, {}],
			];
			for (const [path, status, init] of requests) {
				const answer = await served().request(path, null, from(address, init));
				assert.equal(answer.status, status, path);
				const expected = { limit: String(PER_MINUTE), remaining: String(--remaining), reset: RESET };
				assert.deepEqual(windowOf(answer.headers), expected, path);
				assert.equal(answer.headers.get("ratelimit-policy"), `"address";q=${PER_MINUTE};w=60`);
			}
			const other = await served().request("/v1/health", null, from("203.0.113.2"));
			assert.equal(windowOf(other.headers).remaining, String(PER_MINUTE), "health counts nothing");
		});

		test("of documentation count files as one request for every 64 KiB begun of what is sent", async () => {
			const address = "203.0.113.3";
			const ask = (method: string) =>
				served().request(
					"/openapi.json",
					null,
					from(address, { method, headers: { "Accept-Encoding": "identity" } }),
				);
			const { headers } = await ask("GET");
			const counted = Math.ceil(Number(headers.get("content-length")) / 65_536);
			assert.ok(counted > 1, `${counted}`);
			assert.equal(windowOf(headers).remaining, String(PER_MINUTE - counted));
			assert.equal(windowOf((await ask("HEAD")).headers).remaining, String(PER_MINUTE - counted - 1));
		});

		test("of invalid keys count down the window of invalid keys", async () => {
			for (let i = 1; i <= 3; i++) {
				const { headers } = await served().refused("/v1/me", createKeyText(), from("203.0.113.3"));
				const remaining = String(FAILED_PER_MINUTE - i);
				assert.deepEqual(windowOf(headers), { limit: String(FAILED_PER_MINUTE), remaining, reset: RESET });
			}
		});

		test("of a suspended key, and of a key's errors, are the key's", async () => {
			const { id, text } = await served().keyWithId({
				rate_limits: { per_minute: 7, per_day: null, monthly_quota: null },
			});
			for (const path of ["/v1/licenses?limit=x", "/nowhere", "/v1/licenses/1"]) {
				const { headers } = await served().refused(path, text);
				assert.equal(windowOf(headers).limit, "7", path);
			}
			await suspendKey(served().keys, id, OPERATOR);
			await served().access.settle();
			const { headers, code } = await served().refused("/v1/me", text);
			assert.equal(code, "key_suspended");
			assert.deepEqual(windowOf(headers), { limit: "7", remaining: "4", reset: RESET });
		});

		test("of a key without limits are the largest number", async () => {
			const rate_limits = { per_minute: null, per_day: null, monthly_quota: null };
			const { headers } = await served().request("/v1/me", await served().key({ rate_limits }));
			assert.deepEqual(windowOf(headers), { limit: UNLIMITED, remaining: UNLIMITED, reset: RESET });
		});

		test("of a 304, a preflight and a shed request are there", async () => {
			const key = await served().key();
			const first = await served().request("/v1/states", key);
			const again = await served().request("/v1/states", key, {
				headers: { "if-none-match": first.headers.get("etag") ?? "" },
			});
			assert.equal(again.status, 304);
			assert.equal(windowOf(again.headers).limit, "6000");
			const { load } = served().app;
			const { pending } = load;
			load.pending = 1_000_000;
			try {
				const { status, headers } = await served().refused("/v1/me", key);
				assert.equal(status, 503);
				assert.equal(windowOf(headers).limit, String(PER_MINUTE));
			} finally {
				load.pending = pending;
			}
		});

		test("refuse an address beyond its window with the time to wait, health and valid keys aside", async () => {
			const address = "203.0.113.4";
			const key = await served().key();
			for (let i = 0; i < PER_MINUTE; i++)
				assert.equal((await served().request("/openapi.json", null, from(address))).status, 200);
			for (const path of ["/openapi.json", "/nowhere", "/v1/me"]) {
				const { status, code, headers } = await served().refused(path, null, from(address));
				assert.equal(status, 429, path);
				assert.equal(code, "rate_limited");
				assert.equal(headers.get("retry-after"), RESET);
				assert.deepEqual(windowOf(headers), { limit: String(PER_MINUTE), remaining: "0", reset: RESET });
			}
			assert.equal((await served().request("/v1/health", null, from(address))).status, 200);
			assert.equal((await served().request("/v1/me", key, from(address))).status, 200);
			assert.equal((await served().request("/docs", null, from("203.0.113.5"))).status, 200);
			served().clock.nowMs += 29_600;
			assert.equal((await served().request("/docs", null, from(address))).status, 200);
			served().clock.nowMs = NOON_MS;
		});

		test("never refuse this machine's own addresses", async () => {
			for (let i = 0; i < 2 * PER_MINUTE; i++)
				assert.equal((await served().request("/docs", null)).status, 200);
		});
	},
	{
		keyless_per_minute: PER_MINUTE,
		failed_keys_per_minute: FAILED_PER_MINUTE,
		trusted_proxies: ["127.0.0.0/8"],
	},
);
