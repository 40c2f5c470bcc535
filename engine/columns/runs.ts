/**
 * Runs: ascending, disjoint ranges of rows. A state is one run of its snapshot, so filters and grants on
 * state and country become runs, never row tests.
 */

import { coversState, type Range, type StateRun } from "../../formats/index.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import type { Filters, Geography } from "../query.js";
import type { StateTable } from "./state-table.js";

/** Consecutive rows. */
export type Run = Range;

/**
 * The states that the filters `state` and `country` and the grant leave. Cost O(states); of one state, O(grant); without
 * filters O(1), but for a grant's first time.
 */
export function selectStates(
	table: StateTable,
	filters: Filters,
	geography: Geography | null,
): readonly StateRun[] {
	const { state, country } = filters;
	if (state?.length === 1 && country === undefined) {
		const number = table.numberOf(state[0]);
		if (number === -1) return [];
		const run = table.runs[number];
		return coversState(geography, run.state, run.country) ? [run] : [];
	}
	const granted = geography === null ? table.runs : table.coverageOf(geography).states;
	if (state === undefined && country === undefined) return granted;
	const asked = state === undefined ? null : new Set(state);
	return granted.filter(
		(run) => (country === undefined || run.country === country) && (asked === null || asked.has(run.state)),
	);
}

/** Whether {@link selectStates} selects a state. Cost O(states that are named). */
export function isSelected(run: StateRun, { state, country }: Filters, geography: Geography | null): boolean {
	const isAsked = state === undefined || state.includes(run.state);
	const isOfCountry = country === undefined || country === run.country;
	return isAsked && isOfCountry && coversState(geography, run.state, run.country);
}

/** The runs of some states, adjacent ones joined. */
export function joinRuns(states: readonly StateRun[]): Run[] {
	const runs: Run[] = [];
	let from = 0;
	let to = 0;
	for (const state of states) {
		if (state.rows === 0) continue;
		if (state.first !== to) {
			if (from < to) runs.push({ from, to });
			from = state.first;
		}
		to = state.first + state.rows;
	}
	if (from < to) runs.push({ from, to });
	return runs;
}

/** Rows in all runs, or codes in ranges of these. */
export function countRows(runs: readonly Run[]): number {
	let rows = 0;
	for (const { from, to } of runs) rows += to - from;
	return rows;
}

/** Whether `row` is in one of the runs. Cost O(log runs). */
export function contains(runs: readonly Run[], row: number): boolean {
	let low = 0;
	let high = runs.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (runs[middle].to <= row) low = middle + 1;
		else high = middle;
	}
	return low < runs.length && runs[low].from <= row;
}

/**
 * How many of the ascending rows[from, end) are in the runs. Corrupt bounds are cut to the length of `rows`: a binary
 * search between larger ones may not end, since their sum exceeds 32 bits. Cost O(runs × log rows).
 */
export function countWithin(runs: readonly Run[], rows: Uint32Array, from: number, end: number): number {
	const to = Math.min(end, rows.length);
	let count = 0;
	let at = Math.min(from, to);
	for (const run of runs) {
		// Most lists lie within one run or outside of it, which their ends tell without a search.
		if (at === to || rows[to - 1] < run.from) break;
		if (rows[at] >= run.to) continue;
		const first = rows[at] >= run.from ? at : firstIndexAtLeast(rows, at, to, run.from);
		at = rows[to - 1] < run.to ? to : firstIndexAtLeast(rows, first, to, run.to);
		count += at - first;
	}
	return count;
}

/** Those of the ascending rows[from, to) that are in the runs. Cost O(runs × log rows + result). */
export function rowsWithin(runs: readonly Run[], rows: Uint32Array, from: number, to: number): number[] {
	const found: number[] = [];
	let at = from;
	for (const run of runs) {
		if (at === to) break;
		at = firstIndexAtLeast(rows, at, to, run.from);
		const end = firstIndexAtLeast(rows, at, to, run.to);
		for (; at < end; at++) found.push(rows[at]);
	}
	return found;
}
