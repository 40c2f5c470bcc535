/** A plan: how a query will be answered, as plain, printable data. */

import type { ColumnName, Range, StateRun } from "../../formats/index.js";
import { countRows, type Run } from "../columns/runs.js";
import type { AskedName } from "../names/asked-name.js";
import type { Geography, Order } from "../query.js";
import { RUN_WORDS } from "../tuning.js";

/**
 * How the matching rows are found:
 *
 * - `empty`: nothing can match.
 * - `runs`: the runs are the answer.
 * - `slice`: the slice of the one predicate is the answer, in sort order.
 * - `merge`: a slice of each state's order is the answer; the page is a merge of them.
 * - `counted`: slices of orders count the answer; rows are tested in the order of rows, up to the page.
 * - `list`: list the rows of the rarest predicate, test the others row by row.
 * - `scan`: read the codes of the runs' rows sequentially, since they are few.
 * - `bitmap`: intersect bitmaps over the runs' words.
 * - `names`: search the runs for the requested name, test the predicates row by row.
 */
export type SelectionKind =
	| "empty"
	| "runs"
	| "slice"
	| "merge"
	| "counted"
	| "list"
	| "scan"
	| "bitmap"
	| "names";

/** Indexes [from, to) of a list that holds the rows of a term; `none`: no list does. */
export interface SlicePlan extends Range {
	readonly source: "postings" | "permutation" | "byState" | "none";
}

/** One range of codes of a predicate. */
export interface TermPlan {
	readonly codes: Range;
	/** Positions in the snapshot's permutation, of aligned codes; in the postings of a column without one. */
	readonly positions: Range;
	readonly slice: SlicePlan;
	/** Rows of the slice, which contains every match within the planned states and possibly rows of others. */
	readonly rows: number;
	/** Where its bitmap comes from: stored for its one code, from cumulative bitmaps, the rows without a value, or none. */
	readonly bitmap: "code" | "cumulative" | "missing" | null;
	/**
	 * For cumulative bitmaps: the expected number of rows at both ends of the range that they do not cover;
	 * else 0.
	 */
	readonly edgeRows: number;
}

export interface PredicatePlan {
	/** Names of the filters it answers. */
	readonly filters: readonly string[];
	readonly column: ColumnName;
	/** Matching codes: ascending, disjoint ranges. */
	readonly codes: readonly Range[];
	/** Whether the ranges begin and end between folds, so that each is contiguous in sort order. */
	readonly aligned: boolean;
	/** Whether the predicate is the complement of the union of its terms, not the union. */
	readonly negated: boolean;
	readonly terms: readonly TermPlan[];
	/** Whether its one slice lists its rows ascending: one value's or, in a permutation, one fold's. */
	readonly ascending: boolean;
	/** Rows of its slices, at least the matches; an estimate if negated. */
	readonly rows: number;
}

/** The term of a predicate that is neither a union of several terms nor a complement; else null. */
export function onlyTerm({ negated, terms }: PredicatePlan): TermPlan | null {
	return negated || terms.length !== 1 ? null : terms[0];
}

/** Whether slices list the rows of a predicate. */
export function isListed({ negated, terms }: PredicatePlan): boolean {
	return !negated && terms.every(({ slice }) => slice.source !== "none");
}

/**
 * Whether the bitmap of a selection is made run by run, and not over all words from the first run to the last: if
 * the words between the runs cost more than beginning again at each.
 */
export function isMadeByRun(runs: readonly Run[]): boolean {
	const words = (runs[runs.length - 1].to - runs[0].from) / 32;
	return countRows(runs) / 32 + runs.length * RUN_WORDS < words;
}

/** Whether a term's slice lists its rows ascending: the postings of one code. */
export function isAscending({ codes, slice }: TermPlan): boolean {
	return slice.source === "postings" && codes.to - codes.from === 1;
}

/** Positions [from, to) of a sort column's index that contain every match. */
export interface IndexScanPlan extends Range {
	/**
	 * `rows`: the order is that of the rows; `permutation`: of the snapshot; `byState`: of the one state in the
	 * query.
	 */
	readonly source: "rows" | "permutation" | "byState";
}

export interface OrderPlan {
	/** Sort columns up to the first unique one, without those of which the answer has one fold only. */
	readonly columns: readonly ColumnName[];
	/** Whether rows are ordered by how well their names match, and there are no columns. */
	readonly byMatch: boolean;
	readonly order: Order;
	readonly scan: IndexScanPlan;
}

export interface Plan {
	readonly selection: SelectionKind;
	/** Rows that remain after state, country, grant and last name. */
	readonly runs: readonly Run[];
	/** Whether runs leave out no row of the month that meets the predicates. */
	readonly isEverywhere: boolean;
	/** The one state that contains all runs; null if there are several. */
	readonly state: StateRun | null;
	/** Where several states, but few enough to merge their orders, contain all runs: these, ascending; else none. */
	readonly states: readonly StateRun[];
	/** Predicates, rarest first, except that the first is the driver of a `list` or `scan`. */
	readonly predicates: readonly PredicatePlan[];
	readonly order: OrderPlan;
	/** For `names`: the requested name; else null. */
	readonly name: AskedName | null;
	/** Geography of the grant, to which searches of names are restricted. Null: all. */
	readonly geography: Geography | null;
	/**
	 * For `merge` and `counted`: positions of each state's order that are the answer, states ascending; for `counted`
	 * over the whole month, positions of the month's order alone.
	 */
	readonly parts: readonly Range[];
}
