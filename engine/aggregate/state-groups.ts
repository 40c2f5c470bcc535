/**
 * How many rows each group of a dimension has in each state. A query whose rows are those of whole states is grouped
 * without reading a row: the offices of a small state cost as much as they are many, and not as counters of all offices
 * of the month do.
 *
 * Invariant: a dimension has groups here only when those of all states have been counted. Memory: 8 bytes for each
 * group that a state has and 4 for each group, 5 MB of all dimensions of 2.5 million rows; a dimension with more than {@link
 * STATE_GROUPS_SHARE} of the rows is left out.
 */

import { columnNamed, type StateRun } from "../../formats/index.js";
import type { Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import { STATE_GROUPS_SHARE } from "../tuning.js";
import { DIMENSION_NAMES, Dimension, type DimensionName } from "./dimensions.js";
import { type GroupTaker, takeCounters } from "./group-rows.js";

/** Rows that are counted at a step, in a fraction of a millisecond. */
const STEP_ROWS = 1 << 14;

/** Counters that are read, or whose memory of 64 pages is provided, at a step. */
const STEP_COUNTERS = 1 << 16;

/** The groups of a dimension. */
interface CountedDimension {
	readonly byState: readonly GroupsOfState[];
	/** Rows of the month by group. */
	readonly totals: Uint32Array;
}

/** The groups that have rows in one state, ascending, and how many rows each has. */
export interface GroupsOfState {
	readonly groups: Uint32Array;
	readonly rows: Uint32Array;
}

export class StateGroups {
	/** Those that have rows. */
	private readonly states: readonly StateRun[];
	/** The first row of each, then the number of all rows. */
	private readonly firsts: Uint32Array;
	private readonly counted = new Map<DimensionName, CountedDimension>();

	constructor(
		states: readonly StateRun[],
		private readonly columns: SnapshotColumns,
	) {
		this.states = states.filter(({ rows }) => rows > 0);
		this.firsts = Uint32Array.from([...this.states.map(({ first }) => first), columns.rows]);
	}

	/** Counts the groups of all dimensions, {@link STEP_ROWS} rows at each step. Cost O(dimensions × (rows + groups × states)). */
	*prepare(): Generator<void, void> {
		for (const name of DIMENSION_NAMES) {
			if (name === "state" || name === "country" || this.counted.has(name)) continue;
			const dimension = new Dimension(name, this.columns);
			const room = this.columns.rows * STATE_GROUPS_SHARE;
			// Each group but that of rows without a value has rows in some state.
			if (dimension.groupCount - 1 > room) continue;
			const counting = new GroupCounting(dimension, room);
			yield* counting.touch();
			let left = STEP_ROWS;
			for (const { first, rows } of this.states) {
				for (let from = first; from < first + rows; ) {
					const to = Math.min(first + rows, from + Math.max(left, 1));
					counting.count(from, to);
					left -= to - from;
					from = to;
					if (left > 0) continue;
					yield;
					left = STEP_ROWS;
				}
				if (!(yield* counting.endState())) break;
			}
			yield;
			const { counted } = counting;
			if (counted.byState.length === this.states.length) this.counted.set(name, counted);
		}
	}

	/**
	 * Has all groups of the rows of `runs` taken, in one dimension, or in two of which one is that of states; false where they
	 * are not counted, or a run divides a state. Cost O(states + groups of those selected), and of one dimension in several
	 * states O(groups of the month).
	 */
	take([first, second]: readonly Dimension[], runs: readonly Run[], taker: GroupTaker): boolean {
		const isStateFirst = second !== undefined && first.name === "state";
		if (second !== undefined && !isStateFirst && second.name !== "state") return false;
		if (second !== undefined) {
			const states = this.ofStates(isStateFirst ? second.name : first.name, runs);
			for (const [state, groups] of states ?? []) takeOfState(groups, state, isStateFirst, taker);
			return states !== null;
		}
		const counted = this.counted.get(first.name);
		const selected = counted === undefined ? null : this.statesOf(runs);
		if (counted === undefined || selected === null) return false;
		const { byState, totals } = counted;
		if (selected.length === 1) takeOfState(byState[selected[0]], 0, false, taker);
		else takeSums(byState, selected, totals, taker);
		return true;
	}

	/**
	 * The groups of a dimension in each of the states that `runs` consist of, by the state's code; null where they are not
	 * counted, or a run divides a state. Cost O(states).
	 */
	ofStates(name: DimensionName, runs: readonly Run[]): ReadonlyMap<number, GroupsOfState> | null {
		const counted = this.counted.get(name);
		const selected = counted === undefined ? null : this.statesOf(runs);
		if (counted === undefined || selected === null) return null;
		const codes = this.columns.dictionary.get(columnNamed("state"));
		return new Map(selected.map((i) => [codes.find(this.states[i].state), counted.byState[i]]));
	}

	/** The places of the states that `runs` consist of; null where one of these divides a state. */
	private statesOf(runs: readonly Run[]): readonly number[] | null {
		const { firsts } = this;
		const selected: number[] = [];
		for (const { from, to } of runs) {
			let i = firstIndexAtLeast(firsts, 0, firsts.length, from);
			if (firsts[i] !== from) return null;
			for (; firsts[i] < to; i++) selected.push(i);
			if (firsts[i] !== to) return null;
		}
		return selected;
	}
}

/** The groups of one dimension as they are counted. */
class GroupCounting {
	readonly counted: { readonly byState: GroupsOfState[]; readonly totals: Uint32Array };
	/** Rows of the state by group. */
	private readonly counts: Uint32Array;

	/** `room`: how many groups of states there may be. */
	constructor(
		private readonly dimension: Dimension,
		private room: number,
	) {
		this.counted = { byState: [], totals: new Uint32Array(dimension.groupCount) };
		this.counts = new Uint32Array(dimension.groupCount);
	}

	/**
	 * Has the system provide the memory of the counters, in steps: its first access takes a fraction of a microsecond for each
	 * page of 4 KiB, and in some virtual machines 20.
	 */
	*touch(): Generator<void, void> {
		for (const counters of [this.counts, this.counted.totals])
			for (const [from, to] of pieces(counters.length)) {
				counters.fill(0, from, to);
				yield;
			}
	}

	/** Counts rows [from, to) of a state. */
	count(from: number, to: number): void {
		const { counts } = this;
		const { codes, groupOfCode } = this.dimension;
		if (groupOfCode === null) for (let row = from; row < to; row++) counts[codes[row]]++;
		else for (let row = from; row < to; row++) counts[groupOfCode[codes[row]]]++;
	}

	/**
	 * Keeps the groups of the state whose rows have been counted, {@link STEP_COUNTERS} at each step; returns false where they
	 * are more than there is room for.
	 */
	*endState(): Generator<void, boolean> {
		const { counts, counted } = this;
		let found = 0;
		for (const [from, to] of pieces(counts.length)) {
			for (let group = from; group < to; group++) if (counts[group] > 0) found++;
			yield;
		}
		this.room -= found;
		if (this.room < 0) return false;
		const groups = new Uint32Array(found);
		const rows = new Uint32Array(found);
		let at = 0;
		for (const [from, to] of pieces(counts.length)) {
			for (let group = from; group < to; group++) {
				if (counts[group] === 0) continue;
				groups[at] = group;
				rows[at++] = counts[group];
				counted.totals[group] += counts[group];
				counts[group] = 0;
			}
			yield;
		}
		counted.byState.push({ groups, rows });
		return true;
	}
}

/** Consecutive ranges of {@link STEP_COUNTERS} that end with `length`. */
function* pieces(length: number): Generator<readonly [from: number, to: number]> {
	for (let from = 0; from < length; from += STEP_COUNTERS)
		yield [from, Math.min(length, from + STEP_COUNTERS)];
}

/** A number for each group that is taken, kept from query to query and grown as needed. */
let places = new Uint32Array(1 << 12);

/** Takes the groups of a state with `place`, their number in the other dimension, which is the first or the second. */
function takeOfState(
	{ groups, rows }: GroupsOfState,
	place: number,
	isPlaceFirst: boolean,
	taker: GroupTaker,
): void {
	const { length } = groups;
	if (places.length < length) places = new Uint32Array(Math.max(length, 2 * places.length));
	places.fill(place, 0, length);
	const pairs = isPlaceFirst ? { firsts: places, seconds: groups } : { firsts: groups, seconds: places };
	taker.takeCounts({ counts: rows, stored: null, pairs });
}

/** Takes the groups of several states, added up, or where most are selected those of the others subtracted from all. */
function takeSums(
	counted: readonly GroupsOfState[],
	selected: readonly number[],
	totals: Uint32Array,
	taker: GroupTaker,
): void {
	const counts = takeCounters(totals.length);
	const isMost = selected.length * 2 > counted.length;
	if (isMost) counts.set(totals);
	const chosen = new Set(selected);
	for (const [i, { groups, rows }] of counted.entries()) {
		if (chosen.has(i) === isMost) continue;
		if (isMost) for (let at = 0; at < groups.length; at++) counts[groups[at]] -= rows[at];
		else for (let at = 0; at < groups.length; at++) counts[groups[at]] += rows[at];
	}
	taker.takeCounts({ counts, stored: null, pairs: null });
}
