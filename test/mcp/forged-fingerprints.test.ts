/**
 * Fingerprints in entity tags can be forged: a request that has the fingerprint of another gets its own answer all the
 * same, over HTTP and as a tool, whichever was asked first.
 */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Fingerprint } from "../../server/api/responses/entity-tag.js";
import { overBothTransports } from "../http/served.js";
import { callOk, connectClient } from "./tool-client.js";

/** Gives all requests one fingerprint until the test ends. */
function forgeFingerprints(t: TestContext): void {
	t.mock.method(Fingerprint.prototype, "toString", () => "1.1");
}

overBothTransports("requests with one fingerprint", (served) => {
	for (const compared of ["", "&compare=2026-10"])
		test(`have answers of their own${compared}`, async (t) => {
			forgeFingerprints(t);
			const key = await served().key();
			const client = await connectClient(served(), key);
			t.after(() => client.close());
			for (const state of ["TX", "CA"]) {
				const query = new URLSearchParams(`by=state&state=${state}${compared}`);
				const { text } = await served().request(`/v1/aggregate?${query}`, key);
				const { data } = await callOk(client, "aggregate_licenses", Object.fromEntries(query));
				const groups = [JSON.parse(text).data, data] as { by: { state: string } }[][];
				for (const [group] of groups) assert.equal(group.by.state, state);
			}
		});
});
