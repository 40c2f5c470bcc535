/**
 * Planning: from a query and a snapshot's counts to a plan, which is plain data and printable.
 * Nothing here reads rows beyond binary searches: cost O(states + filters × log rows).
 *
 * A plan says three things: which runs of rows are left by state, country and grant; which
 * predicates the other filters become; and the cheapest way to meet them:
 *
 * - `empty`: nothing can match.
 * - `runs`: the runs are the answer.
 * - `slice`: the one predicate's slice is the answer, and lists it in the order asked for.
 * - `merge`: a stretch of each state's order is the answer; the page is a merge of them.
 * - `list`: walk the rows of the rarest predicate, test the others row by row.
 * - `scan`: read the runs' codes in order, since they are few.
 * - `bitmap`: intersect bitmaps over the runs' words.
 */

import { type Column, type ColumnName, columnNamed, type StateRun } from "../../formats/index.js";
import { countRows, joinRuns, type Run, selectStates } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstPositionAtLeast, firstRowAtLeast } from "../kernels/codes.js";
import type { Order, Query } from "../query.js";
import { MERGED_STATES_MAX } from "../tuning.js";
import { COST_NS } from "./costs.js";
import {
	type AskedCodes,
	isOneFold,
	type PredicatePlan,
	planPredicate,
	resolveFilters,
} from "./predicates.js";
import { statesOfValues } from "./value-states.js";

const NO_PARTS: readonly Run[] = [];

/** The order of the rows themselves, which takes no sort column. */
const BY_ID: readonly ColumnName[] = [];

export type SelectionKind = "empty" | "runs" | "slice" | "merge" | "list" | "scan" | "bitmap";

/** Where the rows of a sort column's order lie. */
export interface WalkPlan {
	/** `rows`: the rows themselves; `permutation`: of the snapshot; `byState`: of the one state asked for. */
	readonly source: "rows" | "permutation" | "byState";
	/** Half-open positions that hold every match. */
	readonly from: number;
	readonly to: number;
}

export interface OrderPlan {
	/** Sort columns up to the first that is unique, without those of which the answer has one value. */
	readonly columns: readonly ColumnName[];
	readonly order: Order;
	readonly walk: WalkPlan;
}

export interface Plan {
	readonly selection: SelectionKind;
	/** Rows that state, country, grant and last name leave. */
	readonly runs: readonly Run[];
	/** The one state that holds all runs; null where there are several. */
	readonly state: StateRun | null;
	/** Predicates, rarest first; the first drives a `list`. */
	readonly predicates: readonly PredicatePlan[];
	readonly order: OrderPlan;
	/** Of a `merge`: positions of each state's order that are the answer, states ascending. */
	readonly parts: readonly Run[];
}

/** The facts of a snapshot that planning needs. */
export interface PlanningContext {
	readonly rows: number;
	/** State runs that have rows. */
	readonly states: readonly StateRun[];
	/** All of them joined: one run of all rows, or none. */
	readonly runs: readonly Run[];
	readonly columns: SnapshotColumns;
}

/** The plan for `query`. Pure: the same query and snapshot give the same plan. */
export function planQuery(query: Query, context: PlanningContext): Plan {
	const { columns } = context;
	const resolved = resolveFilters(query.filters, columns);
	const sorted = uniqueSort(query.sort);
	// No other filter needs a look where no value meets one.
	if (isUnmet(resolved)) return emptyPlan(null, planPredicates(resolved, null, context), sorted, query.order);
	const asked = selectStates(context.states, query.filters, query.geography);
	const ranked = resolved.length === 0 ? sorted : withoutOneFold(sorted, resolved, columns);
	// One value's rows of the whole month by id are a slice, wherever they lie.
	const isListed = ranked.length === 0 && resolved.length === 1 && asked === context.states;
	const states = isListed ? asked : statesOfValues(asked, resolved, columns);
	const state = states.length === 1 ? states[0] : null;
	const sort = state === null ? ranked : withoutState(ranked);
	const all = planPredicates(resolved, state, context);
	const name = all.find((p) => p.column === "member_last_name");
	const predicates = name === undefined ? all : all.filter((p) => p !== name);
	// One predicate is the most frequent question, and the shortest.
	if (predicates.length > 1) predicates.sort((a, b) => a.rows - b.rows);
	const { order } = query;
	if (states.length === 0 || all.some((p) => p.rows === 0)) return emptyPlan(state, predicates, sort, order);
	const runs = name === undefined ? runsOf(states, context) : narrowByLastName(states, name, columns);
	const walk = planWalk(sort, state, all, context);
	// No spreading after other members, here and below: that costs more than all else of a plan.
	const plan = (selection: SelectionKind, parts: readonly Run[] = NO_PARTS): Plan => ({
		selection,
		runs,
		state,
		predicates,
		order: { columns: sort, order, walk },
		parts,
	});
	if (name === undefined && isSliced(asked, state, predicates, sort, context)) return plan("slice");
	const parts = planMerge(states, name === undefined ? null : runs, predicates, sort, context);
	if (parts !== null) return plan("merge", parts);
	return plan(chooseSelection(runs, predicates, sort, state === null ? context.rows : state.rows));
}

/** Whether no value meets one of the filters: the last that was resolved. */
function isUnmet(resolved: readonly AskedCodes[]): boolean {
	if (resolved.length === 0) return false;
	const { low, high } = resolved[resolved.length - 1].codes;
	return low === high;
}

function emptyPlan(
	state: StateRun | null,
	predicates: readonly PredicatePlan[],
	columns: readonly ColumnName[],
	order: Order,
): Plan {
	const walk: WalkPlan = { source: "rows", from: 0, to: 0 };
	return {
		selection: "empty",
		runs: [],
		state,
		predicates,
		order: { columns, order, walk },
		parts: NO_PARTS,
	};
}

function planPredicates(
	resolved: readonly AskedCodes[],
	state: StateRun | null,
	context: PlanningContext,
): PredicatePlan[] {
	const predicates: PredicatePlan[] = [];
	for (const asked of resolved) predicates.push(planPredicate(asked, state, context));
	return predicates;
}

/** The states' rows. Whole months are asked for most often, so theirs are joined once. */
function runsOf(states: readonly StateRun[], context: PlanningContext): readonly Run[] {
	return states === context.states ? context.runs : joinRuns(states);
}

/** Within a state, rows lie in the order of the folded last name, so a prefix is one run of each state. */
function narrowByLastName(states: readonly StateRun[], name: PredicatePlan, columns: SnapshotColumns): Run[] {
	const runs: Run[] = [];
	const codes = columns.codes.get(columnNamed("member_last_name"));
	for (const state of states) {
		const stateEnd = state.first + state.rows;
		const first = firstRowAtLeast(codes, state.first, stateEnd, name.low);
		const end = firstRowAtLeast(codes, first, stateEnd, name.high);
		if (first < end) runs.push({ first, end });
	}
	return runs;
}

/**
 * Whether the one predicate's slice holds exactly the answer and has it in the order of `sort`. `states`
 * are those that the filters and the grant leave, `state` the one that has all of the predicate's rows.
 */
function isSliced(
	states: readonly StateRun[],
	state: StateRun | null,
	predicates: readonly PredicatePlan[],
	sort: readonly ColumnName[],
	context: PlanningContext,
): boolean {
	if (predicates.length !== 1 || sort.length > 1) return false;
	const [{ column, ascending, slice }] = predicates;
	// Of one state the slice is narrowed to it, unless it is of the whole permutation.
	const isExact = states === context.states || (state !== null && slice.source !== "permutation");
	if (!isExact && countRows(joinRuns(states)) !== context.rows) return false;
	// Rows of one value ascend in postings, and rows of one fold in permutations.
	return sort.length === 0 ? ascending : sort[0] === column && slice.source !== "postings";
}

/**
 * The stretches of a few states' orders that are exactly the answer; null where that is another shape
 * of question. `named` are the states' runs of a last name where one is asked for.
 */
function planMerge(
	states: readonly StateRun[],
	named: readonly Run[] | null,
	predicates: readonly PredicatePlan[],
	sort: readonly ColumnName[],
	context: PlanningContext,
): readonly Run[] | null {
	if (sort.length !== 1 || states.length < 2 || states.length > MERGED_STATES_MAX) return null;
	const runs = states.map(({ first, rows }) => ({ first, end: first + rows }));
	if (countRows(runs) === context.rows) return null;
	if (named !== null) return predicates.length === 0 && sort[0] === "member_last_name" ? named : null;
	if (predicates.length === 0) return runs;
	const [{ column: name, aligned, low, high }] = predicates;
	if (predicates.length > 1 || name !== sort[0] || !aligned) return null;
	const column = columnNamed(name);
	const { byState } = context.columns.permutation.get(column);
	if (byState === null) return null;
	const codes = context.columns.codes.get(column);
	return runs.map(({ first, end }) => {
		const from = firstPositionAtLeast(byState, codes, first, end, low);
		return { first: from, end: firstPositionAtLeast(byState, codes, from, end, high) };
	});
}

/** The cheapest way to meet `predicates` over `runs`, which lie in `spanRows` rows, and to have the answer ordered. */
function chooseSelection(
	runs: readonly Run[],
	predicates: readonly PredicatePlan[],
	sort: readonly ColumnName[],
	spanRows: number,
): SelectionKind {
	const rows = countRows(runs);
	if (rows === 0) return "empty";
	if (predicates.length === 0) return "runs";
	const words = (runs[runs.length - 1].end - runs[0].first) / 32;
	// However a bitmap's page is found, its words are gone through about once.
	let bitmap = words * COST_NS.countWord;
	for (const predicate of predicates) {
		bitmap += words * COST_NS.andWord;
		if (predicate.bitmap === null) bitmap += predicate.rows * COST_NS.setRow + words * COST_NS.clearWord;
		if (predicate.bitmap === "cumulative")
			bitmap += words * COST_NS.andWord + predicate.edgeRows * COST_NS.setRow;
	}
	const list = listCost(predicates, sort, spanRows);
	const scan = scanCost(rows, predicates, sort, spanRows);
	const least = Math.min(bitmap, list, scan);
	if (least === list) return "list";
	return least === scan ? "scan" : "bitmap";
}

/** What it costs to test the first predicate on `rows` rows in order, the others on what is left, and to order the rest. */
function scanCost(
	rows: number,
	predicates: readonly PredicatePlan[],
	sort: readonly ColumnName[],
	spanRows: number,
): number {
	let left = rows;
	let cost = 0;
	for (let i = 0; i < predicates.length; i++) {
		cost += left * (i === 0 ? COST_NS.scanRow : COST_NS.testRow);
		// The states looked at may be just those that have the one value asked for.
		const { low, high } = predicates[i];
		left *= Math.min(1, predicates[i].rows / (high - low === 1 ? rows : spanRows));
	}
	return sort.length === 0 ? cost : cost + left * COST_NS.selectRow;
}

/** What it costs to list the first predicate's rows, to test the others on them, and to order what is left. */
function listCost(
	predicates: readonly PredicatePlan[],
	sort: readonly ColumnName[],
	spanRows: number,
): number {
	const { ascending, rows } = predicates[0];
	const testRow = ascending ? COST_NS.testRow : COST_NS.testFarRow;
	let left = rows;
	let cost = left * COST_NS.listRow;
	for (let i = 1; i < predicates.length; i++) {
		cost += left * testRow;
		left *= Math.min(1, predicates[i].rows / spanRows);
	}
	if (sort.length === 0) return ascending ? cost : cost + left * COST_NS.selectRow;
	return cost + left * (ascending ? COST_NS.selectRow : COST_NS.selectFarRow);
}

/** `sort` without what cannot matter: a column again, and whatever follows the id. */
function uniqueSort(sort: readonly ColumnName[]): readonly ColumnName[] {
	const end = sort.indexOf("id");
	if (end === 0) return BY_ID;
	const columns = end === -1 ? sort : sort.slice(0, end);
	if (columns.length === 1) return columns;
	return columns.filter((column, i) => columns.indexOf(column) === i);
}

/** `sort` without the columns of which all rows asked for have one value, or values that fold alike. */
function withoutOneFold(
	sort: readonly ColumnName[],
	resolved: readonly AskedCodes[],
	columns: SnapshotColumns,
): readonly ColumnName[] {
	const isOne = (name: ColumnName) => {
		const asked = resolved.find(({ column }) => column.name === name);
		return asked !== undefined && isOneFold(asked, columns);
	};
	return sort.some(isOne) ? sort.filter((name) => !isOne(name)) : sort;
}

/** `sort` without the state, of which all rows have the same one. */
function withoutState(sort: readonly ColumnName[]): readonly ColumnName[] {
	return sort.includes("state") ? sort.filter((name) => name !== "state") : sort;
}

function planWalk(
	columns: readonly ColumnName[],
	state: StateRun | null,
	predicates: readonly PredicatePlan[],
	context: PlanningContext,
): WalkPlan {
	const from = state === null ? 0 : state.first;
	const to = state === null ? context.rows : state.first + state.rows;
	if (columns.length === 0) return { source: "rows", from, to };
	const column: Column = columnNamed(columns[0]);
	const permutation = context.columns.permutation.get(column);
	const narrowing = predicates.find((p) => p.column === column.name && p.aligned);
	if (state === null) {
		if (narrowing === undefined) return { source: "permutation", from, to };
		return { source: "permutation", from: narrowing.positions.from, to: narrowing.positions.to };
	}
	if (permutation.byState === null) return { source: "rows", from, to };
	if (narrowing === undefined || narrowing.slice.source !== "byState") return { source: "byState", from, to };
	return { source: "byState", from: narrowing.slice.from, to: narrowing.slice.to };
}
