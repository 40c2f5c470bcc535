/**
 * What pages that nobody has asked for take in this process, by shape: selecting their rows, and rendering them first, when
 * they are read from memory, and again, when they are in the processor's cache. HTTP is not part of it.
 */

import { parseQueryText } from "../../builder/commands/query-text.js";
import { ByteSink, type Query, type Snapshot } from "../../engine/index.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";
import { DistinctPaths, PAGE_SHAPES, Values } from "./requests.js";

/** Pages of a shape that are asked before those that are measured, until code is compiled. */
const WARM_UP_PAGES = 2_000;
const MEASURED_PAGES = 5_000;
const US_PER_MS = 1_000;

/** Means of the pages of one shape; times in microseconds. */
export interface PageParts {
	readonly shape: string;
	readonly selectUs: number;
	readonly renderUs: number;
	readonly renderAgainUs: number;
	readonly rows: number;
	readonly bytes: number;
}

/** Measures each of the shapes of pages that are asked once. */
export function measurePageParts(snapshot: Snapshot, seed: number): PageParts[] {
	const values = new Values(snapshot, seed);
	const drawn = PAGE_SHAPES.map((shape) => {
		const paths = new DistinctPaths([shape], values).next(WARM_UP_PAGES + MEASURED_PAGES);
		return { shape: shape.name, queries: paths.map(queryOf) };
	});
	const sink = new ByteSink();
	// All shapes first: code is compiled for what it has met.
	for (const { queries } of drawn)
		for (const query of queries.slice(0, WARM_UP_PAGES)) {
			sink.reset();
			snapshot.renderList(snapshot.query(query), WHOLE_ROW, sink);
		}
	return drawn.map(({ shape, queries }) => partsOf(shape, queries.slice(WARM_UP_PAGES), snapshot, sink));
}

function partsOf(shape: string, queries: readonly Query[], snapshot: Snapshot, sink: ByteSink): PageParts {
	let [selectMs, renderMs, againMs, rows, bytes] = [0, 0, 0, 0, 0];
	for (const query of queries) {
		const begun = performance.now();
		const page = snapshot.query(query);
		const selected = performance.now();
		sink.reset();
		snapshot.renderList(page, WHOLE_ROW, sink);
		const rendered = performance.now();
		sink.reset();
		snapshot.renderList(page, WHOLE_ROW, sink);
		againMs += performance.now() - rendered;
		selectMs += selected - begun;
		renderMs += rendered - selected;
		rows += page.rows.length;
		bytes += sink.length;
	}
	const usEach = (ms: number) => (ms * US_PER_MS) / queries.length;
	return {
		shape,
		selectUs: usEach(selectMs),
		renderUs: usEach(renderMs),
		renderAgainUs: usEach(againMs),
		rows: rows / queries.length,
		bytes: bytes / queries.length,
	};
}

function queryOf(path: string): Query {
	const text = path.slice(path.indexOf("?") + 1).replaceAll("+", "%20");
	return parseQueryText(text, ["page", "limit", "count"]).query;
}
