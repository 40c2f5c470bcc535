/**
 * Writes engine/render/gzip/generated/symbol-counts.ts: how often each DEFLATE symbol occurs in pages of a
 * synthetic month, half of them in capitals as some licensing bodies write. `npm run generate:gzip`.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ByteSink, DEFAULT_QUERY, type RowFormat, type Snapshot } from "../engine/index.js";
import { countSymbols } from "../engine/render/gzip/row-gzip.js";
import { SORTABLE_COLUMNS } from "../formats/index.js";
import { DEFAULT_MONTH, DEFAULT_WORK_FOLDER, openSnapshot, prepareData } from "./data/bench-month.js";
import { WHOLE_ROW } from "./shapes/named-shapes.js";

const ROWS = 200_000;
const SEED = 7;
const PAGES_PER_SORT = 4;
const FORMATS: readonly RowFormat[] = ["json", "ndjson", "csv"];
const FOLDER = fileURLToPath(new URL("../../engine/render/gzip/generated", import.meta.url));

function samplePages(snapshot: Snapshot, format: RowFormat): Buffer[] {
	const pages: Buffer[] = [];
	for (const { name } of SORTABLE_COLUMNS) {
		for (let i = 0; i < PAGES_PER_SORT; i++) {
			const page = snapshot.query({ ...DEFAULT_QUERY, sort: [name], page: 1 + i * 120 });
			const sink = new ByteSink();
			snapshot.renderRows(page.rows, WHOLE_ROW, format, sink);
			const text = sink.view().toString();
			pages.push(Buffer.from(i % 2 === 0 ? text : inCapitals(text, format)));
		}
	}
	return pages;
}

/** The values in capitals; labels of JSON stay. */
function inCapitals(text: string, format: RowFormat): string {
	if (format === "csv") return text.toUpperCase();
	return text.replaceAll(/:"(?:[^"\\]|\\.)*"/g, (value) => value.toUpperCase());
}

const data = await prepareData(
	{ work: DEFAULT_WORK_FOLDER, rows: ROWS, seed: SEED, months: [DEFAULT_MONTH] },
	(message) => process.stderr.write(`${message}\n`),
);
const snapshot = openSnapshot(data);
const entries = FORMATS.map(
	(format) => `\t${format}: ${JSON.stringify(countSymbols(samplePages(snapshot, format), format))},`,
);
mkdirSync(FOLDER, { recursive: true });
writeFileSync(
	`${FOLDER}/symbol-counts.ts`,
	[
		"/** Counted by bench/generate-symbol-counts.ts: literals and lengths 0 to 285, then distances 0 to 29. */",
		"",
		'import type { RowFormat } from "../../../query.js";',
		"",
		"export const SYMBOL_COUNTS: Readonly<Record<RowFormat, readonly number[]>> = {",
		...entries,
		"};",
		"",
	].join("\n"),
);
