/** Floods of wrong keys: their senders are throttled, and nobody else is affected. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyText } from "../../server/keys/key-text.js";
import { suspendKey } from "../../server/keys/lifecycle.js";
import { AddressLimit } from "../../server/limits/address-limit.js";
import { NOON_MS, OPERATOR } from "../keys/scratch.js";
import { overBothTransports, type Refusal, type ServedFixture } from "./served.js";

const PER_MINUTE = 5;
const MINUTE_MS = 60_000;

function from(address: string): { headers: Record<string, string> } {
	return { headers: { "X-Forwarded-For": address } };
}

function wrong(served: ServedFixture, address: string, path = "/v1/me"): Promise<Refusal> {
	return served.refused(path, createKeyText(), from(address));
}

/** Sends wrong keys until they are refused for their number. */
async function exhaust(served: ServedFixture, address: string): Promise<Refusal> {
	for (let i = 0; i < PER_MINUTE; i++) assert.equal((await wrong(served, address)).code, "unauthorized");
	const refusal = await wrong(served, address);
	assert.equal(refusal.code, "rate_limited");
	return refusal;
}

overBothTransports(
	"wrong keys beyond a number",
	(served) => {
		test("get 429 and the time to wait, until the next minute", async () => {
			const { status, headers, message } = await exhaust(served(), "203.0.113.1");
			assert.equal(status, 429);
			// The fixture's clock is 30.4 s into the minute.
			assert.equal(headers.get("retry-after"), "30");
			assert.match(message, /not valid.*retry in 30 s/);
			served().clock.nowMs += 29_600;
			assert.equal((await wrong(served(), "203.0.113.1")).code, "unauthorized");
			served().clock.nowMs = NOON_MS;
		});

		test("do not affect a valid key of the same address", async () => {
			const key = await served().key();
			await exhaust(served(), "203.0.113.2");
			assert.equal((await served().request("/v1/me", key, from("203.0.113.2"))).status, 200);
			assert.equal((await wrong(served(), "203.0.113.2")).code, "rate_limited");
			assert.equal((await served().request("/v1/me", key, from("203.0.113.2"))).status, 200);
		});

		test("of one address do not count for another; of one IPv6 network they do", async () => {
			await exhaust(served(), "203.0.113.3");
			assert.equal((await wrong(served(), "203.0.113.4")).code, "unauthorized");
			await exhaust(served(), "2001:db8:5:5::1");
			assert.equal((await wrong(served(), "2001:db8:5:5::2")).code, "rate_limited");
			assert.equal((await wrong(served(), "2001:db8:5:6::1")).code, "unauthorized");
		});

		test("are counted on every path that takes a key, and no other failure is", async () => {
			const address = "203.0.113.5";
			const { id, text } = await served().keyWithId();
			await suspendKey(served().keys, id, OPERATOR);
			await served().access.settle();
			for (let i = 0; i < 2 * PER_MINUTE; i++) {
				assert.equal((await served().refused("/v1/me", null, from(address))).code, "unauthorized");
				assert.equal((await served().refused("/v1/me", text, from(address))).code, "key_suspended");
				assert.equal((await served().request("/v1/health", "nonsense", from(address))).status, 200);
			}
			for (const path of ["/v1/licenses", "/v1/licenses/1", "/v1/stats", "/nowhere"])
				assert.equal((await wrong(served(), address, path)).code, "unauthorized", path);
			const headers = { "content-type": "application/json", "X-Forwarded-For": address };
			const call = { method: "POST", headers, body: "{}" };
			assert.equal((await served().refused("/mcp", "nonsense", call)).code, "unauthorized");
			assert.equal((await served().refused("/mcp", "nonsense", call)).code, "rate_limited");
			const malformed = { headers: { "X-Forwarded-For": address, authorization: "Basic eDp5" } };
			assert.equal((await served().refused("/v1/me", null, malformed)).code, "rate_limited");
		});

		test("from this machine are not limited", async () => {
			for (let i = 0; i < 4 * PER_MINUTE; i++)
				assert.equal((await served().refused("/v1/me", createKeyText())).code, "unauthorized");
		});
	},
	{ failed_keys_per_minute: PER_MINUTE, trusted_proxies: ["127.0.0.0/8"] },
);

overBothTransports(
	"an X-Forwarded-For from whoever is not trusted",
	(served) => {
		test("attributes no wrong key to another address", async () => {
			for (let i = 0; i < 4 * PER_MINUTE; i++)
				assert.equal((await wrong(served(), "203.0.113.6")).code, "unauthorized");
		});
	},
	{ failed_keys_per_minute: PER_MINUTE },
);

test("a thousand addresses with a thousand wrong keys each are distinguished, in constant memory", () => {
	const failed = new AddressLimit("test", PER_MINUTE);
	const early = new Set<number>();
	for (let i = 0; i < PER_MINUTE; i++)
		for (let address = 0; address < 1_000; address++)
			if (failed.take(`10.0.${address >> 8}.${address & 255}`, NOON_MS) > 0) early.add(address);
	// Collisions in both counters: 13 of a thousand are expected.
	assert.ok(early.size <= 35, `${early.size} of 1,000 addresses were taken for another`);
	for (let address = 0; address < 1_000; address++)
		assert.ok(failed.take(`10.0.${address >> 8}.${address & 255}`, NOON_MS) > 0);
	assert.equal(failed.counted, (PER_MINUTE + 1) * 1_000);
	assert.equal(failed.take("10.0.0.0", NOON_MS + MINUTE_MS), 0, "a minute later all is forgotten");
});

test("the wait is a whole number of seconds, at least one", () => {
	const failed = new AddressLimit("test", 1);
	const lastMs = NOON_MS - (NOON_MS % MINUTE_MS) + MINUTE_MS - 1;
	failed.take("10.0.0.1", lastMs);
	assert.equal(failed.take("10.0.0.1", lastMs), 1);
	assert.equal(new AddressLimit("test", 0).take("10.0.0.1", lastMs), 0, "0 is no limit");
});
