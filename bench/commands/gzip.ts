/**
 * `bench gzip`: compressed pages compared with zlib. Each page is a different query, executed once; the three
 * compressors process it in turn, and each result is decompressed and compared with the page.
 */

import { constants, gunzipSync, gzipSync } from "node:zlib";
import { Command } from "commander";
import { formatTable } from "../../builder/command-line.js";
import {
	ByteSink,
	DEFAULT_QUERY,
	type Projection,
	type RowFormat,
	type Snapshot,
} from "../../engine/index.js";
import { type ColumnName, SORTABLE_COLUMNS } from "../../formats/index.js";
import { DEFAULT_MONTH, openSnapshot, prepareData } from "../data/bench-month.js";
import { percentiles } from "../measure/samples.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";
import { type DataFlags, tell, wholeNumber, withDataOptions } from "./options.js";

interface GzipFlags extends DataFlags {
	readonly pages: number;
	readonly json: boolean;
}

export interface GzipFigures {
	readonly pages: string;
	readonly count: number;
	/** Mean bytes of a page, uncompressed and compressed. */
	readonly bytes: number;
	readonly engineBytes: number;
	readonly zlib1Bytes: number;
	readonly zlib6Bytes: number;
	/** Median of the pages' time ratios, zlib to engine. */
	readonly zlib1Times: number;
	readonly zlib6Times: number;
	/** Median nanoseconds per byte of the page. */
	readonly nsPerByte: number;
}

interface Kind {
	readonly name: string;
	readonly format: RowFormat;
	readonly projection: Projection;
	readonly limit: number;
}

const SPARSE: readonly ColumnName[] = ["id", "member_full_name", "member_license_status", "member_city"];

const KINDS: readonly Kind[] = [
	{ name: "JSON, 100 rows", format: "json", projection: WHOLE_ROW, limit: 100 },
	{ name: "JSON, 10 rows", format: "json", projection: WHOLE_ROW, limit: 10 },
	{ name: "JSON, 1,000 rows", format: "json", projection: WHOLE_ROW, limit: 1000 },
	{ name: "JSON, masked", format: "json", projection: { ...WHOLE_ROW, masked: true }, limit: 100 },
	{ name: "JSON, four columns", format: "json", projection: { columns: SPARSE, masked: false }, limit: 100 },
	{ name: "NDJSON, 100 rows", format: "ndjson", projection: WHOLE_ROW, limit: 100 },
	{ name: "CSV, 100 rows", format: "csv", projection: WHOLE_ROW, limit: 100 },
];

export function gzipCommand(): Command {
	const command = new Command("gzip")
		.description("measure compressed pages against zlib at levels 1 and 6")
		.option("--pages <n>", "pages of each kind", wholeNumber, 400)
		.option("--json", "print one JSON document", false);
	return withDataOptions(command).action(async (flags: GzipFlags) => {
		const data = await prepareData({ ...flags, months: [DEFAULT_MONTH] }, tell);
		const figures = measureGzip(openSnapshot(data), flags.pages);
		process.stdout.write(flags.json ? `${JSON.stringify(figures)}\n` : `${table(figures)}\n`);
	});
}

/** Figures of every kind of page. Throws if a compressed page does not decompress to the page. */
export function measureGzip(snapshot: Snapshot, pages: number): GzipFigures[] {
	return KINDS.map((kind) => measureKind(snapshot, kind, pages));
}

function measureKind(snapshot: Snapshot, kind: Kind, pages: number): GzipFigures {
	const compressors = [
		(body: Buffer) => snapshot.gzip(body, kind.format),
		(body: Buffer) => gzipSync(body, { level: constants.Z_BEST_SPEED }),
		(body: Buffer) => gzipSync(body, { level: 6 }),
	];
	const bytes = [0, 0, 0];
	const ratios: [number[], number[]] = [[], []];
	const perByte: number[] = [];
	let plain = 0;
	// Plus a tenth for warm-up.
	const warmup = Math.ceil(pages / 10);
	for (let i = -warmup; i < pages; i++) {
		const body = drawPage(snapshot, kind, i + warmup, pages + warmup);
		const ms = [0, 0, 0];
		for (let turn = 0; turn < compressors.length; turn++) {
			const which = (turn + i + warmup) % compressors.length;
			const startedMs = performance.now();
			const compressed = compressors[which](body);
			ms[which] = performance.now() - startedMs;
			if (!gunzipSync(compressed).equals(body)) throw new Error(`${kind.name}: page ${i} decodes to another`);
			if (i >= 0) bytes[which] += compressed.length / pages;
		}
		if (i < 0) continue;
		plain += body.length / pages;
		ratios[0].push(ms[1] / ms[0]);
		ratios[1].push(ms[2] / ms[0]);
		perByte.push((ms[0] * 1e6) / body.length);
	}
	return {
		pages: kind.name,
		count: pages,
		bytes: Math.round(plain),
		engineBytes: Math.round(bytes[0]),
		zlib1Bytes: Math.round(bytes[1]),
		zlib6Bytes: Math.round(bytes[2]),
		zlib1Times: percentiles(ratios[0]).p50,
		zlib6Times: percentiles(ratios[1]).p50,
		nsPerByte: percentiles(perByte).p50,
	};
}

/** Page number `index` of `count`, evenly distributed over the months' orders. */
function drawPage(snapshot: Snapshot, kind: Kind, index: number, count: number): Buffer {
	const sorts = SORTABLE_COLUMNS;
	const deepest = Math.max(1, Math.floor(Math.min(snapshot.rows, 50_000) / kind.limit));
	const page = 1 + Math.floor((deepest * index) / count);
	const sort = [sorts[index % sorts.length].name];
	const found = snapshot.query({ ...DEFAULT_QUERY, sort, page, limit: kind.limit });
	const sink = new ByteSink();
	if (kind.format === "json") snapshot.renderList(found, kind.projection, sink);
	else snapshot.renderRows(found.rows, kind.projection, kind.format, sink);
	return Buffer.from(sink.view());
}

function table(figures: readonly GzipFigures[]): string {
	return formatTable(
		[
			"page",
			"count",
			"bytes",
			"engine",
			"zlib 1",
			"zlib 6",
			"size ÷ zlib 6",
			"zlib 1 ÷ engine",
			"zlib 6 ÷ engine",
			"ns/B",
		],
		figures.map((f) => [
			f.pages,
			String(f.count),
			String(f.bytes),
			String(f.engineBytes),
			String(f.zlib1Bytes),
			String(f.zlib6Bytes),
			(f.engineBytes / f.zlib6Bytes).toFixed(2),
			f.zlib1Times.toFixed(1),
			f.zlib6Times.toFixed(1),
			f.nsPerByte.toFixed(2),
		]),
	);
}
