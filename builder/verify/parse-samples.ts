/**
 * Parses the sampled records of a month a second time, by a parser of its own that shares no dictionary and no worker
 * with the first. What it gives is compared with the finished files (read-back.ts).
 */

import type { ColumnName } from "../../formats/index.js";
import { ChunkParser } from "../csv/chunk-parser.js";
import type { ParsedMonth, ParsedPart, SampledRecord, WorkerDictionary } from "../csv/parsed-month.js";
import { BuildError } from "../errors.js";

/** The sampled rows of one part, parsed again: row i is `samples[i]`. */
export interface ParsedSamples {
	readonly part: Pick<ParsedPart, "codes" | "text">;
	readonly dictionaries: ReadonlyMap<ColumnName, WorkerDictionary>;
	readonly samples: readonly SampledRecord[];
	/** Row of the part's first row in the month. */
	readonly firstRow: number;
}

/**
 * The samples of every part. Throws {@link BuildError} `corrupt_snapshot` if a record is not one row when parsed alone.
 * Cost O(bytes of the samples).
 */
export function parseSamples(month: ParsedMonth): ParsedSamples[] {
	const parser = new ChunkParser();
	const parsed: Omit<ParsedSamples, "dictionaries">[] = [];
	let firstRow = 0;
	for (const part of month.parts) {
		const { samples } = part;
		if (samples.length > 0) {
			parsed.push({ part: parseRecords(parser, month, part), samples, firstRow });
		}
		firstRow += part.rows;
	}
	const dictionaries = parser.takeDictionaries();
	return parsed.map((part) => ({ ...part, dictionaries }));
}

function parseRecords(parser: ChunkParser, month: ParsedMonth, { samples, source }: ParsedPart) {
	const bytes = samples.reduce((sum, sample) => sum + sample.bytes.length, 0);
	const buffer = new SharedArrayBuffer(bytes);
	const target = new Uint8Array(buffer);
	let at = 0;
	for (const sample of samples) {
		target.set(sample.bytes, at);
		at += sample.bytes.length;
	}
	const plan = month.plans[source];
	const whole = { buffer, bytes, held: bytes, final: true, start: 0 };
	const reply = parser.parse({ session: 0, plan, sampleSeed: 0, ...whole });
	if (reply.outcome === "parsed" && reply.part.rows === samples.length) return reply.part;
	const rows = reply.outcome === "parsed" ? `${reply.part.rows} rows` : `no rows (${reply.outcome})`;
	throw new BuildError(
		"corrupt_snapshot",
		`${samples.length} sampled rows parse again as ${rows}; nothing is published`,
		{ file: month.sources[source].file },
	);
}
