/**
 * Which months an object store's index makes live: announced, retired, restored, withdrawn. Each is one
 * atomic change of the index, which all hosts follow.
 *
 * A retired month, and the revision that a push replaced, stays in the index as `retired`, which keeps its
 * objects and lets it be restored; there is one a month, the latest. A withdrawn or pruned one is forgotten,
 * and `builder gc` removes its objects.
 */

import {
	changeIndex,
	type IndexedMonths,
	type MonthIndex,
	type ObjectStore,
} from "../../formats/object-store/index.js";
import { BuildError } from "../errors.js";
import type { PushedMonth } from "./push-month.js";

/**
 * Makes pushed months live from `liveAtMs` on. A month that is live already with the same files stays as it is, and one
 * that is announced with them gets the new time. `null`: from now on, but at the time announced if there is one.
 */
export function announce(
	store: ObjectStore,
	pushed: readonly Pick<PushedMonth, "month" | "manifest">[],
	liveAtMs: number | null,
	nowMs: () => number,
): Promise<MonthIndex> {
	return changeIndex(store, nowMs, (index) =>
		pushed.reduce((changed, each) => announceOne(changed, each, liveAtMs, nowMs()), index),
	);
}

function announceOne(
	index: IndexedMonths,
	{ month, manifest }: Pick<PushedMonth, "month" | "manifest">,
	liveAtMs: number | null,
	nowMs: number,
): IndexedMonths {
	const announced = index.months[month];
	if (announced?.manifest !== manifest) return goLive(index, month, manifest, liveAtMs ?? nowMs);
	if (liveAtMs === null || announced.live_at <= nowMs) return index;
	return { ...index, months: { ...index.months, [month]: { manifest, live_at: liveAtMs } } };
}

/** Takes a month out of service so that it can be restored. Throws {@link BuildError} `not_published`. */
export function retireStored(store: ObjectStore, month: string, nowMs: () => number): Promise<MonthIndex> {
	return changeIndex(store, nowMs, ({ months, retired }) => {
		const live = months[month];
		if (live === undefined) throw new BuildError("not_published", `${store.url} has no month ${month}`);
		return { months: without(months, [month]), retired: { ...retired, [month]: live.manifest } };
	});
}

/**
 * Makes the retired revision of a month live again from `liveAtMs` on, by default from now on; where the month was
 * replaced, the two change places. Throws {@link BuildError} `not_retired`.
 */
export function restoreStored(
	store: ObjectStore,
	month: string,
	nowMs: () => number,
	liveAtMs = nowMs(),
): Promise<MonthIndex> {
	return changeIndex(store, nowMs, (index) => {
		const manifest = index.retired[month];
		if (manifest === undefined)
			throw new BuildError("not_retired", `${store.url} has no retired month ${month}`);
		return goLive(index, month, manifest, liveAtMs);
	});
}

/** Forgets months altogether, live and retired. Throws {@link BuildError} `not_published` for one that is neither. */
export function withdraw(
	store: ObjectStore,
	months: readonly string[],
	nowMs: () => number,
): Promise<MonthIndex> {
	return changeIndex(store, nowMs, (index) => {
		const known = [...new Set([...Object.keys(index.months), ...Object.keys(index.retired)])].sort();
		const unknown = months.find((month) => !known.includes(month));
		if (unknown !== undefined)
			throw new BuildError(
				"not_published",
				`${store.url} has no month ${unknown}, live or retired; it has ${known.join(", ") || "none"}`,
			);
		return { months: without(index.months, months), retired: without(index.retired, months) };
	});
}

/** Forgets retired months; none given: all. Returns those forgotten. Throws {@link BuildError} `not_retired`. */
export async function pruneStored(
	store: ObjectStore,
	months: readonly string[],
	nowMs: () => number,
): Promise<string[]> {
	let pruned: string[] = [];
	await changeIndex(store, nowMs, (index) => {
		pruned = months.length > 0 ? [...new Set(months)] : Object.keys(index.retired).sort();
		const unknown = pruned.find((month) => index.retired[month] === undefined);
		if (unknown !== undefined)
			throw new BuildError("not_retired", `${store.url} has no retired month ${unknown}`);
		return { months: index.months, retired: without(index.retired, pruned) };
	});
	return pruned;
}

/** What was live of the month becomes its retired revision. */
function goLive(index: IndexedMonths, month: string, manifest: string, liveAtMs: number): IndexedMonths {
	const live = index.months[month];
	if (live?.manifest === manifest) return index;
	const retired =
		live === undefined
			? withoutSame(index.retired, month, manifest)
			: { ...index.retired, [month]: live.manifest };
	return { months: { ...index.months, [month]: { manifest, live_at: liveAtMs } }, retired };
}

/** A retired revision that is live again is not retired any more; another one of the month still is. */
function withoutSame(
	retired: IndexedMonths["retired"],
	month: string,
	manifest: string,
): IndexedMonths["retired"] {
	return retired[month] === manifest ? without(retired, [month]) : retired;
}

function without<T>(all: Readonly<Record<string, T>>, months: readonly string[]): Record<string, T> {
	return Object.fromEntries(Object.entries(all).filter(([month]) => !months.includes(month)));
}
