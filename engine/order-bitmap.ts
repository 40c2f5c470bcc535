/**
 * One page of a bitmap of rows, in the order of any number of sort columns.
 *
 * For the column at hand, the order is walked from its beginning and each row tested in the bitmap,
 * where the page should be near. Else, or where it turns out far, one of three ways is taken that cost
 * the same wherever it lies: count the groups of a column that has few (`count`), jump along the order
 * by cumulative bitmaps and walk from there (`jump`), or list the rows and select the page by key
 * (`select`).
 *
 * Where further columns follow, the walk finds the groups of equal value that the page begins and ends
 * in (group-walk.ts), and what lies between them is listed and ordered further. A group that is too
 * large to list is narrowed to a bitmap of its own and ordered by the next column.
 */

import { type CumulativeBitmaps, columnNamed, invariant } from "../formats/index.js";
import { jumpCost, jumpToBucket, stepsFromJump } from "./bucket-jump.js";
import type { SnapshotColumns } from "./columns.js";
import { COST_NS } from "./cost.js";
import { findGroups, type GroupSpan } from "./group-walk.js";
import { Groups, type RowBits } from "./groups.js";
import { estimateOccupied, listRows, type PageCursor, takeRowsDown, takeRowsUp } from "./kernels/bitmap.js";
import { listMatches, walkDown, walkUp } from "./kernels/walk.js";
import { findKeyWindow } from "./key-window.js";
import { PageSelector } from "./page-select.js";
import type { Plan } from "./plan.js";
import type { Scratch } from "./scratch.js";
import { openWalk, type Stretch, type Walk, type WalkStart } from "./walk.js";

/** A group with more positions than this may be narrowed to a bitmap of its own. */
const GROUP_POSITIONS_MAX = 16_384;

/** So few matches of a group are selected from as a list. */
const SPARSE_ROWS_MAX = 4096;

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

/** One word in so many is looked at to tell in how many there are rows. */
const OCCUPIED_STEP = 16;

/** Ways to a page whose cost does not hang on where in the order it lies: see {@link BitmapOrder}. */
type SureWay = "count" | "jump" | "select";

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
		const page: GroupPage = { bits, walk, depth, offset, limit: wanted, matches: null };
		const positions = walk.to - walk.from;
		const steps = Math.min(positions, ((offset + wanted) * positions) / bits.count);
		const { way, cost } = this.surely(page);
		// Few large groups that others follow are found by their counts alone.
		const isCounted = way === "count" && depth < this.depths - 1;
		// Jumping costs little more than it is said to, selecting often twice as much.
		const sure = (way === "jump" ? cost / 2 : cost) / COST_NS.walkStep;
		if (isCounted || sure < steps) return this.go(way, page, at);
		this.scratch.work.add(steps);
		// Matches may lie far along the order, so a walk that comes to cost half of the other way is given up for it.
		const everyRow = bits.count === positions || walk.rows === null;
		const budget = everyRow ? positions : Math.ceil(Math.max(steps * 2, sure / 2));
		return this.walk(page, walk.start, at, budget) ?? this.go(way, page, at);
	}

	/** The cheapest way to a page that does not hang on where in the order it lies, and its cost in nanoseconds. */
	private surely({ bits, walk, depth, limit }: GroupPage): { way: SureWay; cost: number } {
		const { words, fromWord, toWord } = bits;
		if (this.isCoarse(bits, depth)) return { way: "count", cost: GROUP_POSITIONS_MAX * COST_NS.walkStep };
		const select = bits.count * COST_NS.selectRow + (toWord - fromWord) * COST_NS.listWord;
		if (this.cumulativeBitmaps(walk, depth) === null) return { way: "select", cost: select };
		// Jumping reads words alone, while selecting waits for the codes of rows that lie apart.
		const waiting = estimateOccupied(words, fromWord, toWord, OCCUPIED_STEP) * COST_NS.selectWord;
		const jump = jumpCost(bits, walk.to - walk.from, limit);
		return jump < select + waiting ? { way: "jump", cost: jump } : { way: "select", cost: select };
	}

	/** The bitmaps by which the whole order of a column is jumped along; null where there are none. */
	private cumulativeBitmaps({ rows }: Walk, depth: number): CumulativeBitmaps | null {
		if (rows === null || this.plan.state !== null) return null;
		return this.columns.cumulativeBitmaps.get(columnNamed(this.plan.order.columns[depth]));
	}

	private go(way: SureWay, page: GroupPage, at: number): number {
		const { bits, depth, offset, limit } = page;
		let end: number | null = null;
		if (way === "count") end = this.countGroups(page, at, (bits.count * COST_NS.narrowRow) / 2);
		// Where rows lie in clusters a sample misleads, which shows by a walk that does not end.
		if (way === "jump") end = this.jump(page, at, false) ?? this.jump(page, at, true);
		return end ?? this.select(bits, depth, offset, limit, at);
	}

	/** Walks to the page from near it; null where that was not near, unless `isSure`. */
	private jump(page: GroupPage, at: number, isSure: boolean): number | null {
		const { bits, walk, depth, offset, limit } = page;
		const cumulative = this.cumulativeBitmaps(walk, depth);
		invariant(cumulative !== null, "there are bitmaps to jump by");
		const start = jumpToBucket(bits, walk, cumulative, offset, isSure, this.scratch.work);
		if (this.isAtNulls(walk, start)) return this.fillNulls(page, start, at);
		const positions = walk.to - walk.from;
		const budget = isSure ? positions : Math.ceil(2 * stepsFromJump(bits, positions, limit));
		return this.walk(page, start, at, budget);
	}

	/** Walks from `start` to the page; null where it lies further than `budget` steps. */
	private walk(page: GroupPage, start: WalkStart, at: number, budget: number): number | null {
		const { bits, walk, depth, offset, limit } = page;
		const skip = offset - start.passed;
		if (depth === this.depths - 1) return this.walkLast(page, start, at, budget);
		const spans = findGroups(bits, walk, start, skip, limit, budget);
		if (spans === null) return null;
		let taken = at;
		for (const span of spans) taken = this.fillSpan(page, span, taken);
		return taken;
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
	private countGroups(page: GroupPage, at: number, budget: number): number | null {
		const { bits, walk, depth } = page;
		const end = at + page.limit;
		let skip = page.offset;
		let taken = at;
		let cost = 0;
		for (const stretch of walk.stretches()) {
			let group = walk.firstGroup(stretch);
			for (; group !== null && taken < end; group = walk.nextGroup(group, stretch)) {
				const size = group.to - group.from;
				const isWhole = bits.count === walk.to - walk.from;
				const counted = isWhole ? { matches: size, cost: 0 } : this.groups.count(bits, walk, group, depth);
				cost += counted.cost;
				if (cost > budget) return null;
				if (skip >= counted.matches) skip -= counted.matches;
				else {
					const wanted = Math.min(end - taken, counted.matches - skip);
					const part = { ...page, offset: skip, limit: wanted, matches: counted.matches };
					taken = this.fillGroup(part, group, taken);
					// What was counted is gone through again.
					cost += counted.cost;
					skip = 0;
				}
			}
		}
		return taken;
	}

	private select(bits: RowBits, depth: number, offset: number, limit: number, at: number): number {
		const { list, page, work, arena } = this.scratch;
		const words = bits.toWord - bits.fromWord;
		work.add(words);
		// Rows that lie apart are listed first: their codes come from memory, many at a time where no word waits for the one before.
		const isDense = bits.count >= WINDOW_ROWS_MIN && bits.count >= words;
		if (isDense && this.selector.keys.distinct(depth) >= WINDOW_DISTINCT_MIN) {
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
	private walkLast(page: GroupPage, start: WalkStart, at: number, budget: number): number | null {
		const { bits, walk, offset, limit } = page;
		const cursor = { skip: offset - start.passed, taken: at };
		let left = budget;
		for (const stretch of walk.stretches()) {
			const ahead = walk.ahead(stretch, start);
			const { from, to } = walk.begin(ahead, left);
			if (walk.rows === null) this.take(bits.words, from, to, at + limit, cursor);
			else {
				const step = this.descending ? walkDown : walkUp;
				step(walk.rows, bits.words, from, to, at + limit, cursor, this.scratch.page);
			}
			if (cursor.taken === at + limit) break;
			if (to - from < ahead.to - ahead.from) return null;
			left -= to - from;
		}
		return cursor.taken;
	}

	/** Orders the rows of a span of groups further. */
	private fillSpan(page: GroupPage, { first, last, skip, rows }: GroupSpan, at: number): number {
		const part = { ...page, offset: skip, limit: rows, matches: null };
		const whole = { from: Math.min(first.from, last.from), to: Math.max(first.to, last.to) };
		if (whole.to - whole.from <= GROUP_POSITIONS_MAX) return this.fillListed(part, whole, at);
		const end = at + rows;
		let taken = this.fillGroup(part, first, at);
		if (first.from === last.from) return taken;
		const rest = { ...part, offset: 0 };
		const middle = this.descending ? { from: last.to, to: first.from } : { from: first.to, to: last.from };
		taken = this.fillListed({ ...rest, limit: end - taken }, middle, taken);
		return this.fillGroup({ ...rest, limit: end - taken }, last, taken);
	}

	/** Whether all values lie behind a start. */
	private isAtNulls({ from, nullsFrom, descending }: Walk, { at }: WalkStart): boolean {
		return at === (descending ? from : nullsFrom);
	}

	/** Orders the rows without a value, which all values lie before. */
	private fillNulls(page: GroupPage, { passed }: WalkStart, at: number): number {
		const { bits, walk, offset } = page;
		const part = { ...page, offset: offset - passed, matches: bits.count - passed };
		return this.fillGroup(part, { from: walk.nullsFrom, to: walk.to }, at);
	}

	/** Orders one group: as a list, or where it has many matches as a bitmap of its own by the next column. */
	private fillGroup(page: GroupPage, group: Stretch, at: number): number {
		const { bits, walk, depth, offset, limit } = page;
		const size = group.to - group.from;
		if (size <= GROUP_POSITIONS_MAX) return this.fillListed(page, group, at);
		if (size > bits.toWord - bits.fromWord) {
			const narrowed = this.groups.narrow(bits, walk, group, depth, page.matches);
			return this.fill(narrowed, depth + 1, offset, limit, at);
		}
		const { list, work } = this.scratch;
		work.add(size);
		const count = listMatches(walk.rows, bits.words, group.from, group.to, list, 0);
		if (count > SPARSE_ROWS_MAX) {
			const narrowed = this.groups.ofRows(list, count, depth);
			return this.fill(narrowed, depth + 1, offset, limit, at);
		}
		const wanted = Math.min(limit, count - offset);
		return this.selector.select(list, count, depth + 1, offset, wanted, this.scratch.page, at);
	}

	/** Lists the matches of a stretch and selects of them. */
	private fillListed({ bits, walk, depth, offset, limit }: GroupPage, { from, to }: Stretch, at: number) {
		const { list, page, work } = this.scratch;
		work.add(to - from);
		const count = listMatches(walk.rows, bits.words, from, to, list, 0);
		return this.selector.select(list, count, depth, offset, Math.min(limit, count - offset), page, at);
	}
}
