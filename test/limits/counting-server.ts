/** The counting of one server process over a store, and a key to count. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { KeyDirectory } from "../../server/keys/directory.js";
import type { Key } from "../../server/keys/key.js";
import { SharedCounters } from "../../server/limits/counters.js";
import { Ledger } from "../../server/limits/ledger.js";
import { SharedLimits } from "../../server/limits/shared-limits.js";
import type { Endpoint } from "../../server/limits/usage-codes.js";
import { StoredUsage } from "../../server/limits/usage-reader.js";
import type { Store } from "../../server/store/store.js";
import { addKey, type SetClock, scratchStore } from "../keys/scratch.js";

/** A server's counting over `store`, flushed explicitly. */
export function serve(store: Store, clock: SetClock) {
	const directory = new KeyDirectory(store);
	const counters = SharedCounters.allocate(64);
	const ledger = new Ledger({ store, directory, counters, clock });
	const limits = new SharedLimits(counters);
	const usage = new StoredUsage(store, directory, counters);
	const keyNamed = (id: string): Key => {
		const key = directory.find(id);
		assert.ok(key !== undefined);
		return key;
	};
	const take = (id: string, requests: number, endpoint: Endpoint = "/v1/licenses") => {
		let allowed = 0;
		for (let i = 0; i < requests; i++)
			if (limits.take(keyNamed(id), endpoint, clock.now()).allowed) allowed++;
		return allowed;
	};
	return { directory, counters, ledger, limits, usage, keyNamed, take };
}

/** A store with two keys; the id of the second, so that its slot is not the first. */
export async function newKey(t: TestContext) {
	const store = scratchStore(t);
	await addKey(store);
	const { id } = (await addKey(store, { rate_limits: { per_minute: 50, per_day: 80, monthly_quota: 90 } }))
		.record;
	return { store, id };
}
