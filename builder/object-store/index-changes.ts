/**
 * Which months an object store's index makes live: announced, retired, restored, withdrawn. Each is one
 * atomic change of the index, which all hosts follow.
 *
 * A retired month, and the revision that a push replaced, stays in the index as `retired`, which keeps its
 * objects and lets it be restored; there is one a month, the latest that was in service. A withdrawn or pruned one is
 * forgotten, and `builder gc` removes its objects.
 *
 * Invariant: what is in service at the time of a change stays in the index, live or retired, unless it is withdrawn. Of
 * an announced replacement, that is the retired revision; an announced revision that another one replaces before its
 * time is forgotten.
 */

import {
	changeIndex,
	type IndexedMonths,
	type MonthIndex,
	type ObjectStore,
	replacedRevision,
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
	if (announced?.manifest !== manifest) return goLive(index, month, manifest, liveAtMs ?? nowMs, nowMs);
	if (liveAtMs === null || announced.live_at <= nowMs) return index;
	return { ...index, months: { ...index.months, [month]: { manifest, live_at: liveAtMs } } };
}

/** What retiring or restoring a month did. */
export interface ChangedMonth {
	/** Digest of the manifest of the revision that was retired or restored. */
	readonly manifest: string;
	/** When it is live, in milliseconds since 1970; null: it is retired. */
	readonly liveAtMs: number | null;
	/** When another revision would have gone live, which does not any more; null: none was announced. */
	readonly cancelledLiveAtMs: number | null;
}

/**
 * Takes a month out of service so that it can be restored, and cancels what is announced of it. An announced month that
 * has no revision in service or retired is kept as its retired one. Throws {@link BuildError} `not_published`.
 */
export async function retireStored(
	store: ObjectStore,
	month: string,
	nowMs: () => number,
): Promise<ChangedMonth> {
	let cancelledLiveAtMs: number | null = null;
	const { retired = {} } = await changeIndex(store, nowMs, (index) => {
		const listed = index.months[month];
		if (listed === undefined) throw new BuildError("not_published", `${store.url} has no month ${month}`);
		const changedMs = nowMs();
		cancelledLiveAtMs = listed.live_at > changedMs ? listed.live_at : null;
		const inService = inServiceOf(index, month, changedMs);
		return {
			months: without(index.months, [month]),
			retired: { ...index.retired, [month]: inService ?? index.retired[month] ?? listed.manifest },
			unserved: index.unserved?.filter((other) => other !== month),
		};
	});
	return { manifest: retired[month], liveAtMs: null, cancelledLiveAtMs };
}

/**
 * Makes the retired revision of a month live again from `liveAtMs` on, by default from now on; where the month was
 * replaced, the two change places. Where its replacement is only announced, that is cancelled, and the revision in
 * service stays so. Throws {@link BuildError} `not_retired`.
 */
export async function restoreStored(
	store: ObjectStore,
	month: string,
	nowMs: () => number,
	liveAtMs = nowMs(),
): Promise<ChangedMonth> {
	let cancelledLiveAtMs: number | null = null;
	const { months } = await changeIndex(store, nowMs, (index) => {
		const manifest = index.retired[month];
		if (manifest === undefined)
			throw new BuildError("not_retired", `${store.url} has no retired month ${month}`);
		const changedMs = nowMs();
		const announcedMs = index.months[month]?.live_at ?? 0;
		cancelledLiveAtMs = announcedMs > changedMs ? announcedMs : null;
		return goLive(index, month, manifest, liveAtMs, changedMs);
	});
	const { manifest, live_at } = months[month];
	return { manifest, liveAtMs: live_at, cancelledLiveAtMs };
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
		return {
			months: without(index.months, months),
			retired: without(index.retired, months),
			unserved: index.unserved?.filter((month) => !months.includes(month)),
		};
	});
}

/**
 * Forgets retired months; none given: all. Returns those forgotten. A revision in service, whose replacement is only
 * announced, stays. Throws {@link BuildError} `not_retired`.
 */
export async function pruneStored(
	store: ObjectStore,
	months: readonly string[],
	nowMs: () => number,
): Promise<string[]> {
	let pruned: string[] = [];
	await changeIndex(store, nowMs, (index) => {
		const isServed = (month: string) => replacedRevision(index, month, nowMs()) !== null;
		const retired = Object.keys(index.retired).filter((month) => !isServed(month));
		pruned = months.length > 0 ? [...new Set(months)] : retired.sort();
		const unknown = pruned.find((month) => !retired.includes(month));
		if (unknown !== undefined)
			throw new BuildError(
				"not_retired",
				isServed(unknown)
					? `${store.url}: ${unknown} is in service until its announced replacement is live`
					: `${store.url} has no retired month ${unknown}`,
			);
		return {
			months: index.months,
			retired: without(index.retired, pruned),
			unserved: index.unserved?.filter((month) => !pruned.includes(month)),
		};
	});
	return pruned;
}

/** What is in service of the month becomes its retired revision, or stays in service if it is the one given. */
function goLive(
	index: IndexedMonths,
	month: string,
	manifest: string,
	liveAtMs: number,
	nowMs: number,
): IndexedMonths {
	const inService = inServiceOf(index, month, nowMs);
	if (index.months[month]?.manifest === manifest && inService === manifest) return index;
	const live_at = inService === manifest ? Math.min(liveAtMs, nowMs) : liveAtMs;
	const retired = withoutSame(index.retired, month, manifest);
	const others = index.unserved?.filter((other) => other !== month) ?? [];
	const isUnserved = inService === null && live_at > nowMs && retired[month] !== undefined;
	return {
		months: { ...index.months, [month]: { manifest, live_at } },
		retired: inService === null || inService === manifest ? retired : { ...retired, [month]: inService },
		unserved: isUnserved ? [...others, month] : others,
	};
}

/** Digest of the manifest of the revision that hosts serve of a month; null: none. */
function inServiceOf(index: IndexedMonths, month: string, nowMs: number): string | null {
	const listed = index.months[month];
	if (listed !== undefined && listed.live_at <= nowMs) return listed.manifest;
	return replacedRevision(index, month, nowMs);
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
