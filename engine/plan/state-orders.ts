/**
 * Plans from states' orders: where one range of values is asked for, the rows of each state that have them are a slice
 * of the state's order by that column, found by two binary searches and counted without reading a row.
 */

import { type ColumnName, columnNamed, type Range, type StateRun } from "../../formats/index.js";
import { countRows, type Run } from "../columns/runs.js";
import { firstPositionAtLeast } from "../kernels/codes.js";
import { COST_NS, MERGED_STATES_MAX } from "../tuning.js";
import type { PlanningContext } from "./context.js";
import { onlyTerm, type PredicatePlan } from "./plan.js";

/** Whether there are several states, but few enough to search the order of each. */
export function isFew({ length }: readonly StateRun[]): boolean {
	return length > 1 && length <= MERGED_STATES_MAX;
}

/**
 * The slices of a few states' orders that together are the answer; null if the query has another form. `named`
 * are the runs of a last name, if there is such a filter.
 */
export function planMerge(
	states: readonly StateRun[],
	named: readonly Run[] | null,
	predicates: readonly PredicatePlan[],
	sort: readonly ColumnName[],
	context: PlanningContext,
): readonly Range[] | null {
	if (sort.length !== 1 || !isFew(states)) return null;
	const runs = states.map(({ first, rows }) => ({ from: first, to: first + rows }));
	if (countRows(runs) === context.rows) return null;
	if (named !== null) return predicates.length === 0 && sort[0] === "member_last_name" ? named : null;
	if (predicates.length === 0) return runs;
	if (predicates.length > 1 || predicates[0].column !== sort[0]) return null;
	return slicesOf(states, predicates[0], context);
}

/**
 * The slices of orders that count the rows of the one predicate in the states, where testing rows one by one up to
 * the page's end, which is row `end` of the answer, costs less than `cost`, in nanoseconds; else null. `runs` are the
 * rows of the states that last names leave, `byRow` whether the page is in the order of rows.
 */
export function planCounted(
	states: readonly StateRun[],
	runs: readonly Run[],
	predicates: readonly PredicatePlan[],
	byRow: boolean,
	end: number,
	cost: number,
	context: PlanningContext,
): readonly Range[] | null {
	if (!byRow || predicates.length !== 1) return null;
	const [predicate] = predicates;
	const rows = countRows(runs);
	const isWhole = rows === context.rows;
	// Found already.
	if (isWhole && onlyTerm(predicate)?.bitmap === "code") return null;
	const isSearched = !isWhole && states.length > 1;
	const searches = isSearched ? 2 * states.length * COST_NS.searchState : 0;
	const tests = (matches: number) => Math.min(1, end / matches) * rows * COST_NS.scanRow;
	const share = predicate.rows / (states.length === 1 ? rows : context.rows);
	if (searches + tests(share * rows) >= cost) return null;
	const slices = countingSlices(states, runs, predicate, context);
	return slices !== null && tests(countRows(slices)) < cost ? slices : null;
}

/**
 * The slices of orders that count the rows of a predicate in the states, of which last names leave `runs`: of the
 * month's order or of each state's. Null if there are none, or too many states.
 */
export function countingSlices(
	states: readonly StateRun[],
	runs: readonly Run[],
	predicate: PredicatePlan,
	context: PlanningContext,
): readonly Range[] | null {
	const rows = countRows(runs);
	const term = onlyTerm(predicate);
	if (rows === context.rows && term?.slice.source === "permutation") return [term.slice];
	if (states.length > MERGED_STATES_MAX || rows !== rowsOf(states)) return null;
	return slicesOf(states, predicate, context);
}

function rowsOf(states: readonly StateRun[]): number {
	let sum = 0;
	for (const { rows } of states) sum += rows;
	return sum;
}

/** The slice of each state's order that has the state's rows of the predicate; null if these are not one slice each. */
function slicesOf(
	states: readonly StateRun[],
	predicate: PredicatePlan,
	{ columns }: PlanningContext,
): readonly Range[] | null {
	const term = onlyTerm(predicate);
	const column = columnNamed(predicate.column);
	if (term === null || !predicate.aligned || !column.sortable) return null;
	const { byState } = columns.permutation.get(column);
	if (byState === null) return null;
	if (term.slice.source === "byState") return [term.slice];
	const codes = columns.codes.get(column);
	return states.map(({ first, rows }) => {
		const from = firstPositionAtLeast(byState, codes, first, first + rows, term.codes.from);
		return { from, to: firstPositionAtLeast(byState, codes, from, first + rows, term.codes.to) };
	});
}
