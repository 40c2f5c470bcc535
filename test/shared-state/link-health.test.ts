/** What is logged of the way to the shared store, and of a host's own faults while it uses it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LeaseWords } from "../../server/limits/lease-words.js";
import { createLog } from "../../server/log.js";
import { LinkHealth } from "../../server/shared-state/link-health.js";
import { StoreError } from "../../server/store/errors.js";

test("a fault of the host's own database is logged once a minute, however many heartbeats meet it", () => {
	const lines: { msg: string; err: { message: string } }[] = [];
	let nowMs = 0;
	const health = new LinkHealth({
		words: LeaseWords.allocate(1),
		shown: "redis://127.0.0.1:1/0",
		log: createLog("info", { write: (line) => lines.push(JSON.parse(line)) }),
		onLost: () => undefined,
		monotonicMs: () => nowMs,
	});
	const gone = new StoreError(
		"write_failed",
		"data/keys",
		"nothing was written: data.mdb was moved or replaced",
	);
	for (; nowMs < 120_000; nowMs += 1_000) assert.equal(health.failed(gone), false);
	assert.deepEqual(
		lines.map(({ msg, err }) => [msg, err.message]),
		[0, 1].map(() => ["sharing state with other hosts failed", gone.message]),
	);
});
