/**
 * One page of a bitmap of rows, in the order of any number of sort columns.
 *
 * For the column at hand there are three ways, chosen by what they cost: list the rows and select
 * the page by key; walk the column's order and test each row in the bitmap; or, where further
 * columns follow, walk it group by group of equal value. A group that is too large to list is
 * narrowed to a bitmap of its own and ordered by the next column.
 */

import { type Column, columnNamed, type Dictionary } from "../formats/index.js";
import type { SnapshotColumns } from "./columns.js";
import { COST_NS } from "./cost.js";
import {
	andWords,
	countAnd,
	fillRun,
	listRows,
	orWords,
	type PageCursor,
	setRows,
	takeRowsDown,
	takeRowsUp,
} from "./kernels/bitmap.js";
import { countMatches, listMatches, walkDown, walkUp } from "./kernels/walk.js";
import { PageSelector } from "./page-select.js";
import type { Plan } from "./plan.js";
import type { Scratch } from "./scratch.js";
import { openWalk, type Stretch, type Walk } from "./walk.js";

/** Up to this many rows are ordered by selecting, whatever else could be done. */
export const SELECT_ROWS_MAX = 4096;

/** A group with more positions than this is counted and narrowed as a bitmap. */
const GROUP_POSITIONS_MAX = 65_536;

/** Rows as a bitmap that is zero outside of words [fromWord, toWord). */
export interface RowBits {
	readonly words: Uint32Array;
	readonly count: number;
	readonly fromWord: number;
	readonly toWord: number;
}

export class BitmapOrder {
	private readonly selector: PageSelector;
	private readonly descending: boolean;
	private readonly depths: number;

	constructor(
		private readonly plan: Plan,
		private readonly columns: SnapshotColumns,
		private readonly scratch: Scratch,
	) {
		const { order } = plan;
		this.selector = new PageSelector(order.columns, order.order, columns, scratch.arena);
		this.descending = order.order === "desc";
		this.depths = order.columns.length;
	}

	/** Writes rows [offset, offset + limit) to `scratch.page`; returns how many. */
	page(bits: RowBits, offset: number, limit: number): number {
		return this.fill(bits, 0, offset, limit, 0);
	}

	/** Writes rows [offset, offset + limit) of `bits`, ordered from column `depth` on, at `at`; returns the end. */
	private fill(bits: RowBits, depth: number, offset: number, limit: number, at: number): number {
		const wanted = Math.min(limit, bits.count - offset);
		if (wanted <= 0) return at;
		if (depth === this.depths) return this.takeById(bits, offset, wanted, at);
		const walk = openWalk(this.plan.order, depth, this.plan.state, this.columns);
		const positions = walk.to - walk.from;
		const steps = Math.min(positions, ((offset + wanted) * positions) / bits.count);
		const selecting = bits.count * COST_NS.selectRow < steps * COST_NS.walkStep;
		if (bits.count <= SELECT_ROWS_MAX || selecting) {
			listRows(bits.words, bits.fromWord, bits.toWord, this.scratch.list, 0);
			return this.selector.select(
				this.scratch.list,
				bits.count,
				depth,
				offset,
				wanted,
				this.scratch.page,
				at,
			);
		}
		if (depth === this.depths - 1) return this.walk(bits, walk, offset, wanted, at);
		return this.walkGroups(bits, walk, depth, offset, wanted, at);
	}

	private takeById(bits: RowBits, offset: number, limit: number, at: number): number {
		const cursor = { skip: offset, taken: at };
		this.take(bits.words, bits.fromWord << 5, bits.toWord << 5, at + limit, cursor);
		return cursor.taken;
	}

	private take(words: Uint32Array, first: number, end: number, limit: number, cursor: PageCursor): void {
		const take = this.descending ? takeRowsDown : takeRowsUp;
		take(words, first, end, limit, cursor, this.scratch.page);
	}

	/** Walks the order of the last column. */
	private walk(bits: RowBits, walk: Walk, offset: number, limit: number, at: number): number {
		const cursor = { skip: offset, taken: at };
		for (const { from, to } of walk.stretches()) {
			if (walk.rows === null) this.take(bits.words, from, to, at + limit, cursor);
			else {
				const step = this.descending ? walkDown : walkUp;
				step(walk.rows, bits.words, from, to, at + limit, cursor, this.scratch.page);
			}
		}
		return cursor.taken;
	}

	/** Walks the order of a column that others follow, group by group of equal value. */
	private walkGroups(
		bits: RowBits,
		walk: Walk,
		depth: number,
		offset: number,
		limit: number,
		at: number,
	): number {
		const end = offset + limit;
		const list = this.scratch.list;
		let before = 0;
		let listed = 0;
		let listedFrom = 0;
		let taken = at;
		const flush = () => {
			if (listed === 0) return;
			const skip = Math.max(0, offset - listedFrom);
			const wanted = Math.min(listed, end - listedFrom) - skip;
			taken = this.selector.select(list, listed, depth, skip, wanted, this.scratch.page, taken);
			listed = 0;
		};
		for (const group of this.groups(walk)) {
			if (before >= end) break;
			const matches = this.countGroup(bits, walk, group, depth);
			const reached = before + matches;
			if (matches > 0 && reached > offset) {
				if (group.to - group.from > GROUP_POSITIONS_MAX) {
					flush();
					const narrowed = this.narrowToGroup(bits, walk, group, depth, matches);
					const skip = Math.max(0, offset - before);
					taken = this.fill(narrowed, depth + 1, skip, Math.min(reached, end) - before - skip, taken);
				} else {
					if (listed === 0) listedFrom = before;
					listed = this.listGroup(bits, walk, group, listed);
				}
			}
			before = reached;
		}
		flush();
		return taken;
	}

	/** Groups of equal value in the order they are walked. */
	private *groups(walk: Walk): Generator<Stretch> {
		for (const { from, to } of walk.stretches()) {
			if (this.descending) {
				for (let end = to; end > from; ) {
					const start = walk.groupStart(end, walk.rank(end - 1), from);
					yield { from: start, to: end };
					end = start;
				}
			} else {
				for (let start = from; start < to; ) {
					const end = walk.groupEnd(start, walk.rank(start), to);
					yield { from: start, to: end };
					start = end;
				}
			}
		}
	}

	private countGroup(bits: RowBits, walk: Walk, group: Stretch, depth: number): number {
		if (group.to - group.from > GROUP_POSITIONS_MAX) {
			const words = this.groupWords(bits, walk, group, depth);
			return countAnd(bits.words, words, bits.fromWord, bits.toWord);
		}
		if (walk.rows !== null) return countMatches(walk.rows, bits.words, group.from, group.to);
		const cursor = { skip: group.to - group.from, taken: 0 };
		takeRowsUp(bits.words, group.from, group.to, 1, cursor, this.scratch.page);
		return group.to - group.from - cursor.skip;
	}

	private listGroup(bits: RowBits, walk: Walk, group: Stretch, at: number): number {
		const { list } = this.scratch;
		if (walk.rows !== null) return listMatches(walk.rows, bits.words, group.from, group.to, list, at);
		const cursor = { skip: 0, taken: at };
		takeRowsUp(bits.words, group.from, group.to, list.length, cursor, list);
		return cursor.taken;
	}

	/** The rows of `bits` in a group whose words {@link countGroup} has just made. */
	private narrowToGroup(bits: RowBits, walk: Walk, group: Stretch, depth: number, count: number): RowBits {
		const { fromWord, toWord } = bits;
		const words = this.groupWords(bits, walk, group, depth);
		andWords(words, bits.words, fromWord, toWord);
		words.fill(0, 0, fromWord);
		words.fill(0, toWord);
		return { words, count, fromWord, toWord };
	}

	/** The rows of a group as a bitmap: its codes' stored bitmaps where each has one, else row by row. */
	private groupWords(bits: RowBits, walk: Walk, group: Stretch, depth: number): Uint32Array {
		const words = this.scratch.groupBitmap(depth);
		words.fill(0);
		const column = columnNamed(this.plan.order.columns[depth]);
		const stored = this.storedBitmaps(column, walk.rank(group.from));
		if (stored !== null) for (const bitmap of stored) orWords(words, bitmap, bits.fromWord, bits.toWord);
		else if (walk.rows === null) fillRun(words, group.from, group.to);
		else setRows(words, walk.rows, group.from, group.to);
		return words;
	}

	private storedBitmaps(column: Column, rank: number): Uint32Array[] | null {
		const bitmaps = this.columns.bitmaps.get(column);
		if (bitmaps === null) return null;
		const found: Uint32Array[] = [];
		for (const code of codesOfRank(this.columns.dictionary.get(column), rank)) {
			const bitmap = bitmaps.find(code);
			if (bitmap === null) return null;
			found.push(bitmap);
		}
		return found;
	}
}

function codesOfRank(dictionary: Dictionary, rank: number): number[] {
	if (rank >= dictionary.folds) return [dictionary.distinct];
	const { low, high } = dictionary.codesOfRanks({ low: rank, high: rank + 1 });
	return Array.from({ length: high - low }, (_, i) => low + i);
}
