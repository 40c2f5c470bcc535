/**
 * One page of a bitmap of rows, in the order of any number of sort columns.
 *
 * For the column at hand there are two ways, chosen by what they cost: list the rows and select the
 * page by key, or walk the column's order and test each row in the bitmap. Where further columns
 * follow, the walk finds the groups of equal value that the page begins and ends in, and what lies
 * between them is listed and ordered further. A group that is too large to list is narrowed to a
 * bitmap of its own and ordered by the next column.
 */

import { columnNamed } from "../formats/index.js";
import { jumpToBucket } from "./bucket-jump.js";
import type { SnapshotColumns } from "./columns.js";
import { COST_NS } from "./cost.js";
import { Groups, type RowBits } from "./groups.js";
import { listRows, type PageCursor, takeRowsDown, takeRowsUp } from "./kernels/bitmap.js";
import { countMatches, listMatches, seekDown, seekUp, walkDown, walkUp } from "./kernels/walk.js";
import { findKeyWindow } from "./key-window.js";
import { PageSelector } from "./page-select.js";
import type { Plan } from "./plan.js";
import type { Scratch } from "./scratch.js";
import { openWalk, type Stretch, type Walk } from "./walk.js";

/** A group with more positions than this is narrowed to a bitmap of its own. */
const GROUP_POSITIONS_MAX = 16_384;

/** So few matches of a group are listed by walking it, where that is less than making a bitmap of it. */
const SPARSE_ROWS_MAX = 4096;

/** A walk expected to be longer, by words of the bitmap, begins at a bound of cumulative bitmaps. */
const JUMPED_STEPS_PER_WORD = 2;

/** A column with no more folds has groups that are counted one by one. */
const COARSE_FOLDS_MAX = 256;

/** Of so many rows on, a page is looked for in a window of keys. */
const WINDOW_ROWS_MIN = 16_384;

/** A column with fewer values has groups as large as a window would be. */
const WINDOW_DISTINCT_MIN = 1024;

/** A part of a page: rows [offset, offset + limit) of the groups it is asked for. */
interface GroupPage {
	readonly bits: RowBits;
	readonly walk: Walk;
	readonly depth: number;
	readonly offset: number;
	readonly limit: number;
	/** Rows of `bits` in the groups, where it has been counted. */
	readonly matches: number | null;
}

export class BitmapOrder {
	private readonly selector: PageSelector;
	private readonly groups: Groups;
	private readonly descending: boolean;
	private readonly depths: number;

	constructor(
		private readonly plan: Plan,
		private readonly columns: SnapshotColumns,
		private readonly scratch: Scratch,
	) {
		const { order } = plan;
		this.selector = new PageSelector(order.columns, order.order, columns, scratch.arena, scratch.work);
		this.groups = new Groups(order, columns, scratch);
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
		const words = bits.toWord - bits.fromWord;
		const selecting = bits.count * COST_NS.selectRow + words * COST_NS.listWord;
		const isLast = depth === this.depths - 1;
		const isCoarse = this.isCoarse(bits, depth);
		if (isLast && steps > words * JUMPED_STEPS_PER_WORD) {
			const jumped = this.jump(bits, walk, depth, offset, wanted, at);
			if (jumped !== null) return jumped;
		}
		const isFar = selecting < steps * COST_NS.walkStep;
		if (isCoarse ? !isLast || steps > GROUP_POSITIONS_MAX : isFar)
			return this.giveUp(bits, walk, depth, offset, wanted, at, isCoarse);
		this.scratch.work.add(steps);
		// Matches may lie far along the order, so a walk that comes to cost half of the other way is given up for it.
		const everyRow = bits.count === positions || walk.rows === null;
		const half = isCoarse ? GROUP_POSITIONS_MAX : selecting / COST_NS.walkStep / 2;
		const budget = everyRow ? positions : Math.ceil(Math.max(steps * 2, half));
		const walked = isLast
			? this.walk(bits, walk, offset, wanted, at, budget)
			: this.walkGroups(bits, walk, depth, offset, wanted, at, budget);
		return walked ?? this.giveUp(bits, walk, depth, offset, wanted, at, isCoarse);
	}

	/** Walks the last column's order from near the page on; null where nothing tells where that is. */
	private jump(bits: RowBits, walk: Walk, depth: number, offset: number, limit: number, at: number) {
		const column = columnNamed(this.plan.order.columns[depth]);
		const cumulative = this.columns.cumulativeBitmaps.get(column);
		if (cumulative === null || walk.rows === null || this.plan.state !== null) return null;
		const near = jumpToBucket(bits, walk, cumulative, offset, this.scratch.work);
		const budget = (bits.toWord - bits.fromWord) * JUMPED_STEPS_PER_WORD * 2;
		return near && this.walk(bits, near.walk, offset - near.passed, limit, at, budget);
	}

	/** What is done instead of walking: counting groups where they are coarse, else selecting by key. */
	private giveUp(
		bits: RowBits,
		walk: Walk,
		depth: number,
		offset: number,
		limit: number,
		at: number,
		isCoarse: boolean,
	): number {
		const budget = bits.count * COST_NS.narrowRow;
		const counted = isCoarse ? this.countGroups(bits, walk, depth, offset, limit, at, budget) : null;
		return counted ?? this.select(bits, depth, offset, limit, at);
	}

	/** Whether the groups of a column are so few and large that they can be counted one by one. */
	private isCoarse(bits: RowBits, depth: number): boolean {
		const { dictionary } = this.columns;
		const { folds } = dictionary.get(columnNamed(this.plan.order.columns[depth]));
		return folds <= COARSE_FOLDS_MAX && bits.count >= WINDOW_ROWS_MIN;
	}

	/**
	 * Counts group by group to those that the page lies in, and orders these further. Null where the
	 * counting came to cost more than `budget` nanoseconds.
	 */
	private countGroups(
		bits: RowBits,
		walk: Walk,
		depth: number,
		offset: number,
		limit: number,
		at: number,
		budget: number,
	): number | null {
		const end = at + limit;
		let skip = offset;
		let taken = at;
		let cost = 0;
		for (const stretch of walk.stretches()) {
			let group = this.firstGroup(walk, stretch);
			for (; group !== null && taken < end; group = this.nextGroup(walk, group, stretch)) {
				const size = group.to - group.from;
				const isWhole = bits.count === walk.to - walk.from;
				const counted = isWhole ? { matches: size, cost: 0 } : this.groups.count(bits, walk, group, depth);
				cost += counted.cost;
				if (cost > budget) return null;
				if (skip >= counted.matches) skip -= counted.matches;
				else {
					const wanted = Math.min(end - taken, counted.matches - skip);
					const page = { bits, walk, depth, offset: skip, limit: wanted, matches: counted.matches };
					taken = this.fillGroup(page, group, taken);
					skip = 0;
				}
			}
		}
		return taken;
	}

	/** The group that is walked first; null where the stretch is empty. */
	private firstGroup(walk: Walk, stretch: Stretch): Stretch | null {
		if (stretch.from === stretch.to) return null;
		return walk.group(this.descending ? stretch.to - 1 : stretch.from, stretch);
	}

	/** The group that is walked next; null after the last. */
	private nextGroup(walk: Walk, group: Stretch, { from, to }: Stretch): Stretch | null {
		return this.firstGroup(walk, this.descending ? { from, to: group.from } : { from: group.to, to });
	}

	/** The first `steps` positions of a stretch, as it is walked. */
	private begin({ from, to }: Stretch, steps: number): Stretch {
		return this.descending
			? { from: Math.max(from, to - steps), to }
			: { from, to: Math.min(to, from + steps) };
	}

	/** The part of a stretch that is walked from `position` on. */
	private beyond(position: number, { from, to }: Stretch): Stretch {
		return this.descending ? { from, to: position + 1 } : { from: position, to };
	}

	/** The position of a stretch that is walked last. */
	private end({ from, to }: Stretch): number {
		return this.descending ? from : to - 1;
	}

	private select(bits: RowBits, depth: number, offset: number, limit: number, at: number): number {
		const { list, page, work, arena } = this.scratch;
		work.add(bits.toWord - bits.fromWord);
		if (bits.count >= WINDOW_ROWS_MIN && this.selector.keys.distinct(depth) >= WINDOW_DISTINCT_MIN) {
			const window = findKeyWindow(bits, this.selector.keys, depth, offset, limit, list, arena, work);
			if (window !== null) {
				const skip = offset - window.before;
				return this.selector.select(list, window.rows, depth, skip, limit, page, at);
			}
		}
		const count = listRows(bits.words, bits.fromWord, bits.toWord, list, 0);
		return this.selector.select(list, count, depth, offset, limit, page, at);
	}

	private takeById(bits: RowBits, offset: number, limit: number, at: number): number {
		const cursor = { skip: offset, taken: at };
		this.take(bits.words, bits.fromWord << 5, bits.toWord << 5, at + limit, cursor);
		this.scratch.work.add(bits.toWord - bits.fromWord);
		return cursor.taken;
	}

	private take(words: Uint32Array, first: number, end: number, limit: number, cursor: PageCursor): void {
		const take = this.descending ? takeRowsDown : takeRowsUp;
		take(words, first, end, limit, cursor, this.scratch.page);
	}

	/** Walks the order of the last column; null where the page lies further than `budget` steps. */
	private walk(
		bits: RowBits,
		walk: Walk,
		offset: number,
		limit: number,
		at: number,
		budget: number,
	): number | null {
		const cursor = { skip: offset, taken: at };
		let left = budget;
		for (const stretch of walk.stretches()) {
			const { from, to } = this.begin(stretch, left);
			if (walk.rows === null) this.take(bits.words, from, to, at + limit, cursor);
			else {
				const step = this.descending ? walkDown : walkUp;
				step(walk.rows, bits.words, from, to, at + limit, cursor, this.scratch.page);
			}
			if (cursor.taken === at + limit) break;
			if (to - from < stretch.to - stretch.from) return null;
			left -= to - from;
		}
		return cursor.taken;
	}

	/**
	 * Walks the order of a column that others follow to the first and the last match of the page, and
	 * orders the groups of equal value from the one's to the other's further. Null where the page lies
	 * further than `budget` steps.
	 */
	private walkGroups(
		bits: RowBits,
		walk: Walk,
		depth: number,
		offset: number,
		limit: number,
		at: number,
		budget: number,
	): number | null {
		const cursor = { skip: offset, taken: 0 };
		let left = limit;
		let stepsLeft = budget;
		let taken = at;
		for (const stretch of walk.stretches()) {
			if (left === 0) break;
			const near = this.begin(stretch, stepsLeft);
			stepsLeft -= near.to - near.from;
			const isCut = near.to - near.from < stretch.to - stretch.from;
			const first = this.seek(bits, walk, near, cursor);
			if (!isWithin(first, near)) {
				if (isCut) return null;
				continue;
			}
			cursor.skip = left - 1;
			const rest = this.beyond(first, near);
			const last = this.seek(bits, walk, rest, cursor);
			const ended = !isWithin(last, near);
			if (ended && isCut) return null;
			// Where the stretch ends before the page does, `skip` tells how many matches were still to pass.
			const wanted = ended ? left - 1 - cursor.skip : left;
			const firstGroup = walk.group(first, stretch);
			const lastGroup = walk.group(ended ? this.end(stretch) : last, stretch);
			const skip = this.matchesBefore(bits, walk, first, firstGroup);
			const page: GroupPage = { bits, walk, depth, offset: skip, limit: wanted, matches: null };
			taken = this.fillGroups(page, firstGroup, lastGroup, taken);
			left -= wanted;
			cursor.skip = 0;
		}
		return taken;
	}

	/** Orders the rows of the groups from `first` to `last`, walked in that direction. */
	private fillGroups(page: GroupPage, first: Stretch, last: Stretch, at: number): number {
		const whole = { from: Math.min(first.from, last.from), to: Math.max(first.to, last.to) };
		if (whole.to - whole.from <= GROUP_POSITIONS_MAX) return this.fillListed(page, whole, at);
		const end = at + page.limit;
		let taken = this.fillGroup(page, first, at);
		if (first.from === last.from) return taken;
		const rest = { ...page, offset: 0 };
		const middle = this.descending ? { from: last.to, to: first.from } : { from: first.to, to: last.from };
		taken = this.fillListed({ ...rest, limit: end - taken }, middle, taken);
		return this.fillGroup({ ...rest, limit: end - taken }, last, taken);
	}

	/** Orders one group: as a list, or where it is large as a bitmap of its own by the next column. */
	private fillGroup(page: GroupPage, group: Stretch, at: number): number {
		const { bits, walk, depth, matches } = page;
		const isSparse = matches !== null && matches <= SPARSE_ROWS_MAX;
		const positionsMax = isSparse ? bits.toWord - bits.fromWord : GROUP_POSITIONS_MAX;
		if (group.to - group.from <= positionsMax) return this.fillListed(page, group, at);
		const narrowed = this.groups.narrow(bits, walk, group, depth, matches);
		return this.fill(narrowed, depth + 1, page.offset, page.limit, at);
	}

	/** Lists the matches of a stretch and selects of them. */
	private fillListed({ bits, walk, depth, offset, limit }: GroupPage, { from, to }: Stretch, at: number) {
		const { list, page, work } = this.scratch;
		work.add(to - from);
		const count = listMatches(walk.rows, bits.words, from, to, list, 0);
		return this.selector.select(list, count, depth, offset, Math.min(limit, count - offset), page, at);
	}

	private seek(bits: RowBits, walk: Walk, { from, to }: Stretch, cursor: PageCursor): number {
		const seek = this.descending ? seekDown : seekUp;
		return seek(walk.rows, bits.words, from, to, cursor);
	}

	/** Matches of a group that are walked before the one at `position`. */
	private matchesBefore(bits: RowBits, walk: Walk, position: number, group: Stretch): number {
		return this.descending
			? countMatches(walk.rows, bits.words, position + 1, group.to)
			: countMatches(walk.rows, bits.words, group.from, position);
	}
}

function isWithin(position: number, { from, to }: Stretch): boolean {
	return position >= from && position < to;
}
