/** Changes of the index in a real store that judges no conditions: one writer at a time, by a lock object. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { changeIndex, type ObjectStore, openStore, sha256Of } from "../../formats/object-store/index.js";
import { contend } from "./months-rig.js";
import { SWIFT_MISSING, type SwiftStore, startSwift } from "./swift-store.js";

const LEASE_MS = 30_000;
const MONTH = { "2026-11": { manifest: "0".repeat(64), live_at: 0 } };

describe("a store that judges no conditions", { skip: SWIFT_MISSING }, () => {
	let swift: SwiftStore;

	before(async () => {
		swift = await startSwift(false);
	});
	// Undefined where it could not start.
	after(() => (swift as SwiftStore | undefined)?.close());

	const open = (prefix: string) => openStore(swift.url(prefix), swift.environment);

	/** Leaves a lock that nobody removes, whose lease ends at `until`. */
	async function lock(store: ObjectStore, owner: string, until: number): Promise<void> {
		const bytes = Buffer.from(JSON.stringify({ owner, until }));
		await store.write("index.lock", new Blob([bytes]), sha256Of(bytes), null);
	}

	/** Adds a month by a clock that only waiting advances. Resolves to how long it took by it. */
	async function change(
		store: ObjectStore,
		onSleep: (nowMs: number) => Promise<void> = async () => undefined,
	) {
		let nowMs = 1_000_000;
		const sleep = async (ms: number) => {
			nowMs += ms;
			await onSleep(nowMs);
		};
		const add = () => ({ months: MONTH, retired: {} });
		const { revision } = await changeIndex(store, () => nowMs, add, sleep);
		return { revision, tookMs: nowMs - 1_000_000 };
	}

	test("changes of the index at once are all kept", () => contend(open("contended"), 3));

	test("the lock of a writer that died holds up the next one until its lease ends", async () => {
		for (const [prefix, until] of [
			["died", 1_000_000 + LEASE_MS],
			["ahead", 1_000_000 + 3_600_000],
		] as const) {
			const store = open(prefix);
			await lock(store, "dead", until);
			const { revision, tookMs } = await change(store);
			assert.ok(revision > 1_000, "the first one is the time in seconds");
			assert.ok(tookMs >= LEASE_MS && tookMs < LEASE_MS + 5_000, `${prefix}: ${tookMs} ms`);
			assert.equal(await store.read("index.lock", 1_024), null, "it is free");
		}
		const expired = open("expired");
		await lock(expired, "dead", 999_999);
		assert.ok((await change(expired)).tookMs < 3_000);
	});

	test("a writer ends with an error where others keep the lock, and where its own lease has ended", async () => {
		const busy = open("busy");
		let holders = 0;
		const held = (nowMs: number) => lock(busy, `writer ${holders++}`, nowMs + LEASE_MS);
		await held(1_000_000);
		await assert.rejects(change(busy, held), { code: "index_contended" });
		assert.equal(await busy.read("index.json", 1_024), null);
		const slow = open("slow");
		let nowMs = 1_000_000;
		const add = () => {
			nowMs += LEASE_MS;
			return { months: MONTH, retired: {} };
		};
		const changed = changeIndex(
			slow,
			() => nowMs,
			add,
			async () => undefined,
		);
		await assert.rejects(changed, { code: "index_contended" });
		assert.equal(await slow.read("index.json", 1_024), null);
	});
});
