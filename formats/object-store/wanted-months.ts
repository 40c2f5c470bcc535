/**
 * Which months of an index a data folder should have, for whoever follows the index: servers at all times
 * (server/months/), `builder pull` once.
 */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PULLS_FOLDER, publications } from "../data-folder.js";
import { isMonth } from "../row-id.js";
import type { MonthIndex } from "./month-index.js";
import { retire } from "./pull-month.js";

/** A month that a data folder should have. */
export interface Wanted {
	readonly month: string;
	/** Digest of the manifest. */
	readonly manifest: string;
	readonly liveAtMs: number;
	readonly rowStore: boolean;
}

/** The months of the index, newest first, announced ones too. `keepMonths`: how many of the newest; 0 for all. */
export function wantedMonths(index: Pick<MonthIndex, "months">, keepMonths: number): Wanted[] {
	const entries = Object.entries(index.months).sort(([a], [b]) => (a < b ? 1 : -1));
	const kept = keepMonths === 0 ? entries : entries.slice(0, keepMonths);
	return kept.map(([month, { manifest, live_at }], i) => ({
		month,
		manifest,
		liveAtMs: live_at,
		rowStore: i === 0,
	}));
}

/**
 * Retires the published months that are not wanted, and removes their downloads, complete ones too: the index may
 * name them again. Returns the months retired. None are if no month is wanted: an index without months is more likely
 * a mistake than intended.
 */
export function retireUnwanted(dataFolder: string, wanted: readonly Wanted[]): string[] {
	if (wanted.length === 0) return [];
	const months = new Set(wanted.map(({ month }) => month));
	const unwanted = [...publications(dataFolder).keys()].filter((month) => !months.has(month));
	for (const month of unwanted) retire(dataFolder, month);
	removeUnwantedPulls(dataFolder, wanted);
	return unwanted;
}

function removeUnwantedPulls(dataFolder: string, wanted: readonly Wanted[]): void {
	const folder = join(dataFolder, PULLS_FOLDER);
	if (!existsSync(folder)) return;
	const current = new Set(wanted.map(({ month, manifest }) => `${month}.${manifest.slice(0, 16)}`));
	for (const name of readdirSync(folder)) {
		if (!isMonth(name.split(".")[0]) || current.has(name)) continue;
		rmSync(join(folder, name), { recursive: true, force: true });
	}
}
