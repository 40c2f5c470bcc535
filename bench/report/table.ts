/** The benchmark's result as a table for a terminal. */

import { formatTable } from "../../builder/command-line.js";
import { REPEATS_MARKS } from "../measure/draw-questions.js";
import type { ShapeFigures } from "../measure/run-shape.js";
import { milliseconds, type Percentiles } from "../measure/samples.js";
import type { BaselineRatio } from "./document.js";

/** One line per shape: the engine, each peer, the ratio to the best of them. Times are in milliseconds. */
export function shapeTable(shapes: readonly ShapeFigures[]): string {
	const names = [...new Set(shapes.flatMap(({ peers }) => peers.map((peer) => peer.name)))];
	const header = [
		"shape",
		"draws",
		"p50",
		"p99",
		"max",
		"first touch",
		"access p50/p99",
		"rendering p50/p99",
		"again p50/p99",
		...names.map((name) => `${name} p50/p99`),
		...(names.length === 0 ? [] : ["× p50", "× p99"]),
		"scanned",
		"allocated",
		"bytes",
	];
	const rows = shapes.map((figures) => [
		`${figures.shape}${REPEATS_MARKS[figures.repeats]}`,
		String(figures.engine.n),
		milliseconds(figures.engine.p50),
		milliseconds(figures.engine.p99),
		milliseconds(figures.engine.max),
		milliseconds(figures.firstTouchMs),
		...[figures.access, figures.rendering, figures.again].map((of) => (of === null ? "-" : pair(of))),
		...names.map((name) => {
			const peer = figures.peers.find((asked) => asked.name === name);
			if (peer === undefined) return "-";
			return peer.n === figures.engine.n ? pair(peer) : `${pair(peer)} of ${peer.n}`;
		}),
		...(figures.best === null ? [] : [times(figures.best.p50.times), times(figures.best.p99.times)]),
		Math.round(figures.scanned).toLocaleString("en-US"),
		figures.allocated === null ? "?" : `${(figures.allocated.median / 1000).toFixed(1)} kB`,
		figures.bytes.toLocaleString("en-US"),
	]);
	return formatTable(header, rows);
}

/** One line per shape: this run's times over the baseline's. */
export function baselineTable(ratios: readonly BaselineRatio[]): string {
	const rows = ratios.map(({ shape, p50, p99 }) => [shape, p50.toFixed(2), p99.toFixed(2)]);
	return formatTable(["shape", "p50 / baseline", "p99 / baseline"], rows);
}

function pair({ p50, p99 }: Percentiles): string {
	return `${milliseconds(p50)} / ${milliseconds(p99)}`;
}

function times(value: number): string {
	return value < 100 ? value.toFixed(1) : value.toFixed(0);
}
