/** How long a host that starts without the shared store trusts its copy of the keys. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LeaseWords } from "../../server/limits/lease-words.js";
import { createLog } from "../../server/log.js";
import { KeyFollower } from "../../server/shared-state/key-follower.js";
import type { RedisLink } from "../../server/shared-state/redis.js";
import { SHARED_SCHEMAS } from "../../server/shared-state/shared-tables.js";
import { NOON_MS, SetClock, scratchStore } from "../keys/scratch.js";

const STALE_AFTER_MS = 60_000;
/** No step is made, so nothing is asked of it. */
const NO_LINK = {} as RedisLink;

test("keys are trusted from when they were last heard, and from the start if that is yet to come", async (t) => {
	for (const [heardMs, trustedMs] of [
		[NOON_MS - 20_000, STALE_AFTER_MS - 20_000],
		[NOON_MS + 3_600_000, STALE_AFTER_MS],
	]) {
		const store = scratchStore(t);
		const meta = store.table("shared_meta", SHARED_SCHEMAS.shared_meta);
		await store.transaction(() => meta.put("keys_heard_ms", String(heardMs)));
		const words = LeaseWords.allocate(1);
		const clock = new SetClock();
		const follower = new KeyFollower({
			store,
			words,
			link: NO_LINK,
			following: NO_LINK,
			host: "host",
			clock,
			log: createLog("silent"),
			staleAfterMs: STALE_AFTER_MS,
			onFailure: (error) => assert.fail(String(error)),
		});
		clock.nowMs += trustedMs;
		follower.judge();
		assert.equal(words.keysStale, false);
		clock.nowMs++;
		follower.judge();
		assert.equal(words.keysStale, true);
	}
});
