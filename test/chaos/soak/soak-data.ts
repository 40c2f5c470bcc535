/** The months of a soak: made and built once per size in a work folder, and a data folder to serve, linked to them. */

import { cpSync, existsSync, linkSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { dropName, synthesize } from "../../../builder/synth/index.js";
import { manifestFile, snapshotFolder } from "../../../formats/index.js";
import { buildSynthetic } from "../../synthetic-month.js";

/** Served from the start, and published in the middle. */
export const SERVED_MONTHS = ["2026-10", "2026-09"] as const;
export const DROPPED_MONTH = "2026-11";

export interface SoakData {
	/** Every month, built: what the oracle reads. */
	readonly dataFolder: string;
	/** CSV of {@link DROPPED_MONTH}. */
	readonly drop: string;
}

/** Makes what does not exist yet. `told` is called with progress. */
export async function prepareSoakData(
	work: string,
	rows: number,
	seed: number,
	told: (message: string) => void,
): Promise<SoakData> {
	const folder = join(work, `${rows}-${seed}`);
	const dataFolder = join(folder, "data");
	const drops = join(folder, "drops");
	mkdirSync(drops, { recursive: true });
	for (const month of [...SERVED_MONTHS, DROPPED_MONTH]) {
		const file = join(drops, dropName(month));
		if (!existsSync(file)) {
			told(`making ${rows.toLocaleString("en-US")} rows of ${month}`);
			await synthesize({ rows, months: [month], seed, out: drops });
		}
		if (existsSync(snapshotFolder(dataFolder, month))) continue;
		told(`building ${month}`);
		await buildSynthetic(file, dataFolder, month);
	}
	return { dataFolder, drop: join(drops, dropName(DROPPED_MONTH)) };
}

/** A data folder at `served` with the first months in it, their files hard links. */
export function linkServedMonths(dataFolder: string, served: string): void {
	for (const month of SERVED_MONTHS) {
		const from = snapshotFolder(dataFolder, month);
		const to = snapshotFolder(served, month);
		for (const name of readdirSync(from, { recursive: true, withFileTypes: true })) {
			if (!name.isFile()) continue;
			const source = join(name.parentPath, name.name);
			const target = join(to, source.slice(from.length));
			mkdirSync(dirname(target), { recursive: true });
			linkSync(source, target);
		}
		mkdirSync(dirname(manifestFile(served, month)), { recursive: true });
		cpSync(manifestFile(dataFolder, month), manifestFile(served, month));
	}
}
