/**
 * Planning: from a query and a snapshot's counts to the cheapest plan (plan.ts).
 * Reads no rows beyond binary searches: cost O(states + filters × log rows).
 */

import {
	type Column,
	type ColumnName,
	columnNamed,
	invariant,
	type Range,
	type StateRun,
} from "../../formats/index.js";
import { countRows, joinRuns, type Run, selectStates } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstRowAtLeastNear } from "../kernels/codes.js";
import { type AskedName, askedName } from "../names/asked-name.js";
import type { Order, Query } from "../query.js";
import { COST_NS, NAME_RUNS_MAX } from "../tuning.js";
import { type AskedCodes, isOneFold, resolveFilters } from "./asked-codes.js";
import type { PlanningContext } from "./context.js";
import {
	type IndexScanPlan,
	isListed,
	onlyTerm,
	type Plan,
	type PredicatePlan,
	type SelectionKind,
	type TermPlan,
} from "./plan.js";
import { planPredicate } from "./predicates.js";
import { chooseSelection } from "./selection-costs.js";
import { isFew, planCounted, planMerge } from "./state-orders.js";
import { statesOfValues } from "./states-of-values.js";

const NONE: readonly never[] = [];

/** The order of the rows themselves, which takes no sort column. */
const BY_ID: readonly ColumnName[] = [];

/** The plan for `query`. Pure: the same query and snapshot give the same plan. REQUIRES: columns of `sort` are sortable. */
export function planQuery(query: Query, context: PlanningContext): Plan {
	const { columns } = context;
	const name = askedNameOf(query);
	const resolved = resolveFilters(query.filters, query.geography, columns);
	const sorted = uniqueSort(query.sort);
	// A filter that no value matches makes the others irrelevant.
	if (isUnmet(resolved)) return emptyPlan(null, planPredicates(resolved, null, context), sorted, query);
	const asked = selectStates(context.states, query.filters, query.geography);
	const ranked = withoutOneFold(sorted, resolved, columns);
	// The rows of one value in the whole month, in order of id, are a slice of its postings, independent of
	// their states.
	const isEverywhere = asked === context.states.runs;
	const isListed = ranked.length === 0 && resolved.length === 1 && isEverywhere;
	const states = isListed ? asked : statesOfValues(asked, resolved, columns);
	const state = states.length === 1 ? states[0] : null;
	const sort = state === null ? ranked : withoutState(ranked);
	const all = planPredicates(resolved, state, context);
	const isSlice = name === null && isSliced(asked, state, all, sort, context);
	// In order of last name, the rows of one are a slice of the whole month, which needs no search in each state.
	const lastName = isSlice ? undefined : narrowingName(all, states);
	const predicates = lastName === undefined ? all : all.filter((p) => p !== lastName);
	// A single predicate is the most frequent case; skip the call.
	if (predicates.length > 1) predicates.sort((a, b) => a.rows - b.rows);
	const { order } = query;
	if (states.length === 0 || hasNoRows(all)) return emptyPlan(state, predicates, sort, query);
	const runs = lastName === undefined ? runsOf(states, context) : narrowByLastName(states, lastName, columns);
	const scan = planScan(sort, state, all, context);
	// No object spread here or in emptyPlan: it would cost more than the rest of planning.
	const plan = (selection: SelectionKind, parts: readonly Range[] = NONE): Plan => ({
		selection,
		runs,
		isEverywhere: isEverywhere && lastName === undefined,
		state,
		states: isFew(states) ? states : NONE,
		predicates,
		order: { columns: sort, byMatch: isByMatch(query), order, scan },
		name,
		geography: query.geography,
		parts,
	});
	if (name !== null) return plan(runs.length === 0 ? "empty" : "names");
	if (isSlice) return plan("slice");
	const parts = planMerge(states, lastName === undefined ? null : runs, predicates, sort, context);
	if (parts !== null) return plan("merge", parts);
	const span = state === null ? context.rows : state.rows;
	const end = query.page * query.limit;
	const { kind, driver, cost } = chooseSelection(runs, predicates, sort, span, end);
	const counted = planCounted(states, runs, predicates, isByRow(sort, order, scan), end, cost, context);
	if (counted !== null) return plan("counted", counted);
	moveFirst(predicates, driver);
	return plan(kind);
}

function askedNameOf({ filters }: Query): AskedName | null {
	return filters.name === undefined ? null : askedName(filters.name);
}

/** Whether rows are ordered by how well their names match: with a name filter and without sort columns. */
function isByMatch({ filters, sort }: Query): boolean {
	return filters.name !== undefined && sort.length === 0;
}

/** Whether no value matches one of the filters, which is then the last one resolved. */
function isUnmet(resolved: readonly AskedCodes[]): boolean {
	if (resolved.length === 0) return false;
	return resolved[resolved.length - 1].codes.length === 0;
}

function emptyPlan(
	state: StateRun | null,
	predicates: readonly PredicatePlan[],
	columns: readonly ColumnName[],
	{ order, geography }: Query,
): Plan {
	const scan: IndexScanPlan = { source: "rows", from: 0, to: 0 };
	return {
		selection: "empty",
		runs: [],
		isEverywhere: true,
		state,
		states: NONE,
		predicates,
		order: { columns, byMatch: false, order, scan },
		name: null,
		geography,
		parts: NONE,
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

/**
 * Whether the order is that of the rows, forwards or backwards: by id or, of one state, by ascending last name. The
 * rows without one are last in both directions.
 */
function isByRow({ length }: readonly ColumnName[], order: Order, { source }: IndexScanPlan): boolean {
	return length === 0 || (length === 1 && source === "rows" && order === "asc");
}

/** The states' rows. Those of a whole month are joined once, in the context. */
function runsOf(states: readonly StateRun[], context: PlanningContext): readonly Run[] {
	return states === context.states.runs ? context.runs : joinRuns(states);
}

function moveFirst(predicates: PredicatePlan[], driver: number): void {
	if (driver > 0) predicates.unshift(...predicates.splice(driver, 1));
}

/** The last names that the states' rows are narrowed to; undefined: none. */
function narrowingName(
	predicates: readonly PredicatePlan[],
	states: readonly StateRun[],
): PredicatePlan | undefined {
	for (const each of predicates)
		if (each.column === "member_last_name" && isNarrowing(each, states))
			return hasFewer(predicates, each.codes.length * states.length) ? undefined : each;
	return undefined;
}

/** Whether a predicate lists so few rows that testing the last name of each costs less than finding `runs` runs of it. */
function hasFewer(predicates: readonly PredicatePlan[], runs: number): boolean {
	const most = (runs * COST_NS.nameRun) / COST_NS.testFarRow;
	return predicates.some((each) => each.column !== "member_last_name" && each.rows <= most && isListed(each));
}

function hasNoRows(predicates: readonly PredicatePlan[]): boolean {
	for (const { rows } of predicates) if (rows === 0) return true;
	return false;
}

/** Whether narrowing the states to the runs of a last name takes few enough binary searches. */
function isNarrowing({ codes }: PredicatePlan, states: readonly StateRun[]): boolean {
	return codes.length === 1 || codes.length * states.length <= NAME_RUNS_MAX;
}

/**
 * Within a state, rows are clustered by folded last name, so each prefix is one run of each state. The searches
 * begin where the run would be if the state had as great a share of its rows before it as the month has.
 */
function narrowByLastName(states: readonly StateRun[], name: PredicatePlan, columns: SnapshotColumns): Run[] {
	const runs: Run[] = [];
	const column = columnNamed("member_last_name");
	const codes = columns.codes.get(column);
	// Not as `from` and `to`: V8 would keep those of every range as floating-point numbers, and loops over them too.
	const shares = name.codes.map(({ from, to }) => ({
		before: shareBelow(from, column, columns),
		through: shareBelow(to, column, columns),
	}));
	for (const state of states) {
		const stateEnd = state.first + state.rows;
		for (let i = 0; i < shares.length; i++) {
			const range = name.codes[i];
			const share = shares[i];
			const guess = state.first + Math.floor(share.before * state.rows);
			const from = firstRowAtLeastNear(codes, state.first, stateEnd, range.from, guess);
			const rows = Math.floor((share.through - share.before) * state.rows);
			const to = firstRowAtLeastNear(codes, from, stateEnd, range.to, from + rows);
			if (from < to) runs.push({ from, to });
		}
	}
	return runs;
}

/** The share of the month's rows whose code is below `code`. Cost O(1). */
function shareBelow(code: number, column: Column, columns: SnapshotColumns): number {
	const { offsets, rows } = columns.permutation.get(column);
	const dictionary = columns.dictionary.get(column);
	return code < dictionary.distinct ? offsets[dictionary.rank(code)] / rows.length : 1;
}

/**
 * Whether the one predicate's slice is exactly the answer in the order of `sort`. `states` are those that
 * the filters and the grant leave, `state` the only one that has rows of the predicate, if there is one.
 */
function isSliced(
	states: readonly StateRun[],
	state: StateRun | null,
	predicates: readonly PredicatePlan[],
	sort: readonly ColumnName[],
	context: PlanningContext,
): boolean {
	if (predicates.length !== 1 || sort.length > 1) return false;
	const term = onlyTerm(predicates[0]);
	if (term === null || term.slice.source === "none") return false;
	const [{ column, ascending }] = predicates;
	const { slice } = term;
	// A slice of one state is narrowed to it, unless it is of the whole permutation.
	const isExact = states === context.states.runs || (state !== null && slice.source !== "permutation");
	if (!isExact && countRows(joinRuns(states)) !== context.rows) return false;
	// Rows of one value ascend in postings, and rows of one fold in permutations.
	return sort.length === 0 ? ascending : sort[0] === column && slice.source !== "postings";
}

/** `sort` without repeated columns and without what follows the id, which is unique. */
function uniqueSort(sort: readonly ColumnName[]): readonly ColumnName[] {
	if (sort.length === 0) return BY_ID;
	const end = sort.indexOf("id");
	if (end === 0) return BY_ID;
	const columns = end === -1 ? sort : sort.slice(0, end);
	for (const column of columns) invariant(columnNamed(column).sortable, `${column} is sortable`);
	if (columns.length === 1) return columns;
	return columns.filter((column, i) => columns.indexOf(column) === i);
}

/** `sort` without the columns in which all requested values fold alike. */
function withoutOneFold(
	sort: readonly ColumnName[],
	resolved: readonly AskedCodes[],
	columns: SnapshotColumns,
): readonly ColumnName[] {
	if (sort.length === 0 || resolved.length === 0) return sort;
	const isOne = (name: ColumnName) => {
		const asked = resolved.find(({ column }) => column.name === name);
		return asked !== undefined && isOneFold(asked, columns);
	};
	return sort.some(isOne) ? sort.filter((name) => !isOne(name)) : sort;
}

/** `sort` without the state, if all rows belong to one. */
function withoutState(sort: readonly ColumnName[]): readonly ColumnName[] {
	return sort.includes("state") ? sort.filter((name) => name !== "state") : sort;
}

/** Where along the index of the first sort column the matches lie. */
function planScan(
	columns: readonly ColumnName[],
	state: StateRun | null,
	predicates: readonly PredicatePlan[],
	context: PlanningContext,
): IndexScanPlan {
	const from = state === null ? 0 : state.first;
	const to = state === null ? context.rows : state.first + state.rows;
	if (columns.length === 0) return { source: "rows", from, to };
	const column: Column = columnNamed(columns[0]);
	const permutation = context.columns.permutation.get(column);
	const own = predicates.find((p) => p.column === column.name && p.aligned);
	const narrowing: TermPlan | null = own === undefined ? null : onlyTerm(own);
	if (state === null) {
		if (narrowing === null) return { source: "permutation", from, to };
		return { source: "permutation", from: narrowing.positions.from, to: narrowing.positions.to };
	}
	if (permutation.byState === null) return { source: "rows", from, to };
	if (narrowing === null || narrowing.slice.source !== "byState") return { source: "byState", from, to };
	return { source: "byState", from: narrowing.slice.from, to: narrowing.slice.to };
}
