/**
 * Changes of the index of an object store against a model of what hosts serve of a month: whatever is pushed, announced,
 * retired, restored, withdrawn and pruned in whatever order, a revision in service is neither lost nor replaced early.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import {
	announce,
	type ChangedMonth,
	pruneStored,
	restoreStored,
	retireStored,
	withdraw,
} from "../../builder/object-store/index-changes.js";
import {
	EMPTY_INDEX,
	type MonthIndex,
	type ObjectStore,
	parseIndex,
	replacedRevision,
} from "../../formats/object-store/index.js";
import { checkAsyncProperty } from "../oracle/seeded.js";

const MONTHS = ["2026-10", "2026-11"];
const MANIFESTS = ["a", "b", "c"].map((name) => createHash("sha256").update(name).digest("hex"));

/** A store of an index alone. */
class IndexStore {
	readonly url = "memory:";
	#bytes: Buffer | null = null;
	#version = 0;

	async read() {
		return this.#bytes === null ? null : { bytes: this.#bytes, etag: String(this.#version) };
	}

	async write(_name: string, body: Blob, _sha256: string, condition: unknown) {
		const expected = this.#bytes === null ? "absent" : { etag: String(this.#version) };
		assert.deepEqual(condition, expected);
		this.#bytes = Buffer.from(await body.arrayBuffer());
		this.#version++;
		return "written" as const;
	}

	get index(): MonthIndex {
		return this.#bytes === null ? EMPTY_INDEX : parseIndex(this.#bytes, "the index");
	}
}

/** What is known of a month: each member is a manifest. */
interface Known {
	service: string | null;
	/** What restoring brings back; while a replacement is announced, what is in service. */
	retired: string | null;
	announced: { readonly manifest: string; readonly atMs: number } | null;
}

class Model {
	readonly months = new Map<string, Known>(
		MONTHS.map((month) => [month, { service: null, retired: null, announced: null }]),
	);

	of(month: string): Known {
		return this.months.get(month) as Known;
	}

	passTo(nowMs: number): void {
		for (const known of this.months.values()) {
			if (known.announced === null || known.announced.atMs > nowMs) continue;
			known.service = known.announced.manifest;
			known.announced = null;
		}
	}

	push(month: string, manifest: string, atMs: number | null, nowMs: number): void {
		const known = this.of(month);
		if (known.announced?.manifest === manifest)
			known.announced = { manifest, atMs: atMs ?? known.announced.atMs };
		else if (known.announced !== null || known.service !== manifest)
			this.goLive(known, manifest, atMs ?? nowMs);
		this.passTo(nowMs);
	}

	goLive(known: Known, manifest: string, atMs: number): void {
		const isServed = known.service === manifest;
		if (known.retired === manifest) known.retired = null;
		if (!isServed && known.service !== null) known.retired = known.service;
		known.announced = isServed ? null : { manifest, atMs };
	}

	/** What `retire` keeps, and the time of what it cancels; null: there is nothing to retire. */
	retire(month: string): [kept: string | null, cancelled: number | null] | null {
		const known = this.of(month);
		if (known.service === null && known.announced === null) return null;
		const cancelled = known.announced?.atMs ?? null;
		known.retired = known.service ?? known.retired ?? known.announced?.manifest ?? null;
		known.service = null;
		known.announced = null;
		return [known.retired, cancelled];
	}

	restore(month: string, atMs: number, nowMs: number): [restored: string, cancelled: number | null] | null {
		const known = this.of(month);
		if (known.retired === null) return null;
		const [manifest, cancelled] = [known.retired, known.announced?.atMs ?? null];
		this.goLive(known, manifest, atMs);
		this.passTo(nowMs);
		return [manifest, cancelled];
	}

	isPrunable(month: string): boolean {
		const { retired, announced, service } = this.of(month);
		return retired !== null && (announced === null || service === null);
	}
}

/** What hosts serve of a month at a time. */
function servedOf(index: MonthIndex, month: string, nowMs: number): string | null {
	const listed = index.months[month];
	return listed !== undefined && listed.live_at <= nowMs
		? listed.manifest
		: replacedRevision(index, month, nowMs);
}

function requireAgreement(index: MonthIndex, model: Model, nowMs: number): void {
	// What old readers refuse is left out as soon as it says nothing.
	for (const month of index.unserved ?? []) assert.ok(index.months[month] !== undefined, month);
	for (const [month, { service, retired, announced }] of model.months) {
		assert.equal(servedOf(index, month, nowMs), service, `${month}: in service`);
		assert.equal(index.retired?.[month] ?? null, retired, `${month}: retired`);
		const listed = index.months[month];
		assert.equal(listed?.manifest ?? null, announced?.manifest ?? service, `${month}: listed`);
		if (announced === null) continue;
		assert.equal(listed.live_at, announced.atMs);
		assert.equal(servedOf(index, month, announced.atMs - 1), service, `${month}: just before`);
		assert.equal(servedOf(index, month, announced.atMs), announced.manifest, `${month}: announced`);
	}
}

/** Does `act`; null if it fails with `code`. */
async function orNull<T>(act: Promise<T>, code: string): Promise<T | null> {
	try {
		return await act;
	} catch (error) {
		assert.equal((error as { code?: string }).code, code, String(error));
		return null;
	}
}

/** The index, the model of it, and the time of both. */
class World {
	readonly store = new IndexStore();
	readonly model = new Model();
	nowMs = 1_000;
	readonly now = () => this.nowMs;

	get asStore(): ObjectStore {
		return this.store as unknown as ObjectStore;
	}
}

interface Step {
	readonly month: string;
	readonly manifest: string;
	/** When it is to be live; null: not said. */
	readonly atMs: number | null;
}

/** Each does one change to the index and to the model, and compares what they say of it. */
const ACTS: Readonly<Record<string, (world: World, step: Step) => Promise<void>>> = {
	async push({ asStore, store, model, now }, { month, manifest, atMs }) {
		const isNew = store.index.months[month] === undefined;
		await announce(asStore, [{ month, manifest }], atMs, now);
		model.push(month, manifest, atMs, now());
		if (isNew && model.of(month).announced === null) assert.ok(!store.index.unserved?.includes(month));
	},
	async retire({ asStore, model, now }, { month }) {
		const changed = await orNull(retireStored(asStore, month, now), "not_published");
		requireChanged(changed, model.retire(month), null);
	},
	async restore({ asStore, store, model, now }, { month, atMs }) {
		const changed = await orNull(restoreStored(asStore, month, now, atMs ?? now()), "not_retired");
		const expected = model.restore(month, atMs ?? now(), now());
		requireChanged(changed, expected, store.index.months[month]?.live_at ?? null);
	},
	async withdraw({ asStore, model, now }, { month }) {
		const changed = await orNull(withdraw(asStore, [month], now), "not_published");
		const known = model.of(month);
		assert.equal(
			changed === null,
			Object.values(known).every((each) => each === null),
		);
		Object.assign(known, { service: null, retired: null, announced: null });
	},
	async prune({ asStore, model, now }, { month }) {
		const pruned = await orNull(pruneStored(asStore, [month, month], now), "not_retired");
		assert.deepEqual(pruned, model.isPrunable(month) ? [month] : null);
		if (pruned !== null) model.of(month).retired = null;
	},
	async pruneAll({ asStore, model, now }) {
		const pruned = await pruneStored(asStore, [], now);
		assert.deepEqual(
			pruned,
			MONTHS.filter((month) => model.isPrunable(month)),
		);
		for (const month of pruned) model.of(month).retired = null;
	},
};

const anyStep = fc.record({
	act: fc.constantFrom("push", "push", ...Object.keys(ACTS)),
	month: fc.constantFrom(...MONTHS),
	manifest: fc.constantFrom(...MANIFESTS),
	afterMs: fc.constantFrom(null, -5, 0, 1, 10, 25),
	passesMs: fc.constantFrom(0, 1, 10, 30),
});

test("a revision in service stays restorable, and nothing goes live early, whatever changes follow one another", (t) =>
	checkAsyncProperty(
		t,
		400,
		fc.asyncProperty(fc.array(anyStep, { maxLength: 14 }), async (steps) => {
			const world = new World();
			for (const { act, afterMs, passesMs, ...step } of steps) {
				world.nowMs += passesMs;
				world.model.passTo(world.nowMs);
				await ACTS[act](world, { ...step, atMs: afterMs === null ? null : world.nowMs + afterMs });
				requireAgreement(world.store.index, world.model, world.nowMs);
			}
		}),
		10,
	));

function requireChanged(
	changed: ChangedMonth | null,
	expected: readonly [manifest: string | null, cancelled: number | null] | null,
	liveAtMs: number | null,
): void {
	const [manifest, cancelledLiveAtMs] = expected ?? [];
	assert.deepEqual(changed, expected === null ? null : { manifest, liveAtMs, cancelledLiveAtMs });
}
