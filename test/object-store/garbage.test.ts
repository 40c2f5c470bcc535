/** Collecting garbage of a real object store beside pushes: what an index names, or is about to, stays or comes back. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { collectGarbage } from "../../builder/object-store/collect-garbage.js";
import { announce, withdraw } from "../../builder/object-store/index-changes.js";
import { confirmPushed, pushFiles } from "../../builder/object-store/push-month.js";
import { type ObjectStore, objectName, sha256Of } from "../../formats/object-store/index.js";
import { MONTHS, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

const LATER_MS = Date.now() + 60_000;

/** `store`, with `act` done before the first removal, which was decided by then. */
function actingBeforeRemoval(store: ObjectStore, act: () => Promise<unknown>): ObjectStore {
	let removals = 0;
	return {
		url: store.url,
		read: (name, bytesMax, options) => store.read(name, bytesMax, options),
		open: (name, from) => store.open(name, from),
		size: (name) => store.size(name),
		write: (name, body, sha256, condition) => store.write(name, body, sha256, condition),
		list: (prefix) => store.list(prefix),
		async remove(name) {
			if (removals++ === 0) await act();
			await store.remove(name);
		},
	};
}

async function countObjects(store: ObjectStore): Promise<number> {
	let objects = 0;
	for await (const { bytes } of store.list("objects/")) objects += bytes > 0 ? 1 : 0;
	return objects;
}

describe("garbage of an object store", { skip: SWIFT_MISSING }, () => {
	let rig: StoreRig;

	before(async () => {
		rig = await StoreRig.start();
	});
	// Undefined where it could not start.
	after(() => (rig as StoreRig | undefined)?.close());

	test("a push brings back objects that it relied on and a collection removed", async () => {
		const url = rig.freshUrl();
		const store = rig.open(url);
		await rig.announceAt(url, 0, [MONTHS[1]]);
		await withdraw(store, [MONTHS[1]], Date.now);
		const pushed = await pushFiles(store, rig.origin, MONTHS[1]);
		assert.equal(pushed.sent, 0, "the withdrawn month's objects are still there");
		assert.ok((await collectGarbage(store, 0, LATER_MS)).objects > 5, "no index names them");
		await announce(store, [pushed], 0, Date.now);
		await confirmPushed(store, rig.origin, [pushed]);
		assert.equal((await collectGarbage(store, 0, LATER_MS)).objects, 0);
		await pulledWhole(url);
	});

	test("a month that is announced while garbage is collected loses one object at most, and the collection reports it", async () => {
		const url = rig.freshUrl();
		const store = rig.open(url);
		await rig.announceAt(url, 0, [MONTHS[1]]);
		await withdraw(store, [MONTHS[1]], Date.now);
		const pushed = await pushFiles(store, rig.origin, MONTHS[1]);
		const objects = () => countObjects(store);
		const before = await objects();
		const raced = actingBeforeRemoval(store, () => announce(store, [pushed], 0, Date.now));
		await assert.rejects(collectGarbage(raced, 0, LATER_MS), {
			code: "not_published",
			message: /push its month again$/,
		});
		assert.equal(await objects(), before - 1);
		await confirmPushed(store, rig.origin, [pushed]);
		await pulledWhole(url);
	});

	test("without an index nothing is removed", async () => {
		const store = rig.open(rig.freshUrl());
		const contents = ["one", "two", "three"].map((text) => Buffer.from(text));
		for (const bytes of contents)
			await store.write(objectName(sha256Of(bytes)), new Blob([bytes]), sha256Of(bytes), null);
		await assert.rejects(collectGarbage(store, 0, LATER_MS), {
			code: "not_published",
			message: /has no index\.json, so what is in use is unknown/,
		});
		assert.equal(await countObjects(store), contents.length);
	});

	async function pulledWhole(url: string): Promise<void> {
		const { puller, served } = rig.host(url);
		await puller.poll();
		assert.deepEqual(served(), [MONTHS[1]]);
	}
});
