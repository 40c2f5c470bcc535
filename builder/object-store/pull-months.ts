/**
 * Brings a data folder to the state of an object store's index, once, as servers that follow the index do
 * (server/months/month-puller.ts): months are downloaded, published if they are live, and retired if the index does
 * not list them any more.
 *
 * REQUIRES: the builder's lock is held.
 */

import {
	newestPublished,
	publishRetainingRows,
	snapshotDigest,
	snapshotFolder,
} from "../../formats/index.js";
import { type MonthIndex, type ObjectStore, readStoredManifest } from "../../formats/object-store/index.js";
import { removeOutdatedChanges } from "../../formats/object-store/outdated-changes.js";
import { pullMonth } from "../../formats/object-store/pull-month.js";
import {
	removeUnwantedPulls,
	retireUnwanted,
	type Wanted,
	wantedMonths,
} from "../../formats/object-store/wanted-months.js";
import { BuildError } from "../errors.js";
import { publishedMonths } from "../published-months.js";

export interface PullMonthsOptions {
	readonly dataFolder: string;
	/** Months to pull, and nothing else; empty: all of the index, and others are retired. */
	readonly months: readonly string[];
	readonly bytesPerSecond: number;
	readonly nowMs: () => number;
}

export interface PulledEntry {
	readonly month: string;
	readonly rows: number;
	readonly pulled_bytes: number;
	/** `present`: it was published here already. `announced`: it is downloaded, and not live before `live_at`. */
	readonly state: "published" | "present" | "announced";
	/** Time from which the index makes it live; null: it is in service until its announced replacement is, whose time this is not. */
	readonly live_at: string | null;
}

export interface PulledMonths {
	/** Oldest first. */
	readonly months: readonly PulledEntry[];
	/** Months that the index does not list any more. */
	readonly retired: readonly string[];
}

/** Fails with {@link BuildError} `not_published` for a month that the index does not list, or ObjectStoreError. */
export async function pullMonths(
	store: ObjectStore,
	index: MonthIndex,
	options: PullMonthsOptions,
): Promise<PulledMonths> {
	const missing = options.months.find((month) => index.months[month] === undefined);
	if (missing !== undefined) throw new BuildError("not_published", `${store.url} has no month ${missing}`);
	const all = wantedMonths(index, 0, options.nowMs());
	const { months: named } = options;
	const chosen = all
		.filter(({ month }) => named.length === 0 || named.includes(month))
		.sort((a, b) => a.month.localeCompare(b.month));
	const months: PulledEntry[] = [];
	const publishedHere = new Set<string>();
	for (const wanted of chosen) {
		const entry = await pullOne(store, wanted, chosen, options);
		months.push(entry);
		if (entry.state !== "announced") publishedHere.add(wanted.manifest);
	}
	if (named.length > 0) return { months, retired: [] };
	const retired = retireUnwanted(options.dataFolder, all);
	removeUnwantedPulls(options.dataFolder, all, (_, manifest) => publishedHere.has(manifest));
	if (months.every(({ state }) => state !== "announced")) removeOutdatedChanges(options.dataFolder);
	return { months, retired };
}

async function pullOne(
	store: ObjectStore,
	wanted: Wanted,
	chosen: readonly Wanted[],
	options: PullMonthsOptions,
): Promise<PulledEntry> {
	const { month, manifest, liveAtMs, replacedBy } = wanted;
	const { dataFolder, bytesPerSecond, nowMs } = options;
	const { digest, rows } = await readStoredManifest(store, manifest);
	const live_at = replacedBy === null ? new Date(liveAtMs).toISOString() : null;
	const entry = { month, rows, pulled_bytes: 0, live_at };
	if (digestHere(dataFolder, month) === digest) return { ...entry, state: "present" };
	// A newer month that is not live yet leaves this one the newest until then.
	const isNewest =
		(newestPublished(dataFolder) ?? "") <= month &&
		chosen.every((other) => other.month <= month || other.liveAtMs > nowMs());
	const pulled = await pullMonth(store, manifest, dataFolder, {
		bytesPerSecond,
		rowStore: isNewest,
	});
	const pulledEntry = { ...entry, pulled_bytes: pulled.pulledBytes };
	if (liveAtMs > nowMs()) return { ...pulledEntry, state: "announced" };
	publishRetainingRows(dataFolder, false, () => pulled.publish());
	return { ...pulledEntry, state: "published" };
}

/** Digest of the published snapshot; null: the month is not published, or does not open. */
function digestHere(dataFolder: string, month: string): string | null {
	return publishedMonths(dataFolder).includes(month)
		? snapshotDigest(snapshotFolder(dataFolder, month))
		: null;
}
