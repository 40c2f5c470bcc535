/**
 * K-way merge: one page of a few states' rows by one sort column. Each state's order is stored, so the
 * page is a merge of slices of these, found by binary search; no other row is read.
 *
 * Cost O(states × log rows × log values) to find the beginning of the page, then O(states) a row.
 */

import { columnNamed, type Dictionary } from "../../formats/index.js";
import { type IndexScan, scanOfState } from "./index-scan.js";
import type { PageRequest, PageWindow } from "./page-window.js";

/** Positions of a state's order not merged yet. All rows of a part precede those of the next part. */
interface Part {
	readonly scan: IndexScan;
	from: number;
	to: number;
	/** Fold rank of the part's next row; past every rank if the part is exhausted. */
	rank: number;
}

/** Merges the plan's parts, positions of the states' orders, up to the page's rows and writes these; returns how many. */
export function mergePage({ plan, offset, limit, columns, scratch }: PageRequest): number {
	const { order } = plan.order;
	const column = columnNamed(plan.order.columns[0]);
	const dictionary = columns.dictionary.get(column);
	const scans = plan.parts.map((part) => scanOfState(column, order, part, columns));
	const values = scans.map((scan): Part => ({ scan, from: scan.from, to: scan.nullsFrom, rank: 0 }));
	const valued = values.reduce((sum, part) => sum + part.to - part.from, 0);
	let taken = 0;
	if (offset < valued) {
		const merge = new Merge(values, dictionary, order === "desc");
		merge.skip(offset);
		taken = merge.take(Math.min(limit, valued - offset), scratch.page);
	}
	scratch.work.add(limit);
	const rest = { offset: Math.max(0, offset - valued), limit: limit - taken };
	return taken + takeNulls(scans, order === "desc", rest, scratch.page.subarray(taken));
}

/** Rows without a value, by id: one part after the other. Returns how many. */
function takeNulls(
	scans: readonly IndexScan[],
	descending: boolean,
	{ offset, limit }: PageWindow,
	out: Uint32Array,
): number {
	let skip = offset;
	let taken = 0;
	for (const scan of descending ? [...scans].reverse() : scans) {
		const { nullsFrom, to } = scan;
		for (let i = skip; i < to - nullsFrom && taken < limit; i++) {
			out[taken++] = scan.row(descending ? to - 1 - i : nullsFrom + i);
		}
		skip = Math.max(0, skip - (to - nullsFrom));
	}
	return taken;
}

class Merge {
	constructor(
		private readonly parts: readonly Part[],
		private readonly dictionary: Dictionary,
		private readonly descending: boolean,
	) {}

	/** Skips the first `rows` rows; there are more. */
	skip(rows: number): void {
		const { parts, dictionary, descending } = this;
		const total = parts.reduce((sum, part) => sum + part.to - part.from, 0);
		// The rank of row number `rows`: the last rank with at most so many rows before it.
		const target = descending ? total - 1 - rows : rows;
		const lows = parts.map((part) => part.from);
		const highs = parts.map((part) => part.to);
		let low = 0;
		let high = dictionary.folds;
		while (low + 1 < high) {
			const middle = (low + high) >>> 1;
			const at = this.positionsOf(middle, lows, highs);
			const isReached = this.rowsBefore(at) <= target;
			if (isReached) low = middle;
			else high = middle;
			const bounds = isReached ? lows : highs;
			for (let i = 0; i < parts.length; i++) bounds[i] = at[i];
		}
		// Now the rows of rank `low` are at positions [lows, highs) of each part.
		const passed = descending ? total - this.rowsBefore(highs) : this.rowsBefore(lows);
		this.skipWithin(lows, highs, rows - passed);
	}

	/** Takes the next `limit` rows, which exist, to `page`; returns how many. */
	take(limit: number, page: Uint32Array): number {
		const { parts, descending } = this;
		for (const part of parts) this.lookAhead(part);
		for (let taken = 0; taken < limit; taken++) {
			let best = parts[0];
			for (const part of parts) {
				// Among equal ranks lower rows come first in ascending order, higher ones in descending
				// order.
				if (descending ? part.rank >= best.rank : part.rank < best.rank) best = part;
			}
			const position = descending ? --best.to : best.from++;
			page[taken] = best.scan.row(position);
			this.lookAhead(best);
		}
		return limit;
	}

	/** Moves all parts to a rank, then past `rows` rows of it, part by part. */
	private skipWithin(starts: readonly number[], ends: readonly number[], rows: number): void {
		const { parts, descending } = this;
		let left = rows;
		for (let n = 0; n < parts.length; n++) {
			const i = descending ? parts.length - 1 - n : n;
			const passed = Math.min(left, ends[i] - starts[i]);
			left -= passed;
			if (descending) parts[i].to = ends[i] - passed;
			else parts[i].from = starts[i] + passed;
		}
	}

	/** Rows of the parts before the given positions. */
	private rowsBefore(positions: readonly number[]): number {
		return this.parts.reduce((sum, part, i) => sum + positions[i] - part.from, 0);
	}

	/** The position in each part at which a rank begins, between `lows` and `highs`. */
	private positionsOf(rank: number, lows: readonly number[], highs: readonly number[]): number[] {
		const { folds, distinct } = this.dictionary;
		const code = rank >= folds ? distinct : this.dictionary.codesOfRanks({ from: rank, to: rank }).from;
		return this.parts.map(({ scan }, i) => scan.firstOfCode(lows[i], highs[i], code));
	}

	private lookAhead(part: Part): void {
		if (part.from === part.to) part.rank = this.descending ? -1 : Number.POSITIVE_INFINITY;
		else part.rank = part.scan.rank(this.descending ? part.to - 1 : part.from);
	}
}
