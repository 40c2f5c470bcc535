/** Builds synthetic drops, which may fail gates since their months resemble one another less than real ones. */

import { availableParallelism } from "node:os";
import { buildMonth } from "../builder/build/build-month.js";

/** Builds and publishes the drop `file` as `month`, with stored rows. */
export async function buildSynthetic(file: string, dataFolder: string, month: string): Promise<void> {
	await buildMonth({
		files: [file],
		dataFolder,
		month,
		maps: [],
		dateFormat: null,
		accept: new Set(["rejects", "states", "total", "nulls", "vocabulary", "matches", "duplicates", "dates"]),
		dryRun: false,
		rowStore: true,
		threads: availableParallelism(),
		now: () => new Date(),
	});
}
