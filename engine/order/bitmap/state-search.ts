/**
 * Finds a page of a bitmap whose rows belong to a few states by these states' own orders of the one sort
 * column, so that no position of another state is read.
 *
 * A division cuts every state's order between the same two folds: all rows before it precede all rows after
 * it. Two divisions approach the page by interpolation, counting the rows between them and the next one, until
 * few rows are left to be listed and sorted, or one fold, whose rows are taken in order.
 *
 * Cost O(positions of the states up to the page, or from it on), and O(states × log rows) for each division.
 */

import { columnNamed, type Dictionary, type Range } from "../../../formats/index.js";
import type { SnapshotColumns } from "../../columns/snapshot-columns.js";
import { countMatches, listMatches, takeMatchesDown, takeMatchesUp } from "../../kernels/bitmap-probe.js";
import type { Plan } from "../../plan/plan.js";
import type { Scratch } from "../../scratch.js";
import type { RowBitmap } from "../../select/selection.js";
import { COST_NS, FAR_BUDGET, GIVEN_UP_SHARE, INTERPOLATED_MAX, STATE_SLACK_ROWS } from "../../tuning.js";
import { IndexScan } from "../index-scan.js";
import type { TopN } from "../top-n.js";
import { stateSeekCost } from "./path-costs.js";

/** A place in the order of all states. */
interface Division {
	/** Steps of each state's scan before it. */
	readonly steps: readonly number[];
	/** Rows of the bitmap before it. */
	readonly before: number;
}

/**
 * Writes rows [offset, offset + limit) of `bits`, which exist, to `scratch.page`; returns how many. Null where the
 * plan has no such states, where other paths cost less than `least` nanoseconds, or where the page lies much
 * farther than a uniform distribution predicts.
 */
export function seekStates(
	{ states, order }: Plan,
	bits: RowBitmap,
	offset: number,
	limit: number,
	least: number,
	columns: SnapshotColumns,
	topN: TopN,
	scratch: Scratch,
): number | null {
	if (states.length === 0 || order.columns.length > 1) return null;
	const column = columnNamed(order.columns[0]);
	const { byState } = columns.permutation.get(column);
	if (byState === null) return null;
	const positions = states.reduce((sum, { rows }) => sum + rows, 0);
	const cost = stateSeekCost(bits, offset, limit, states.length, positions);
	if (cost.all >= least) return null;
	const { trace, work } = scratch;
	const step = trace.begin("seek states", column.name, bits.count, work.elements);
	const budget = Math.max(cost.counting * FAR_BUDGET, least * GIVEN_UP_SHARE) / COST_NS.countStep;
	const dictionary = columns.dictionary.get(column);
	const codes = columns.codes.get(column);
	const scans = states.map(
		({ first, rows }) => new IndexScan(byState, first, first + rows, order.order, codes, dictionary, null),
	);
	const search = new StateSearch(bits, scans, byState, dictionary, Math.ceil(budget), topN, scratch);
	const taken = search.take(offset, limit);
	trace.end(step, work.elements, taken === null ? "given up" : "done");
	return taken;
}

class StateSearch {
	constructor(
		private readonly bits: RowBitmap,
		/** States ascending. */
		private readonly scans: readonly IndexScan[],
		private readonly rows: Uint32Array,
		private readonly dictionary: Dictionary,
		/** Positions that may still be counted. */
		private budget: number,
		private readonly topN: TopN,
		private readonly scratch: Scratch,
	) {}

	/** The page, as {@link seekStates}; null where the budget is exceeded. */
	take(offset: number, limit: number): number | null {
		const begin = { steps: this.scans.map(() => 0), before: 0 };
		const end = { steps: this.scans.map(({ from, to }) => to - from), before: this.bits.count };
		return this.takeBetween(begin, end, offset, limit, 0);
	}

	private takeBetween(
		begin: Division,
		end: Division,
		offset: number,
		limit: number,
		at: number,
	): number | null {
		const slack = STATE_SLACK_ROWS + limit;
		let [low, high] = [begin, end];
		for (let tries = 0; high.before - low.before > slack; tries++) {
			const aim = offset - low.before <= slack / 2 ? offset + limit + slack / 4 : offset - slack / 4;
			const share = tries < INTERPOLATED_MAX ? (aim - low.before) / (high.before - low.before) : 0.5;
			const steps = this.divide(low.steps, high.steps, share);
			if (steps === null) return this.takeFold(low, high, offset, limit, at);
			const before = this.rowsBefore(steps, low, high);
			if (before === null) return null;
			const middle = { steps, before };
			if (before > offset && before < offset + limit) {
				const taken = this.takeBetween(low, middle, offset, before - offset, at);
				if (taken === null) return null;
				return this.takeBetween(middle, high, before, offset + limit - before, taken);
			}
			if (before <= offset) low = middle;
			else high = middle;
		}
		return this.takeListed(low, high, offset, limit, at);
	}

	/** A division between two others, at about a share of the way; null where there is one fold between them. */
	private divide(low: readonly number[], high: readonly number[], share: number): readonly number[] | null {
		const sizes = high.map((steps, i) => steps - low[i]);
		const widest = sizes.indexOf(Math.max(...sizes));
		const size = sizes[widest];
		const step = low[widest] + Math.max(0, Math.min(size - 1, Math.floor(share * size)));
		const isBetween = (steps: readonly number[]) =>
			steps.some((each, i) => each > low[i]) && steps.some((each, i) => each < high[i]);
		const scan = this.scans[widest];
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
		const { folds, distinct } = this.dictionary;
		const code = rank >= folds ? distinct : this.dictionary.codesOfRanks({ from: rank, to: rank }).from;
		return this.scans.map((scan, i) => {
			const { from, nullsFrom, descending } = scan;
			const end = Math.min(high[i], nullsFrom - from);
			if (descending) return nullsFrom - scan.firstOfCode(nullsFrom - end, nullsFrom - low[i], code);
			return scan.firstOfCode(from + low[i], from + end, code) - from;
		});
	}

	/** Rows before `steps`, counted from the nearer of two divisions; null where the budget does not allow it. */
	private rowsBefore(steps: readonly number[], low: Division, high: Division): number | null {
		const positions = (from: readonly number[], to: readonly number[]) =>
			to.reduce((sum, each, i) => sum + each - from[i], 0);
		const [after, left] = [positions(low.steps, steps), positions(steps, high.steps)];
		const counted = Math.min(after, left);
		this.budget -= counted;
		if (this.budget < 0) return null;
		this.scratch.work.add(counted);
		return after <= left
			? low.before + this.count(low.steps, steps)
			: high.before - this.count(steps, high.steps);
	}

	private count(low: readonly number[], high: readonly number[]): number {
		const { words } = this.bits;
		let rows = 0;
		for (const [i, scan] of this.scans.entries())
			for (const { from, to } of slicesOf(scan, low[i], high[i]))
				rows += countMatches(this.rows, words, from, to);
		return rows;
	}

	/** Rows of the one fold, or without a value, between two divisions: they are in order state by state. */
	private takeFold(low: Division, high: Division, offset: number, limit: number, at: number): number {
		const { scans, rows, scratch, bits } = this;
		const cursor = { skip: offset - low.before, taken: at };
		const end = at + limit;
		const { descending } = scans[0];
		const take = descending ? takeMatchesDown : takeMatchesUp;
		for (let n = 0; n < scans.length && cursor.taken < end; n++) {
			const i = descending ? scans.length - 1 - n : n;
			for (const { from, to } of slicesOf(scans[i], low.steps[i], high.steps[i])) {
				scratch.work.add(to - from);
				take(rows, bits.words, from, to, end, cursor, scratch.page);
			}
		}
		return cursor.taken;
	}

	/** Lists the rows between two divisions and selects from them. */
	private takeListed(low: Division, high: Division, offset: number, limit: number, at: number): number {
		const { list, page, work } = this.scratch;
		let count = 0;
		for (const [i, scan] of this.scans.entries()) {
			work.add(high.steps[i] - low.steps[i]);
			for (const { from, to } of slicesOf(scan, low.steps[i], high.steps[i]))
				count = listMatches(this.rows, this.bits.words, from, to, list, count);
		}
		return this.topN.select(list, count, 0, offset - low.before, limit, page, at);
	}
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
