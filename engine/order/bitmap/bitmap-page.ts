/**
 * One page of a bitmap of rows, in the order of any number of sort columns.
 *
 * For the column at hand, the order is walked from its beginning and each row tested in the bitmap,
 * where the page should be near. Else, or where the page turns out far, a sample of the rows tells about
 * where it lies (page-forecast.ts), and by that the cheapest way is taken: walk there, take out the rows
 * between the stored cuts of the order that the page lies between (cut-search.ts), or list all rows and
 * select the page by key, which costs the same wherever the page lies. A walk that a sample misled into is
 * given up for another way. The groups of a column of few values that has no cuts are counted one by one.
 *
 * Where further columns follow, the walk finds the groups of equal value that the page begins and ends
 * in (group-walk.ts), and what lies between them is listed and ordered further. A group that is too
 * large to list is narrowed to a bitmap of its own and ordered by the next column.
 */

import { invariant } from "../../../formats/index.js";
import type { OrderCuts } from "../../columns/order-cuts.js";
import type { SnapshotColumns } from "../../columns/snapshot-columns.js";
import { copyWords, type PageCursor, takeRowsDown, takeRowsUp } from "../../kernels/bitmap.js";
import { listRows } from "../../kernels/list-rows.js";
import { listMatches, walkDown, walkUp } from "../../kernels/match-rows.js";
import { memoryOf } from "../../kernels/simd.js";
import { COST_NS } from "../../plan/costs.js";
import type { Plan } from "../../plan/plan.js";
import type { Scratch } from "../../scratch.js";
import { PageSelector } from "../top-rows.js";
import { openWalk, type Stretch, type Walk } from "../walk.js";
import { CutSearch, type Piece } from "./cut-search.js";
import { findGroups, type GroupSpan } from "./group-walk.js";
import { Groups, type RowBits, within } from "./groups.js";
import { type PageCosts, pageCosts, pieceCosts } from "./page-costs.js";
import { type Forecast, forecastPage } from "./page-estimate.js";

/** A group with more positions than this may be narrowed to a bitmap of its own. */
const GROUP_POSITIONS_MAX = 16_384;

/** Up to so many steps a page is walked to at once, since asking a sample costs as much. */
const NEAR_STEPS_MAX = 16_384;

/** So many times the steps to where a page would lie if rows lay even are walked before a sample is asked. */
const NEAR_BUDGET = 2;

/** So many times the steps or the counting that a sample says are done before another way is taken. */
const FAR_BUDGET = 2;

/**
 * Groups are counted or walked through where that should cost no more than this share of another way: a sample
 * may put the page too near.
 */
const CLEAR_SHARE = 0.7;

/** A walk or a counting is given up when it comes to cost this share of the other way. */
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
		this.groups = new Groups(order, plan.state, columns, scratch);
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
		// Few large groups that others follow are found by their counts alone, where no cuts are stored between them.
		const isCoarse =
			this.groups.areCoarse(bits, depth) && (isWhole(page) || this.groups.cuts(depth) === null);
		if (isCoarse && depth < this.depths - 1) return this.goByGroups(page, at);
		const positions = walk.to - walk.from;
		const steps = Math.min(positions, ((offset + wanted) * positions) / bits.count);
		// Where every row matches, and where the order is that of the rows, a page lies where it should.
		const isEven = isWhole(page) || walk.rows === null;
		if (isEven || steps <= NEAR_STEPS_MAX) {
			this.scratch.work.add(steps);
			const end = this.walk(page, at, isEven ? positions : Math.ceil(steps * NEAR_BUDGET));
			if (end !== null) return end;
		}
		return isCoarse ? this.goByGroups(page, at) : this.goByForecast(page, at, this.forecast(page));
	}

	/** Counts groups up to the page, unless a sample says that another way is cheaper. */
	private goByGroups(page: GroupPage, at: number): number {
		const { bits, walk, depth } = page;
		// Where every row matches, a group has as many as it is large; and runs are counted sooner than a sample is asked.
		if (isWhole(page) || this.groups.areRuns(depth))
			return this.countGroups(page, at, Number.POSITIVE_INFINITY) as number;
		const forecast = this.forecast(page);
		const { jumping, selecting, onward } = this.costs(page, forecast);
		// Walking is no other way: a group that is walked through sooner than its bitmaps are, is.
		const other = Math.min(jumping, selecting);
		const most = (other - onward) * CLEAR_SHARE;
		const counting = this.groups.costOfCounting(bits, walk, depth, forecast.groupsTo, most);
		const budget = Math.max(counting * FAR_BUDGET, other * GIVEN_UP_SHARE);
		const counted = counting <= most ? this.countGroups(page, at, budget) : null;
		return counted ?? this.goByForecast(page, at, forecast);
	}

	private forecast({ bits, walk, depth, offset, limit }: GroupPage): Forecast {
		return forecastPage(bits, walk, this.selector.keys, depth, offset, limit);
	}

	/** Goes to the page by the way that a sample says is the cheapest. */
	private goByForecast(page: GroupPage, at: number, forecast: Forecast): number {
		const { bits, depth, offset, limit } = page;
		const { walking, jumping, selecting } = this.costs(page, forecast);
		// A walk may turn out longer, where a jump comes near whatever the sample says.
		if (walking <= Math.min(CLEAR_SHARE * jumping, selecting)) {
			this.scratch.work.add(forecast.to);
			const other = Math.min(jumping, selecting);
			const steps = Math.max(forecast.to * FAR_BUDGET, (GIVEN_UP_SHARE * other) / COST_NS.walkStep);
			const end = this.walk(page, at, Math.ceil(steps));
			if (end !== null) return end;
		}
		return jumping < selecting ? this.jump(page, at, forecast) : this.select(bits, depth, offset, limit, at);
	}

	private costs({ bits, depth }: GroupPage, forecast: Forecast): PageCosts {
		const isLast = depth === this.depths - 1;
		const own = this.groups.cuts(depth);
		const next = isLast ? null : this.groups.cuts(depth + 1);
		return pageCosts(bits, forecast, { own, next, isLast });
	}

	/** Orders what lies between the cuts that the page lies between. */
	private jump(page: GroupPage, at: number, forecast: Forecast): number {
		const { walk, depth, offset, limit } = page;
		const bits = depth === 0 ? this.countable(page.bits) : page.bits;
		const cuts = this.groups.cuts(depth);
		invariant(cuts !== null, "there are cuts to jump to");
		const search = new CutSearch(bits, walk, cuts, this.scratch.work);
		const end = at + limit;
		let taken = at;
		for (const piece of search.piecesOf(offset, limit, forecast.to)) {
			const skip = Math.max(0, offset - piece.before);
			const wanted = Math.min(piece.rows - skip, end - taken);
			if (wanted > 0)
				taken = this.fillPiece({ ...page, bits, offset: skip, limit: wanted }, cuts, piece, taken);
		}
		return taken;
	}

	/** The selection where it is counted fast: a stored bitmap is copied there, over what was made of predicates. */
	private countable(bits: RowBits): RowBits {
		const { predicate } = this.scratch;
		if (memoryOf(bits.words) !== undefined || memoryOf(predicate) === undefined) return bits;
		predicate.fill(0);
		copyWords(predicate, bits.words, bits.fromWord, bits.toWord);
		return { ...bits, words: predicate };
	}

	/** Orders the rows of a piece: walked through where they lie close, else taken out whole. */
	private fillPiece(page: GroupPage, cuts: OrderCuts, piece: Piece, at: number): number {
		const { bits, walk, depth, offset, limit } = page;
		const { walking, taking } = pieceCosts(bits, piece);
		if (!piece.isOneFold && walking < taking) {
			const end = this.walk({ ...page, walk: walk.part(piece) }, at, piece.to - piece.from);
			invariant(end !== null, "a page lies in its piece");
			return end;
		}
		const part = this.groups.between(bits, cuts, piece, depth);
		if (piece.isOneFold) return this.fill(part, depth + 1, offset, limit, at);
		return this.select(part, depth, offset, limit, at);
	}

	/** Walks to the page; null where it lies further than `budget` steps. */
	private walk(page: GroupPage, at: number, budget: number): number | null {
		const { bits, walk, depth, offset, limit } = page;
		if (depth === this.depths - 1) return this.walkLast(page, at, budget);
		const spans = findGroups(bits, walk, offset, limit, budget);
		if (spans === null) return null;
		let taken = at;
		for (const span of spans) taken = this.fillSpan(page, span, taken);
		return taken;
	}

	/**
	 * Counts group by group to those that the page lies in, and orders these further. Null where the counting comes to
	 * cost more than `budget`, in nanoseconds: what has been counted is lost then.
	 */
	private countGroups(page: GroupPage, at: number, budget: number): number | null {
		const { bits, walk, depth } = page;
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
		const { list, page, work } = this.scratch;
		work.add(bits.toWord - bits.fromWord);
		const count = listRows(bits.words, bits.fromWord, bits.toWord, bits.count, list, 0);
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
	private walkLast(page: GroupPage, at: number, budget: number): number | null {
		const { bits, walk, offset, limit } = page;
		const cursor = { skip: offset, taken: at };
		let left = budget;
		for (const stretch of walk.stretches()) {
			const { from, to } = walk.begin(stretch, left);
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

	/** Orders one group: as a list, or where it is large as a bitmap of its own by the next column. */
	private fillGroup(page: GroupPage, group: Stretch, at: number): number {
		const { bits, walk, depth, offset, limit } = page;
		const size = group.to - group.from;
		if (size <= GROUP_POSITIONS_MAX) return this.fillListed(page, group, at);
		if (size > bits.toWord - bits.fromWord) {
			const narrowed = this.groups.narrow(bits, walk, group, depth, page.matches);
			return this.fill(narrowed, depth + 1, offset, limit, at);
		}
		return this.fillListed({ ...page, depth: depth + 1 }, within(bits, walk, group), at);
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
