/** Plans and what ran as text for people: what `builder explain` and `builder explain --analyze` print. */

import { countRows } from "../columns/runs.js";
import type { AskedCompound, AskedWord } from "../names/asked-name.js";
import type { PathEstimates, TraceStep } from "../trace.js";
import type { Plan, PredicatePlan, TermPlan } from "./plan.js";

const WAYS: Record<Plan["selection"], string> = {
	empty: "nothing can match",
	runs: "the runs are the answer",
	slice: "the rows of the one predicate are the answer, in order",
	merge: "merge a slice of each state's order",
	counted: "slices of orders count the rows; test rows in order up to the page",
	list: "list the rows of the first predicate, test the others row by row",
	scan: "read the codes of the runs' rows sequentially",
	bitmap: "intersect bitmaps over the runs",
	names: "search the runs for the name, test the predicates row by row",
};

/** The lines of `plan`, each ending in a newline. */
export function formatPlan(plan: Plan): string {
	const lines = [`select  ${plan.selection}: ${WAYS[plan.selection]}`];
	const runs = plan.runs.length === 1 ? "1 run" : `${plan.runs.length} runs`;
	const where = plan.state === null ? "" : ` of ${plan.state.state}`;
	lines.push(`  ${runs}${where}, ${countRows(plan.runs)} rows`);
	for (const predicate of plan.predicates) lines.push(...formatPredicate(predicate));
	if (plan.name !== null) lines.push(`  name: ${plan.name.compounds.map(compoundText).join(" and ")}`);
	const { columns, byMatch, order, scan } = plan.order;
	const keys = [...(byMatch ? ["match"] : columns), "id"].join(", ");
	lines.push(`order   ${keys} ${order}, along ${scan.source} [${scan.from}, ${scan.to})`);
	return `${lines.join("\n")}\n`;
}

/** Terms of a predicate that are printed; a query may name a hundred values. */
const TERMS_PRINTED_MAX = 5;

function formatPredicate({ filters, column, negated, terms, rows }: PredicatePlan): string[] {
	const name = `  ${filters.join(", ")}: ${column}`;
	if (!negated && terms.length === 1) return [`${name} ${formatTerm(terms[0])}`];
	const set = negated ? "none of" : "any of";
	const count = terms.length === 1 ? "1 range" : `${terms.length} ranges`;
	const printed = terms.slice(0, TERMS_PRINTED_MAX).map((term) => `    ${formatTerm(term)}`);
	const more = terms.length - printed.length;
	const rest = more > 0 ? [`    and ${more} more`] : [];
	return [
		`${name} ${set} ${count} of codes, ${negated ? "about" : "at most"} ${rows} rows`,
		...printed,
		...rest,
	];
}

function formatTerm({ codes, rows, slice, bitmap }: TermPlan): string {
	const at = slice.source === "none" ? "" : ` at ${slice.source} [${slice.from}, ${slice.to})`;
	const stored = bitmap === null ? "no bitmap" : `${bitmap} bitmap`;
	return `codes [${codes.from}, ${codes.to}), ${rows} rows${at}, ${stored}`;
}

/** A compound of the name: its parts, or all of them as one word. */
function compoundText({ parts, whole }: AskedCompound): string {
	const words = parts.map(wordText).join(" ");
	return whole === null ? words : `(${words} or ${wordText(whole)})`;
}

/** `jhonson~1`: within one edit; `joh*`: also as a prefix. */
function wordText({ text, isPrefix, edits }: AskedWord): string {
	return `${text}${isPrefix ? "*" : ""}${edits === 0 ? "" : `~${edits}`}`;
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
