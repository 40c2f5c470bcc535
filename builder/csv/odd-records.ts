/** Records of a source with a peculiarity, counted, with the first ones as samples. */

import { ODD_SAMPLE_CHARACTERS_MAX, ODD_SAMPLES_MAX, type OddSample } from "../input/byte-reader.js";

export interface OddRecords {
	count: number;
	/** The first ones. */
	readonly samples: OddSample[];
}

/** Notes a record on line `line`. */
export function noteRecord(found: OddRecords, line: number, text: string): void {
	found.count++;
	if (found.samples.length === ODD_SAMPLES_MAX) return;
	found.samples.push({ line, text: text.slice(0, ODD_SAMPLE_CHARACTERS_MAX) });
}

/** Samples with their lines of the file, of which they have those relative to `line`. */
export function placedFrom(line: number, samples: readonly OddSample[]): OddSample[] {
	return samples.map((sample) => ({ ...sample, line: line + sample.line }));
}
