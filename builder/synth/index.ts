/**
 * Realistic synthetic drops: 62 jurisdictions, each with the wording, formats and peculiarities of its own
 * licensing body. Each month evolves from the month before.
 *
 * Invariants: the bytes of a month follow from (rows, seed, month, agentCount) alone, independent of the other
 * months generated with it; every drop has exactly the requested rows; memory does not grow with them, except
 * for about 15 bytes per row of the largest jurisdiction for its offices.
 */

import { join } from "node:path";
import { monthNumber } from "../../formats/index.js";
import { CsvBuffer } from "./csv-buffer.js";
import { DropFile } from "./drop-file.js";
import { nameVocabulary } from "./names.js";
import { checkOptions, type SynthesizeOptions } from "./options.js";
import { openGazetteer } from "./places.js";
import { PROFILES } from "./profiles.js";
import { planRegisters, type Register } from "./registers.js";
import { residencesIn } from "./residences.js";
import { RowWriter, type Surroundings, SYNTH_COLUMNS } from "./row.js";

export type { SynthesizeOptions } from "./options.js";
export { SYNTH_COLUMNS } from "./row.js";

export interface SyntheticDrop {
	readonly path: string;
	/** `YYYY-MM`. */
	readonly month: string;
	readonly rows: number;
	readonly bytes: number;
}

/** File name of a month's drop. */
export function dropName(month: string): string {
	return `licenses-${month}.csv`;
}

/**
 * Writes one CSV drop for each month into `options.out`: UTF-8, a header line, LF. Cost: about 3 µs and 216
 * bytes a row, on one core.
 *
 * Throws BuildError: `bad_synth_options`; `unwritable_file`, which leaves no file under the name of the month
 * that failed.
 */
export async function synthesize(options: SynthesizeOptions): Promise<{ files: SyntheticDrop[] }> {
	checkOptions(options);
	const gazetteer = openGazetteer();
	const inCountry = (country: "US" | "CA") =>
		residencesIn(
			PROFILES.filter((profile) => profile.jurisdiction.country === country),
			gazetteer,
		);
	const surroundings: Surroundings = {
		vocabulary: nameVocabulary(),
		gazetteer,
		residences: { US: inCountry("US"), CA: inCountry("CA") },
		agentCount: options.agentCount ?? true,
	};
	const registers = planRegisters(options.rows, options.seed);
	const files: SyntheticDrop[] = [];
	for (const month of options.months) {
		const path = join(options.out, dropName(month));
		const file = await DropFile.create(path);
		try {
			const told = (rows: number) => options.onProgress?.(files.length * options.rows + rows);
			const bytes = await writeDrop(file, registers, month, surroundings, told);
			await file.publish();
			files.push({ path, month, rows: options.rows, bytes });
		} catch (error) {
			await file.discard();
			throw error;
		}
	}
	return { files };
}

/** Writes the drop of `month` and returns its size in bytes. */
async function writeDrop(
	file: DropFile,
	registers: readonly Register[],
	month: string,
	surroundings: Surroundings,
	told: (rows: number) => void,
): Promise<number> {
	const out = new CsvBuffer();
	const columns = SYNTH_COLUMNS.filter((name) => surroundings.agentCount || name !== "agent_count");
	out.literal(new TextEncoder().encode(`${columns.join(",")}\n`));
	let rows = 0;
	let bytes = 0;
	for (const register of registers) {
		const writer = new RowWriter(register, monthNumber(month), surroundings, out);
		for (let slot = 0; slot < register.slots; slot++) {
			writer.write(slot);
			if (!out.full) continue;
			const taken = out.take();
			bytes += taken.length;
			await file.write(taken);
			told(rows + slot + 1);
		}
		rows += register.slots;
	}
	const rest = out.take();
	await file.write(rest);
	told(rows);
	return bytes + rest.length;
}
