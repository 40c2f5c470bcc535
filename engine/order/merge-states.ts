/**
 * One page of a few states' rows by one sort column: each state's order is stored, so the page is a
 * merge of stretches of them, found by binary search. No other row is looked at.
 *
 * Cost O(states × log rows × log values) to find where the page begins, then O(states) a row.
 */

import { type ColumnName, columnNamed, type Dictionary, type Range } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Order } from "../query.js";
import type { Scratch } from "../scratch.js";
import { IndexScan } from "./index-scan.js";

/** A state's stretch of the order that is not yet merged, half-open. Its rows all lie before the next part's. */
interface Part {
	readonly scan: IndexScan;
	from: number;
	to: number;
	/** Fold rank of the part's next row; past every rank where the part is used up. */
	rank: number;
}

/** The page to write. */
interface MergeRequest {
	readonly column: ColumnName;
	readonly order: Order;
	/** Positions of the states' orders, states ascending. */
	readonly parts: readonly Range[];
	readonly offset: number;
	readonly limit: number;
}

/** Writes rows [offset, offset + limit) of the parts in order to `scratch.page`; returns how many. */
export function mergePage(request: MergeRequest, columns: SnapshotColumns, scratch: Scratch): number {
	const { offset, limit, order } = request;
	const column = columnNamed(request.column);
	const rows = columns.permutation.get(column).byState;
	const codes = columns.codes.get(column);
	const dictionary = columns.dictionary.get(column);
	const scans = request.parts.map(
		({ from, to }) => new IndexScan(rows, from, to, order, codes, dictionary, null),
	);
	const values = scans.map((scan): Part => ({ scan, from: scan.from, to: scan.nullsFrom, rank: 0 }));
	const valued = values.reduce((sum, part) => sum + part.to - part.from, 0);
	let taken = 0;
	if (offset < valued) {
		const merge = new Merge(values, dictionary, order === "desc");
		merge.skip(offset);
		taken = merge.take(Math.min(limit, valued - offset), scratch.page);
	}
	scratch.work.add(limit);
	return taken + takeNulls(scans, order, Math.max(0, offset - valued), limit - taken, scratch.page, taken);
}

/** Rows without a value, by id: one part's after the other's. Returns how many. */
function takeNulls(
	scans: readonly IndexScan[],
	order: Order,
	offset: number,
	limit: number,
	page: Uint32Array,
	at: number,
): number {
	const descending = order === "desc";
	let skip = offset;
	let taken = 0;
	for (const scan of descending ? [...scans].reverse() : scans) {
		const { nullsFrom, to } = scan;
		for (let i = skip; i < to - nullsFrom && taken < limit; i++) {
			page[at + taken++] = scan.row(descending ? to - 1 - i : nullsFrom + i);
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

	/** Moves past the first `rows` rows, fewer than there are. */
	skip(rows: number): void {
		const { parts, dictionary, descending } = this;
		const total = parts.reduce((sum, part) => sum + part.to - part.from, 0);
		// The rank that row number `rows` has: the last with at most so many rows before it, upwards.
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
		// Now each part has rank `low` at positions [lows, highs).
		const passed = descending ? total - this.rowsBefore(highs) : this.rowsBefore(lows);
		this.skipWithin(lows, highs, rows - passed);
	}

	/** Takes the next `limit` rows, which there are, to `page`; returns how many. */
	take(limit: number, page: Uint32Array): number {
		const { parts, descending } = this;
		for (const part of parts) this.lookAhead(part);
		for (let taken = 0; taken < limit; taken++) {
			let best = parts[0];
			for (const part of parts) {
				// Of equal ranks the lower rows come first upwards, the higher downwards.
				if (descending ? part.rank >= best.rank : part.rank < best.rank) best = part;
			}
			const position = descending ? --best.to : best.from++;
			page[taken] = best.scan.row(position);
			this.lookAhead(best);
		}
		return limit;
	}

	/** Moves all parts past what comes before a rank and past `rows` rows of it, part by part. */
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

	/** Rows of the parts before one position in each. */
	private rowsBefore(positions: readonly number[]): number {
		return this.parts.reduce((sum, part, i) => sum + positions[i] - part.from, 0);
	}

	/** Where a rank begins in each part, known to lie between `lows` and `highs`. */
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
