/** A store that lost its index: hosts serve what they have, and follow the next index that a push makes. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { INDEX_NAME } from "../../formats/object-store/index.js";
import { MONTHS, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

describe("a store that lost its index", { skip: SWIFT_MISSING }, () => {
	let rig: StoreRig;

	before(async () => {
		rig = await StoreRig.start();
	});
	// Undefined where it could not start.
	after(() => (rig as StoreRig | undefined)?.close());

	test("is followed again after a push, and hosts say what else brings it back", async () => {
		const url = await rig.stockedUrl();
		const dayBeforeMs = Date.now() - 86_400_000;
		// Changed several times, as an index has been that is lost.
		for (const month of [...MONTHS, MONTHS[0]])
			await rig.announceAt(url, 0, [month], rig.origin, () => dayBeforeMs);
		const host = rig.host(url, { data: rig.pulledFolder() });
		await host.puller.poll();
		const { revision } = host.puller.state;
		assert.ok(revision > 1);
		await rig.open(url).remove(INDEX_NAME);
		await host.puller.poll();
		assert.deepEqual(host.served(), [...MONTHS].reverse());
		const line = host.lines.at(-1) ?? "";
		assert.match(
			line,
			/index.json is not there; put back pulls\/index.json of the data folder, or push all months/,
		);
		await rig.announceAt(url, 0, [MONTHS[0]]);
		await host.puller.poll();
		assert.ok(host.puller.state.revision > revision, "the new index is newer than the lost one");
		assert.deepEqual(host.served(), [MONTHS[0]]);
		assert.equal(host.puller.state.oldIndexes, 0);
	});
});
