/** Bodies that stand for what is asked of a month: what the code of row-gzip.ts is trained on. */

import { COLUMNS } from "../../../formats/index.js";
import type { RowFormat } from "../../query.js";
import type { RowRenderer } from "../rows.js";
import { ByteSink } from "../sink.js";

/** Half of the samples are neighbours in canonical order, half are spread over the month, as in other orders. */
const SAMPLES = 8;
const SAMPLE_ROWS = 40;

const WHOLE_ROWS = { columns: COLUMNS.map((column) => column.name), masked: false };

/** Rendered rows of a month of `rows` rows. The same for the same month. Cost O({@link SAMPLES} × {@link SAMPLE_ROWS}). */
export function sampleBodies(renderer: RowRenderer, rows: number, format: RowFormat): Uint8Array[] {
	const bodies: Uint8Array[] = [];
	if (rows === 0) return bodies;
	for (let sample = 0; sample < SAMPLES; sample++) {
		const sink = new ByteSink();
		const step = sample % 2 === 0 ? 1 : Math.max(1, Math.floor(rows / SAMPLE_ROWS));
		const first = Math.floor((rows * sample) / SAMPLES);
		const positions = Uint32Array.from({ length: SAMPLE_ROWS }, (_, i) => (first + i * step) % rows);
		renderer.rows(positions, WHOLE_ROWS, format, sink);
		bodies.push(Buffer.from(sink.view()));
	}
	return bodies;
}
