/** What a host requires of itself by heartbeats, and from when it may send more than these. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LeaseWords } from "../../server/limits/lease-words.js";
import { LeaseTable } from "../../server/shared-state/lease-table.js";
import { RECOVERY_MS, Recovery } from "../../server/shared-state/recovery.js";
import { NOON_MS } from "../keys/scratch.js";

const EPOCH = "e1";
const LONG_AGO_MS = NOON_MS - 60 * RECOVERY_MS;
const JUST_NOW_MS = NOON_MS - RECOVERY_MS / 2;
const BEAT = {
	nowMs: NOON_MS,
	epoch: EPOCH,
	epochMs: LONG_AGO_MS,
	hosts: 1,
	server: "s1",
	serverMs: LONG_AGO_MS,
};

function newRecovery(): Recovery {
	return new Recovery(new LeaseTable({ words: LeaseWords.allocate(1), host: "host", run: "run" }));
}

test("a host that starts shortly after a loss, of either kind, claims its grants, and later it does not", () => {
	const claims = (beat: Partial<typeof BEAT>) => newRecovery().heard({ ...BEAT, ...beat }, EPOCH).claims;
	assert.equal(claims({}), false);
	assert.equal(claims({ epochMs: JUST_NOW_MS }), true);
	assert.equal(claims({ serverMs: JUST_NOW_MS }), true);
	assert.equal(claims({ serverMs: NOON_MS - RECOVERY_MS }), false);
});

test("what was heard on a connection that ended lets nothing be sent on the next", () => {
	const recovery = newRecovery();
	const loss = recovery.heard(BEAT, EPOCH);
	recovery.disconnected();
	recovery.recovered(loss, () => [], NOON_MS);
	assert.equal(recovery.greeted, false);
	recovery.recovered(recovery.heard(BEAT, EPOCH), () => [], NOON_MS);
	assert.equal(recovery.greeted, true);
});
