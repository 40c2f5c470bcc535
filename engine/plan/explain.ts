/** Plans and what ran as text for people: what `builder explain` and `builder explain --analyze` print. */

import { countRows } from "../columns/runs.js";
import type { PathEstimates, TraceStep } from "../trace.js";
import type { Plan } from "./plan.js";

const WAYS: Record<Plan["selection"], string> = {
	empty: "nothing can match",
	runs: "the runs are the answer",
	slice: "the rows of the one predicate are the answer, in order",
	merge: "merge a slice of each state's order",
	list: "list the rows of the first predicate, test the others row by row",
	scan: "read the codes of the runs' rows sequentially",
	bitmap: "intersect bitmaps over the runs",
};

/** The lines of `plan`, each ending in a newline. */
export function formatPlan(plan: Plan): string {
	const lines = [`select  ${plan.selection}: ${WAYS[plan.selection]}`];
	const runs = plan.runs.length === 1 ? "1 run" : `${plan.runs.length} runs`;
	const where = plan.state === null ? "" : ` of ${plan.state.state}`;
	lines.push(`  ${runs}${where}, ${countRows(plan.runs)} rows`);
	for (const predicate of plan.predicates) {
		const { source, from, to } = predicate.slice;
		const bitmap = predicate.bitmap === null ? "no bitmap" : `${predicate.bitmap} bitmap`;
		lines.push(
			`  ${predicate.filters.join(", ")}: ${predicate.column} codes [${predicate.codes.from}, ${predicate.codes.to}), ` +
				`${predicate.rows} rows at ${source} [${from}, ${to}), ${bitmap}`,
		);
	}
	const { columns, order, scan } = plan.order;
	const keys = columns.length === 0 ? "id" : `${columns.join(", ")}, id`;
	lines.push(`order   ${keys} ${order}, along ${scan.source} [${scan.from}, ${scan.to})`);
	return `${lines.join("\n")}\n`;
}

/** What answering a query did. */
export interface Analysis {
	readonly plan: Plan;
	/** How the matching rows came out, how many they are, and how many elements were read for them. */
	readonly selection: { readonly kind: string; readonly rows: number; readonly elements: number };
	/** Steps of ordering, in the order they began. */
	readonly steps: readonly TraceStep[];
	/** Times in milliseconds. */
	readonly ms: { readonly plan: number; readonly select: number; readonly order: number };
}

/** The lines of an analysis, each ending in a newline: the plan, and what ran; with times unless `timed` is false. */
export function formatAnalysis({ plan, selection, steps, ms }: Analysis, timed = true): string {
	const time = (value: number) => (timed ? ` in ${value.toFixed(3)} ms` : "");
	const lines = [
		`planned${time(ms.plan)}`,
		`selected${time(ms.select)}: ${selection.kind}, ${selection.rows} rows, ${Math.round(selection.elements)} elements read`,
		`ordered${time(ms.order)}`,
	];
	for (const step of steps) {
		const { level, path, column, rows, elements, outcome, estimates } = step;
		const indent = "  ".repeat(level + 1);
		const given = outcome === "done" ? "" : ", given up";
		lines.push(
			`${indent}${path} by ${column} of ${rows} rows: ${Math.round(elements)} elements read${given}`,
		);
		if (estimates !== null) lines.push(`${indent}  ${formatEstimates(estimates)}`);
	}
	return `${formatPlan(plan)}${lines.join("\n")}\n`;
}

function formatEstimates({ from, to, indexScan, seekCuts, topN }: PathEstimates): string {
	const us = (ns: number) => `${Math.round(ns / 1000)} us`;
	const seek = seekCuts === null ? "no cuts to seek" : `seek cuts ${us(seekCuts)}`;
	return `estimated at positions [${from}, ${to}): index scan ${us(indexScan)}, ${seek}, top-N ${us(topN)}`;
}
