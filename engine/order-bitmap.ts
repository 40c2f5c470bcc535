/**
 * One page of a bitmap of rows, in the order of any number of sort columns.
 *
 * For the column at hand, the order is walked from its beginning and each row tested in the bitmap,
 * where the page should be near. Where the column has few groups and the bitmap many rows, the groups
 * are counted one by one. Else, or where the page turns out far, a sample of the rows tells about where
 * it lies (page-forecast.ts), and by that the cheapest way is taken: walk there, jump along the order by
 * cumulative bitmaps and walk from there, or list the rows and select the page by key, which costs the
 * same wherever the page lies. A walk that a sample misled into is given up for another way.
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
import { countBudget, Groups, type RowBits } from "./groups.js";
import { type PageCursor, takeRowsDown, takeRowsUp } from "./kernels/bitmap.js";
import { listRows } from "./kernels/list-rows.js";
import { listMatches, walkDown, walkUp } from "./kernels/walk.js";
import { findKeyWindow } from "./key-window.js";
import { type Forecast, forecastPage } from "./page-forecast.js";
import { PageSelector } from "./page-select.js";
import type { Plan } from "./plan.js";
import type { Scratch } from "./scratch.js";
import { openWalk, type Stretch, type Walk, type WalkStart } from "./walk.js";

/** A group with more positions than this may be narrowed to a bitmap of its own. */
const GROUP_POSITIONS_MAX = 16_384;

/** So few matches of a group are selected from as a list. */
const SPARSE_ROWS_MAX = 4096;

/** Of so many rows on, a page is looked for in a window of keys. */
const WINDOW_ROWS_MIN = 16_384;

/** A column with fewer values has groups as large as a window would be. */
const WINDOW_DISTINCT_MIN = 1024;

/** Up to so many steps a page is walked to at once, since asking a sample costs as much. */
const NEAR_STEPS_MAX = 16_384;

/** Passes over all words that narrowing to a large group and listing that take. */
const GROUP_PASSES = 6;

/** So many times the steps to where a page would lie if rows lay even are walked before a sample is asked. */
const NEAR_BUDGET = 2;

/** So many times the steps or the counting that a sample says are done before another way is taken. */
const FAR_BUDGET = 2;

/** So many words that follow on one another are waited for as one that lies apart. */
const FOLLOWING_WORDS = 5;

/** A walk is given up when it comes to cost this share of the other way. */
const GIVEN_UP_SHARE = 0.75;

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
		const page: GroupPage = { bits, walk, depth, offset, limit: wanted, matches: null };
		// Few large groups that others follow are found by their counts alone.
		const isCoarse = this.groups.areCoarse(bits, depth);
		if (isCoarse && depth < this.depths - 1) return this.goByGroups(page, at);
		const positions = walk.to - walk.from;
		const steps = Math.min(positions, ((offset + wanted) * positions) / bits.count);
		// Where every row matches, and where the order is that of the rows, a page lies where it should.
		const isEven = isWhole(page) || walk.rows === null;
		if (isEven || steps <= NEAR_STEPS_MAX) {
			this.scratch.work.add(steps);
			const end = this.walk(page, walk.start, at, isEven ? positions : Math.ceil(steps * NEAR_BUDGET));
			if (end !== null) return end;
		}
		return (isCoarse ? this.countGroups(page, at) : null) ?? this.goByForecast(page, at);
	}

	/** Counts groups up to the page, unless a sample says that too many come before it. */
	private goByGroups(page: GroupPage, at: number): number {
		const { bits, walk, depth } = page;
		const budget = countBudget(bits);
		const everyBitmap =
			this.selector.keys.distinct(depth) * (bits.toWord - bits.fromWord) * COST_NS.countWord;
		if (isWhole(page) || everyBitmap <= budget)
			return this.countGroups(page, at) ?? this.goByForecast(page, at);
		const forecast = this.forecast(page);
		const counting = this.groups.costOfCounting(bits, walk, depth, forecast.groupsTo, budget);
		const counted = counting <= budget ? this.countGroups(page, at) : null;
		return counted ?? this.goByForecast(page, at, forecast);
	}

	private forecast({ bits, walk, depth, offset, limit }: GroupPage): Forecast {
		return forecastPage(bits, walk, this.selector.keys, depth, offset, limit);
	}

	/** Goes to the page by the way that a sample says is the cheapest. */
	private goByForecast(page: GroupPage, at: number, forecast = this.forecast(page)): number {
		const { bits, walk, depth, offset, limit } = page;
		const { walking, jumping, selecting } = this.costs(page, forecast);
		const other = Math.min(jumping, selecting);
		let end: number | null = null;
		if (walking <= other) {
			this.scratch.work.add(forecast.to);
			const steps = Math.max(forecast.to * FAR_BUDGET, (GIVEN_UP_SHARE * other) / COST_NS.walkStep);
			end = this.walk(page, walk.start, at, Math.ceil(steps));
		}
		if (end === null && jumping < selecting) {
			end = this.jump(page, at, forecast);
			// A page that is not where the sample puts it may span much of the order.
			const spanning = ((walk.to - walk.from) * COST_NS.walkStep) / 2;
			if (end === null && spanning < selecting) end = this.jump(page, at, null);
		}
		return end ?? this.select(bits, depth, offset, limit, at);
	}

	/** What the ways to a page cost, in nanoseconds. */
	private costs({ bits, walk, depth }: GroupPage, forecast: Forecast) {
		const { to, groupsFrom, groupsTo, occupied } = forecast;
		const words = bits.toWord - bits.fromWord;
		// Where further columns follow, the page's groups are gone through again: row by row, or word by word where they are large.
		const byRow = (groupsTo - groupsFrom) * COST_NS.listStep;
		const again = depth === this.depths - 1 ? 0 : Math.min(byRow, words * GROUP_PASSES * COST_NS.andWord);
		const jumps = this.cumulativeBitmaps(walk, depth) !== null;
		// The codes of rows that lie apart are waited for, less where most words have some: those come one after the other.
		const waits = occupied * (1 - occupied / words) + occupied / FOLLOWING_WORDS;
		const waiting = this.selector.keys.isCached(depth) ? 0 : waits * COST_NS.selectWord;
		return {
			walking: to * COST_NS.walkStep + again,
			jumping: jumps ? jumpCost(bits, walk, forecast) + again : Number.POSITIVE_INFINITY,
			selecting: bits.count * COST_NS.selectRow + words * COST_NS.listWord + waiting,
		};
	}

	/** The bitmaps by which the whole order of a column is jumped along; null where there are none. */
	private cumulativeBitmaps({ rows }: Walk, depth: number): CumulativeBitmaps | null {
		if (rows === null || this.plan.state !== null) return null;
		return this.columns.cumulativeBitmaps.get(columnNamed(this.plan.order.columns[depth]));
	}

	/** Walks to the page from near where a sample puts it; null where that was not near, which a jump without a forecast makes sure of. */
	private jump(page: GroupPage, at: number, forecast: Forecast | null): number | null {
		const { bits, walk, depth, offset } = page;
		const cumulative = this.cumulativeBitmaps(walk, depth);
		invariant(cumulative !== null, "there are bitmaps to jump by");
		const start = jumpToBucket(bits, walk, cumulative, offset, forecast === null, this.scratch.work);
		if (this.isAtNulls(walk, start)) return this.fillNulls(page, start, at);
		const budget =
			forecast === null ? walk.to - walk.from : Math.ceil(FAR_BUDGET * stepsFromJump(walk, forecast));
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

	/**
	 * Counts group by group to those that the page lies in, and orders these further. Null where the
	 * counting comes to cost far more than its budget: what has been counted is lost then.
	 */
	private countGroups(page: GroupPage, at: number): number | null {
		const { bits, walk, depth } = page;
		const budget = countBudget(bits) * FAR_BUDGET;
		const end = at + page.limit;
		const whole = isWhole(page);
		let skip = page.offset;
		let taken = at;
		let cost = 0;
		for (const stretch of walk.stretches()) {
			let group = walk.firstGroup(stretch);
			for (; group !== null && taken < end; group = walk.nextGroup(group, stretch)) {
				const size = group.to - group.from;
				const counted = whole ? { matches: size, cost: 0 } : this.groups.count(bits, walk, group, depth);
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

/** Whether a bitmap has every row of the walk. */
function isWhole({ bits, walk }: GroupPage): boolean {
	return bits.count === walk.to - walk.from;
}
