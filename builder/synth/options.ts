/**
 * The options of a run and their validation. In a separate file, so that the command line can report errors
 * without loading the names and places.
 */

import { isMonth, MAX_ROWS } from "../../formats/index.js";
import { BuildError } from "../errors.js";

/** Last month that can be generated: license numbers are allocated up to it. */
export const LAST_MONTH = "2049-12";

export interface SynthesizeOptions {
	/** Rows of every month, 1 to 99,999,999. */
	readonly rows: number;
	/** `YYYY-MM`, 2000-01 to 2049-12, no month twice. */
	readonly months: readonly string[];
	/** A safe integer. */
	readonly seed: number;
	/** Folder of the drops; created if it does not exist. A drop of the same name is replaced. */
	readonly out: string;
	/** Whether drops have an agent_count column. Default: true. */
	readonly agentCount?: boolean;
	/** Called with the rows written so far, over all months. */
	readonly onProgress?: (rows: number) => void;
}

/** Throws {@link BuildError} `bad_synth_options` for invalid options. */
export function checkOptions(options: SynthesizeOptions): void {
	const refuse = (message: string) => {
		throw new BuildError("bad_synth_options", message);
	};
	const { rows, months, seed } = options;
	if (!Number.isInteger(rows) || rows < 1 || rows > MAX_ROWS)
		refuse(`rows: expected a whole number from 1 to ${MAX_ROWS}, got ${rows}`);
	if (!Number.isSafeInteger(seed)) refuse(`seed: expected a safe integer, got ${seed}`);
	if (months.length === 0) refuse("months: expected at least one");
	for (const month of months) {
		if (!isMonth(month) || month > LAST_MONTH)
			refuse(`months: expected YYYY-MM from 2000-01 to ${LAST_MONTH}, got ${month}`);
	}
	if (new Set(months).size < months.length) refuse("months: one is given twice");
}
