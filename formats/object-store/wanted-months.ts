/**
 * Which months of an index a data folder should have, for whoever follows the index: servers at all times
 * (server/months/), `builder pull` once.
 */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMonth } from "../domain/row-id.js";
import { PULLS_FOLDER, publications } from "../files/data-folder.js";
import { type MonthIndex, replacedRevision } from "./month-index.js";
import { retire } from "./pull-month.js";

/** A month that a data folder should have. */
export interface Wanted {
	readonly month: string;
	/** Digest of the manifest. */
	readonly manifest: string;
	/** 0 for a revision that is in service until its replacement is: the index does not have its time. */
	readonly liveAtMs: number;
	readonly rowStore: boolean;
	/** Digest of the manifest that is announced to replace this one; null: none is. */
	readonly replacedBy: string | null;
}

/**
 * The months of the index, newest first, announced ones too; of one month, the revision in service before the one that
 * is announced to replace it. `keepMonths`: how many of the newest; 0 for all. A month that is only announced takes the
 * place of none: until it is live, the others are what is served.
 */
export function wantedMonths(
	index: Pick<MonthIndex, "months" | "retired" | "unserved">,
	keepMonths: number,
	nowMs: number,
): Wanted[] {
	const newestFirst = Object.entries(index.months).sort(([a], [b]) => (a < b ? 1 : -1));
	const wanted: Wanted[] = [];
	let inService = 0;
	for (const [month, { manifest, live_at }] of newestFirst) {
		if (keepMonths > 0 && inService >= keepMonths) break;
		const rowStore = inService === 0;
		const replaced = replacedRevision(index, month, nowMs);
		if (replaced !== null)
			wanted.push({ month, manifest: replaced, liveAtMs: 0, rowStore, replacedBy: manifest });
		wanted.push({ month, manifest, liveAtMs: live_at, rowStore, replacedBy: null });
		if (live_at <= nowMs || replaced !== null) inService++;
	}
	return wanted;
}

/**
 * Retires the published months that are not wanted. Returns them. None are if no month is wanted: an index without
 * months is more likely a mistake than intended.
 */
export function retireUnwanted(dataFolder: string, wanted: readonly Pick<Wanted, "month">[]): string[] {
	if (wanted.length === 0) return [];
	const months = new Set(wanted.map(({ month }) => month));
	const unwanted = [...publications(dataFolder).keys()].filter((month) => !months.has(month));
	for (const month of unwanted) retire(dataFolder, month);
	return unwanted;
}

/**
 * Removes downloads of months that are not wanted, complete ones too: the index may name them again; and of those that
 * are published: a version that could not read a published month downloaded it again. None are removed if no month is
 * wanted. REQUIRES: nothing is being downloaded.
 */
export function removeUnwantedPulls(
	dataFolder: string,
	wanted: readonly Wanted[],
	isPublished: (month: string, manifest: string) => boolean,
): void {
	const folder = join(dataFolder, PULLS_FOLDER);
	if (wanted.length === 0 || !existsSync(folder)) return;
	const kept = new Set(
		wanted
			.filter(({ month, manifest }) => !isPublished(month, manifest))
			.map(({ month, manifest }) => `${month}.${manifest.slice(0, 16)}`),
	);
	for (const name of readdirSync(folder)) {
		if (!isMonth(name.split(".")[0]) || kept.has(name)) continue;
		rmSync(join(folder, name), { recursive: true, force: true });
	}
}
