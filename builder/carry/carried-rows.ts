/**
 * Rows of a published month as a source of another build: CSV of some states as `builder dump` would write it,
 * generated as it is read. Its values are those of the month, byte for byte.
 */

import { ByteSink } from "../../engine/render/sink.js";
import type { SnapshotFiles, StateRun } from "../../formats/index.js";
import { ExactCsv } from "../dump/exact-csv.js";
import type { ByteReader } from "../input/byte-reader.js";
import { PieceFiller } from "../input/piece-filler.js";
import type { SourceFile } from "../input/source-files.js";

const PIECE_BYTES = 1 << 20;
/** Approximate maximum size of a row: cells are bounded (csv/cell-cleaner.ts). */
const ROW_BYTES_MAX = 1 << 19;

class CarriedRowsReader implements ByteReader {
	sourceBytes = 0;
	private readonly csv: ExactCsv;
	private readonly sink = new ByteSink(PIECE_BYTES + ROW_BYTES_MAX);
	private readonly filler = new PieceFiller(async () => this.next());
	private readonly runs: StateRun[];
	private row: number;

	constructor(files: SnapshotFiles, runs: readonly StateRun[]) {
		this.csv = new ExactCsv(files);
		this.runs = [...runs];
		this.row = runs[0]?.first ?? 0;
		this.csv.header(this.sink);
	}

	read(target: Uint8Array): Promise<number> {
		return this.filler.fill(target);
	}

	async close(): Promise<void> {
		this.runs.length = 0;
	}

	private next(): Uint8Array | null {
		while (this.runs.length > 0 && this.sink.length < PIECE_BYTES) {
			const [run] = this.runs;
			if (this.row < run.first + run.rows) this.csv.row(this.row++, this.sink);
			else {
				this.runs.shift();
				this.row = this.runs[0]?.first ?? 0;
			}
		}
		if (this.sink.length === 0) return null;
		const piece = this.sink.view().slice();
		this.sink.reset();
		this.sourceBytes += piece.length;
		return piece;
	}
}

/** The rows of `runs` as a source; `files` is the month that contains them. */
export function carriedSource(files: SnapshotFiles, runs: readonly StateRun[]): SourceFile {
	const states = runs.map(({ state }) => state).join(", ");
	return {
		path: `${files.folder} (${states})`,
		bytes: null,
		inside: null,
		open: () => new CarriedRowsReader(files, runs),
	};
}
