/** Cost model of selecting rows: which way evaluates a plan's predicates cheapest, including ordering the result. */

import { type ColumnName, columnNamed } from "../../formats/index.js";
import { countRows, type Run } from "../columns/runs.js";
import {
	CLEAR_SHARE,
	COST_NS,
	CUT_SLACK_ROWS,
	CUTS_COUNTED,
	NEAR_BUDGET,
	NEAR_STEPS_MAX,
	RUN_WORDS,
} from "../tuning.js";
import { isListed, isMadeByRun, onlyTerm, type PredicatePlan, type SelectionKind } from "./plan.js";
import { costOf } from "./predicates.js";

/** Columns that are correlated with the state: most of their values are in few states. */
const CORRELATED_WITH_STATE: ReadonlySet<ColumnName> = new Set<ColumnName>([
	"member_city",
	"member_postal_code",
]);

/** How to select, the predicate to begin with, and the cost in nanoseconds. */
interface Choice {
	readonly kind: SelectionKind;
	readonly driver: number;
	readonly cost: number;
}

/**
 * The cheapest way to evaluate `predicates` over `runs`, which are within `spanRows` rows, including ordering
 * the result up to its row `end`.
 */
export function chooseSelection(
	runs: readonly Run[],
	predicates: readonly PredicatePlan[],
	sort: readonly ColumnName[],
	spanRows: number,
	end: number,
): Choice {
	const rows = countRows(runs);
	if (rows === 0) return { kind: "empty", driver: 0, cost: 0 };
	if (predicates.length === 0) return { kind: "runs", driver: 0, cost: 0 };
	const bitmap = bitmapCost(runs, rows, predicates, sort, spanRows, end);
	const lister = predicates.findIndex(isListed);
	const scanner = predicates.findIndex(isScannable);
	const list = lister === -1 ? Number.POSITIVE_INFINITY : listCost(predicates, lister, sort, spanRows);
	const scan =
		scanner === -1 ? Number.POSITIVE_INFINITY : scanCost(rows, predicates, scanner, sort, spanRows);
	const cost = Math.min(bitmap, list, scan);
	if (cost === list) return { kind: "list", driver: lister, cost };
	return cost === scan ? { kind: "scan", driver: scanner, cost } : { kind: "bitmap", driver: 0, cost };
}

/** Cost of combining the predicates' bitmaps and ordering the result. */
function bitmapCost(
	runs: readonly Run[],
	rows: number,
	predicates: readonly PredicatePlan[],
	sort: readonly ColumnName[],
	spanRows: number,
	end: number,
): number {
	const words = isMadeByRun(runs)
		? rows / 32 + runs.length * RUN_WORDS
		: (runs[runs.length - 1].to - runs[0].from) / 32;
	// The first predicate's bitmap is combined with no other.
	let cost = words * (COST_NS.countWord - COST_NS.andWord);
	let left = rows;
	for (const predicate of predicates) {
		cost += costOf(predicate.terms, words * 32);
		left *= shareOf(predicate, rows, spanRows);
	}
	if (sort.length === 0) return cost;
	// Rows of some states are often together in an order of all, and fewer of a value's rows are in these than it has.
	const steps = Math.min(1, ((rows < spanRows ? NEAR_BUDGET : 1) * end) / left) * spanRows;
	const scan = (steps * COST_NS.scanStep) / CLEAR_SHARE;
	if (steps <= NEAR_STEPS_MAX) return cost + scan;
	const cuts = words * CUTS_COUNTED * COST_NS.countWord + CUT_SLACK_ROWS * COST_NS.selectRow;
	return cost + COST_NS.sample + Math.min(left * (COST_NS.listRow + COST_NS.selectRow), scan, cuts);
}

/** The share of `rows` rows, which are within `spanRows` rows, that meet a predicate. */
function shareOf(predicate: PredicatePlan, rows: number, spanRows: number): number {
	// The runs may be exactly the states that have the requested values.
	const term = onlyTerm(predicate);
	const isOneValue = term !== null && term.codes.to - term.codes.from === 1;
	const isCorrelated = isOneValue || CORRELATED_WITH_STATE.has(predicate.column);
	return Math.min(1, predicate.rows / (isCorrelated ? rows : spanRows));
}

/** Whether the predicates can be tested by the codes of rows. */
function isScannable({ column }: PredicatePlan): boolean {
	return columnNamed(column).kind !== "string";
}

/** Cost of testing one predicate on `rows` rows sequentially, the others on those left, and ordering the result. */
function scanCost(
	rows: number,
	predicates: readonly PredicatePlan[],
	driver: number,
	sort: readonly ColumnName[],
	spanRows: number,
): number {
	let left = rows;
	let cost = rows * COST_NS.scanRow;
	for (let i = 0; i < predicates.length; i++) {
		if (i !== driver) cost += left * COST_NS.testRow;
		left *= shareOf(predicates[i], rows, spanRows);
	}
	return sort.length === 0 ? cost : cost + left * COST_NS.selectRow;
}

/** Whether rows are tested by a stored bitmap, and not by their codes. */
function isTestedByBit({ terms }: PredicatePlan): boolean {
	return terms.length === 1 && (terms[0].bitmap === "code" || terms[0].bitmap === "missing");
}

/** Cost of listing one predicate's rows, testing the others on them, and ordering the result. */
function listCost(
	predicates: readonly PredicatePlan[],
	driver: number,
	sort: readonly ColumnName[],
	spanRows: number,
): number {
	const { ascending, rows, terms } = predicates[driver];
	const testCode = ascending ? COST_NS.testRow : COST_NS.testFarRow;
	let left = rows;
	let cost = left * COST_NS.listRow + terms.length * COST_NS.openSlice;
	for (let i = 0; i < predicates.length; i++) {
		if (i === driver) continue;
		cost += left * (isTestedByBit(predicates[i]) ? COST_NS.testBit : testCode);
		left *= Math.min(1, predicates[i].rows / spanRows);
	}
	if (sort.length === 0) return ascending ? cost : cost + left * COST_NS.selectRow;
	return cost + left * (ascending ? COST_NS.selectRow : COST_NS.selectFarRow);
}
