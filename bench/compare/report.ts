/** A comparison as a table for a terminal. */

import { formatTable } from "../../builder/command-line.js";
import { REPEATS_MARKS } from "../measure/draw-questions.js";
import { milliseconds } from "../measure/samples.js";
import type { ComparedShape, ComparedTimes, EngineComparison } from "./compare-engines.js";
import type { ComparedRequests } from "./compare-http.js";

/** One line per shape: both sides' times, the ratio with its interval, and whether it lies beyond the threshold. */
export function comparisonTable({ shapes, refused }: EngineComparison): string {
	const header = [
		"shape",
		"p50 ms, A",
		"B",
		"B / A",
		"interval",
		"",
		"p99 ms, A",
		"B",
		"B / A",
		"interval",
		"",
	];
	const rows = shapes.map((shape) => [
		`${shape.shape}${REPEATS_MARKS[shape.repeats]}`,
		...timesCells(shape.p50),
		...timesCells(shape.p99),
	]);
	const notes = [
		...shapes.filter((s) => !s.sameBytes).map((s) => `${s.shape}: the sides' responses differ`),
		...refused.map(({ shape, reason }) => `${shape}: not compared: ${reason}`),
	];
	return [formatTable(header, rows), ...(notes.length === 0 ? [] : ["", ...notes]), "", summary(shapes)].join(
		"\n",
	);
}

/** One line per question over HTTP: CPU time of a request, in microseconds. */
export function requestsTable(requests: readonly ComparedRequests[]): string {
	const header = ["over HTTP, CPU µs a request", "A", "B", "B / A", "interval", ""];
	const rows = requests.map(({ asked, cpuUs: { a, b, ratio, verdict } }) => [
		asked,
		a.toFixed(1),
		b.toFixed(1),
		ratio.median.toFixed(3),
		`${ratio.low.toFixed(3)}–${ratio.high.toFixed(3)}`,
		verdict === "within" ? "" : verdict.toUpperCase(),
	]);
	const notes = requests.filter((r) => !r.sameBytes).map((r) => `${r.asked}: the sides' responses differ`);
	return [formatTable(header, rows), ...(notes.length === 0 ? [] : ["", ...notes])].join("\n");
}

function timesCells({ a, b, ratio, verdict }: ComparedTimes): string[] {
	return [
		milliseconds(a),
		milliseconds(b),
		ratio.median.toFixed(3),
		`${ratio.low.toFixed(3)}–${ratio.high.toFixed(3)}`,
		verdict === "within" ? "" : verdict.toUpperCase(),
	];
}

function summary(shapes: readonly ComparedShape[]): string {
	if (shapes.length === 0) return "no shape was compared";
	const mean = (at: "p50" | "p99") =>
		Math.exp(shapes.reduce((sum, s) => sum + Math.log(s[at].ratio.median), 0) / shapes.length).toFixed(3);
	const slower = shapes.filter(isSlower).length;
	const faster = shapes.filter((s) => s.p50.verdict === "faster" || s.p99.verdict === "faster").length;
	const confidence = shapes[0]?.p50.ratio.confidence ?? 0;
	return (
		`B / A, geometric mean of ${shapes.length} shapes: p50 ${mean("p50")}, p99 ${mean("p99")}; ` +
		`intervals of ${(confidence * 100).toFixed(1)} % confidence; ${slower} slower, ${faster} faster`
	);
}

/** Whether the whole interval of p50 or of p99 lies beyond its threshold. */
export function isSlower({ p50, p99 }: ComparedShape): boolean {
	return p50.verdict === "slower" || p99.verdict === "slower";
}
