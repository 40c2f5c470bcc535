/** What is kept of the usage that other hosts counted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ENDPOINTS } from "../../server/limits/usage-codes.js";
import { dayOf } from "../../server/limits/windows.js";
import { outboxOf, storedElsewhere, UsageExchange } from "../../server/shared-state/usage-exchange.js";
import { addKey, NOON_MS, scratchStore } from "../keys/scratch.js";

test("a single request on another host is kept, and no longer once the shared store has none", async (t) => {
	const store = scratchStore(t);
	const { id } = (await addKey(store)).record;
	let requests = 1;
	const exchange = new UsageExchange({
		store,
		outbox: outboxOf(store),
		runner: {
			run: async (_script, [, ...days]) => [
				0,
				days.map((_, i) => ENDPOINTS.map((_, code) => (i === 0 && code === 2 ? requests : 0))),
			],
		},
		host: "host",
		ready: () => true,
		onRenumber: () => assert.fail("nothing was sent"),
	});
	const elsewhere = storedElsewhere(store, () => null);
	const today = dayOf(NOON_MS);
	await exchange.read(id, NOON_MS);
	assert.deepEqual(
		elsewhere.usage(id, today),
		ENDPOINTS.map((_, code) => (code === 2 ? 1 : 0)),
	);
	assert.deepEqual(elsewhere.usage(id, today - 1), []);
	requests = 0;
	await exchange.read(id, NOON_MS);
	assert.deepEqual(elsewhere.usage(id, today), []);
});
