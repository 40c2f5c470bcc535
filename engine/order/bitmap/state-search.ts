/**
 * Finds a page of a bitmap whose rows belong to a few states by these states' own orders of the one sort
 * column, so that no position of another state is read.
 *
 * A division cuts every state's order between the same two folds: all rows before it precede all rows after
 * it. Two divisions approach the page, counting in each state the rows from the nearer of them to the next one,
 * until few rows are left to be listed and sorted, or one fold, whose rows are taken in order. The next one is
 * placed by a sample of values, spaced evenly over each state's positions between the two and weighted by its rows:
 * values such as license numbers begin alike within a state, so that a page often lies among the rows of one.
 *
 * Cost O(positions of each state up to the page, or from it on), and O(states × log rows) for each division.
 */

import { columnNamed, type Dictionary, type Range } from "../../../formats/index.js";
import { countRun } from "../../kernels/bitmap.js";
import { countMatches, listMatches, takeMatches } from "../../kernels/bitmap-probe.js";
import type { Scratch } from "../../scratch.js";
import { type RowBitmap, wordsOf } from "../../select/selection.js";
import {
	COST_NS,
	DIVISION_SAMPLES,
	FAR_BUDGET,
	GIVEN_UP_SHARE,
	INTERPOLATED_MAX,
	STATE_SLACK_ROWS,
} from "../../tuning.js";
import { type IndexScan, positionsOf, scanOfState } from "../index-scan.js";
import type { PageRequest, PageWindow } from "../page-window.js";
import type { TopN } from "../top-n.js";
import { stateSeekCost } from "./path-costs.js";

/** A place in the order of all states. */
interface Division {
	/** Steps of each state's scan before it. */
	readonly steps: readonly number[];
	/** Rows of the bitmap before it, by state. */
	readonly rows: readonly number[];
	/** All of these. */
	readonly before: number;
}

/** A position's place in scan order, and how many rows of the bitmap it stands for. */
interface SampledValue {
	/** Steps of the scan before the position. */
	readonly step: number;
	readonly scan: IndexScan;
	/** Ascending along the scan; infinite without a value. */
	readonly key: number;
	readonly weight: number;
}

/**
 * Writes the page's rows of `bits`; returns how many. Null where the plan has no such states, where other paths cost
 * less than `least` nanoseconds, or where the page lies much farther than a uniform distribution predicts.
 */
export function seekStates(page: PageRequest, bits: RowBitmap, least: number, topN: TopN): number | null {
	const { plan, columns, scratch } = page;
	const { states, order } = plan;
	if (states.length === 0 || order.columns.length > 1) return null;
	const column = columnNamed(order.columns[0]);
	const { byState } = columns.permutation.get(column);
	if (byState === null) return null;
	const positions = states.reduce((sum, { rows }) => sum + rows, 0);
	const cost = stateSeekCost(bits, page, states.length, positions);
	if (cost.all >= least) return null;
	const { trace, work } = scratch;
	const step = trace.begin("seek states", column.name, bits.count, work.elements);
	const budget = Math.max(cost.counting * FAR_BUDGET, least * GIVEN_UP_SHARE) / COST_NS.countStep;
	const dictionary = columns.dictionary.get(column);
	const scans = states.map((state) => scanOfState(column, order.order, positionsOf(state), columns));
	const search = new StateSearch(
		bits,
		{ scans, rows: byState, dictionary },
		Math.ceil(budget),
		topN,
		scratch,
	);
	const taken = search.take(page);
	trace.end(step, work.elements, taken === null ? "given up" : "done");
	return taken;
}

/** A step of a state's scan. */
type Position = Pick<SampledValue, "scan" | "step">;

/** The orders of some states by one column. */
interface StateIndexes {
	/** States ascending. */
	readonly scans: readonly IndexScan[];
	/** The rows at the positions of all states. */
	readonly rows: Uint32Array;
	readonly dictionary: Dictionary;
}

class StateSearch {
	private readonly scans: readonly IndexScan[];
	private readonly rows: Uint32Array;

	constructor(
		private readonly bits: RowBitmap,
		private readonly indexes: StateIndexes,
		/** Positions that may still be counted. */
		private budget: number,
		private readonly topN: TopN,
		private readonly scratch: Scratch,
	) {
		this.scans = indexes.scans;
		this.rows = indexes.rows;
	}

	/** The page, as {@link seekStates}; null where the budget is exceeded. */
	take(window: PageWindow): number | null {
		const { bits, scans, scratch } = this;
		const none = scans.map(() => 0);
		const begin = { steps: none, rows: none, before: 0 };
		const rows = scans.map(({ from, to }) => countRun(bits.words, from, to));
		const end = { steps: scans.map(({ from, to }) => to - from), rows, before: bits.count };
		scratch.work.add(wordsOf(bits));
		return this.takeBetween(begin, end, window, 0);
	}

	/** Writes the window's rows, which lie between two divisions, at `start`; returns the end. */
	private takeBetween(begin: Division, end: Division, window: PageWindow, start: number): number | null {
		const { offset, limit } = window;
		const slack = STATE_SLACK_ROWS + limit;
		let [low, high] = [begin, end];
		for (let tries = 0; high.before - low.before > slack; tries++) {
			const aim = offset - low.before <= slack / 2 ? offset + limit + slack / 4 : offset - slack / 4;
			const at =
				tries < INTERPOLATED_MAX ? this.sampledPosition(low, high, aim) : this.middlePosition(low, high);
			const steps = this.divide(low.steps, high.steps, at);
			if (steps === null) return this.takeFold(low, high, window, start);
			const middle = this.division(steps, low, high);
			if (middle === null) return null;
			const { before } = middle;
			if (before > offset && before < offset + limit) {
				const taken = this.takeBetween(low, middle, { offset, limit: before - offset }, start);
				if (taken === null) return null;
				const rest = { offset: before, limit: offset + limit - before };
				return this.takeBetween(middle, high, rest, taken);
			}
			if (before <= offset) low = middle;
			else high = middle;
		}
		return this.takeListed(low, high, window, start);
	}

	/** The position before which a sample expects `aim` rows, of those between two divisions. */
	private sampledPosition(low: Division, high: Division, aim: number): Position {
		const sample: SampledValue[] = [];
		const each = Math.ceil(DIVISION_SAMPLES / this.scans.length);
		for (const [i, scan] of this.scans.entries()) {
			const size = high.steps[i] - low.steps[i];
			const count = Math.min(each, size);
			const weight = (high.rows[i] - low.rows[i]) / count;
			for (let k = 0; k < count; k++) {
				const step = low.steps[i] + Math.floor(((k + 0.5) / count) * size);
				sample.push({ scan, step, key: keyAt(scan, step), weight });
			}
		}
		sample.sort((a, b) => a.key - b.key);
		let before = low.before;
		for (const value of sample) {
			before += value.weight;
			if (before > aim) return value;
		}
		return sample[sample.length - 1];
	}

	/** The middle of the state that has most positions between two divisions. */
	private middlePosition(low: Division, high: Division): Position {
		const sizes = high.steps.map((steps, i) => steps - low.steps[i]);
		const widest = sizes.indexOf(Math.max(...sizes));
		return { scan: this.scans[widest], step: low.steps[widest] + (sizes[widest] >>> 1) };
	}

	/** Steps of a division between two others, beside a position; null where there is one fold between them. */
	private divide(
		low: readonly number[],
		high: readonly number[],
		{ scan, step }: Position,
	): readonly number[] | null {
		const isBetween = (steps: readonly number[]) =>
			steps.some((each, i) => each > low[i]) && steps.some((each, i) => each < high[i]);
		const valued = scan.nullsFrom - scan.from;
		if (step >= valued) {
			const steps = this.scans.map(({ from, nullsFrom }) => nullsFrom - from);
			return isBetween(steps) ? steps : null;
		}
		const rank = scan.rank(scan.descending ? scan.nullsFrom - 1 - step : scan.from + step);
		const first = this.stepsTo(scan.descending ? rank + 1 : rank, low, high);
		if (isBetween(first)) return first;
		const next = this.stepsTo(scan.descending ? rank : rank + 1, low, high);
		return isBetween(next) ? next : null;
	}

	/** Steps of each state, from `low` to `high`, to where the positions of ranks below `rank` meet the others with a value. */
	private stepsTo(rank: number, low: readonly number[], high: readonly number[]): readonly number[] {
		const { dictionary } = this.indexes;
		const { folds, distinct } = dictionary;
		const code = rank >= folds ? distinct : dictionary.codesOfRanks({ from: rank, to: rank }).from;
		return this.scans.map((scan, i) => {
			const { from, nullsFrom, descending } = scan;
			const end = Math.min(high[i], nullsFrom - from);
			if (descending) return nullsFrom - scan.firstOfCode(nullsFrom - end, nullsFrom - low[i], code);
			return scan.firstOfCode(from + low[i], from + end, code) - from;
		});
	}

	/** The division at `steps`, counted in each state from the nearer of two; null where the budget does not allow it. */
	private division(steps: readonly number[], low: Division, high: Division): Division | null {
		const sizes = steps.map((each, i) => Math.min(each - low.steps[i], high.steps[i] - each));
		const counted = sizes.reduce((sum, size) => sum + size, 0);
		this.budget -= counted;
		if (this.budget < 0) return null;
		this.scratch.work.add(counted);
		const rows = steps.map((each, i) =>
			each - low.steps[i] === sizes[i]
				? low.rows[i] + this.count(i, low.steps[i], each)
				: high.rows[i] - this.count(i, each, high.steps[i]),
		);
		return { steps, rows, before: rows.reduce((sum, each) => sum + each, 0) };
	}

	/** Rows of the bitmap at steps [from, to) of a state's scan. */
	private count(state: number, from: number, to: number): number {
		let rows = 0;
		for (const slice of slicesOf(this.scans[state], from, to))
			rows += countMatches(this.rows, this.bits.words, slice.from, slice.to);
		return rows;
	}

	/** Rows of the one fold, or without a value, between two divisions: they are in order state by state. */
	private takeFold(low: Division, high: Division, { offset, limit }: PageWindow, at: number): number {
		const { scans, rows, scratch, bits } = this;
		const page = { skip: offset - low.before, taken: at, end: at + limit, out: scratch.page };
		const { descending } = scans[0];
		for (let n = 0; n < scans.length && page.taken < page.end; n++) {
			const i = descending ? scans.length - 1 - n : n;
			for (const slice of slicesOf(scans[i], low.steps[i], high.steps[i])) {
				scratch.work.add(slice.to - slice.from);
				takeMatches(rows, bits.words, slice, descending, page);
			}
		}
		return page.taken;
	}

	/** Lists the rows between two divisions and selects from them. */
	private takeListed(low: Division, high: Division, { offset, limit }: PageWindow, at: number): number {
		const { list, page, work } = this.scratch;
		let count = 0;
		for (const [i, scan] of this.scans.entries()) {
			work.add(high.steps[i] - low.steps[i]);
			for (const { from, to } of slicesOf(scan, low.steps[i], high.steps[i]))
				count = listMatches(this.rows, this.bits.words, from, to, list, count);
		}
		return this.topN.select(list.subarray(0, count), 0, { offset: offset - low.before, limit }, page, at);
	}
}

/** The key of the position at a step. */
function keyAt(scan: IndexScan, step: number): number {
	if (step >= scan.nullsFrom - scan.from) return Number.POSITIVE_INFINITY;
	return scan.descending ? -scan.rank(scan.nullsFrom - 1 - step) : scan.rank(scan.from + step);
}

/** Positions of steps [from, to) of a scan, with a value and without. No division lies among the positions without. */
function slicesOf(scan: IndexScan, from: number, to: number): readonly Range[] {
	if (!scan.descending) return [{ from: scan.from + from, to: scan.from + to }];
	const { nullsFrom } = scan;
	const valued = nullsFrom - scan.from;
	const slices = [{ from: nullsFrom - Math.min(to, valued), to: nullsFrom - Math.min(from, valued) }];
	if (to > valued) slices.push({ from: scan.from + Math.max(from, valued), to: scan.from + to });
	return slices;
}
