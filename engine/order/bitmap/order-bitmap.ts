/**
 * Top-N over a bitmap: one page of its rows in the order of any number of sort columns.
 *
 * For each column there are five access paths, all with the same result:
 *
 * - index scan: scan the column's order from its beginning and test each row in the bitmap. Cheapest for
 *   pages near the beginning.
 * - seek cuts: take out the rows between the two stored cuts of the order that enclose the page
 *   (cut-search.ts). Cost independent of the page's position.
 * - top-N: list all rows and select the page by sort key (top-n.ts). Cost proportional to the rows.
 * - count peers: in a column of few values, count the rows of one value after the other.
 * - seek states: where the rows belong to a few states, find the page in these states' own orders
 *   (state-search.ts). Cost proportional to the states' rows up to the page.
 *
 * A page estimated near is scanned to at once, and few rows are selected from; otherwise a sample of the rows estimates the
 * page's position (estimate-position.ts) and a cost model picks the path (path-costs.ts). A scan or count that goes
 * far past its estimate is given up for another path.
 *
 * With further sort columns, the page's peers (rows whose values of the column fold alike) are found first
 * (peer-search.ts) and ordered by the next column: as a list, or as a bitmap of their own if many.
 */

import { invariant, type Range } from "../../../formats/index.js";
import type { OrderCuts } from "../../columns/order-cuts.js";
import type { SnapshotColumns } from "../../columns/snapshot-columns.js";
import { type PageFill, takeRowsDown, takeRowsUp } from "../../kernels/bitmap.js";
import { takeMatches } from "../../kernels/bitmap-probe.js";
import { listRows } from "../../kernels/list-rows.js";
import type { Plan } from "../../plan/plan.js";
import type { Scratch } from "../../scratch.js";
import { type RowBitmap, wordsOf } from "../../select/selection.js";
import type { AccessPath, OpenStep } from "../../trace.js";
import {
	CLEAR_SHARE,
	COST_NS,
	FAR_BUDGET,
	GIVEN_UP_SHARE,
	NEAR_BUDGET,
	NEAR_SCAN_MIN,
	NEAR_STEPS_MAX,
	PEER_POSITIONS_MAX,
} from "../../tuning.js";
import { openIndexScan } from "../index-scan.js";
import type { PageWindow } from "../page-window.js";
import { TopN } from "../top-n.js";
import { type BitmapPage, isWhole } from "./bitmap-page.js";
import { CutSearch, type CutSlice } from "./cut-search.js";
import { estimatePosition } from "./estimate-position.js";
import { type Choice, estimatesOf, leastPathCost, pathCosts, sliceCosts } from "./path-costs.js";
import { clipToWords, PeerGroups } from "./peer-groups.js";
import { findPeers, type PeerSpan } from "./peer-search.js";
import { stagedBitmap } from "./staged-bitmap.js";
import { seekStates } from "./state-search.js";

export class BitmapOrder {
	private readonly topN: TopN;
	private readonly peers: PeerGroups;
	private readonly descending: boolean;
	private readonly depths: number;

	constructor(
		private readonly plan: Plan,
		private readonly columns: SnapshotColumns,
		private readonly scratch: Scratch,
	) {
		const { order } = plan;
		this.topN = new TopN(order.columns, order.order, columns, scratch.arena, scratch.work);
		this.peers = new PeerGroups(order, plan.state, columns, scratch);
		this.descending = order.order === "desc";
		this.depths = order.columns.length;
	}

	/** Writes the window's rows to `scratch.page`; returns how many. */
	page(bits: RowBitmap, window: PageWindow): number {
		return this.fill(bits, 0, window, 0);
	}

	/** Writes the window's rows of `bits`, ordered from column `depth` on, at `at`; returns the end. */
	private fill(bits: RowBitmap, depth: number, { offset, limit }: PageWindow, at: number): number {
		const wanted = Math.min(limit, bits.count - offset);
		if (wanted <= 0) return at;
		if (depth === this.depths) return this.takeById(bits, offset, wanted, at);
		const scan = openIndexScan(this.plan.order, depth, this.plan.state, this.columns);
		const page: BitmapPage = { bits, scan, depth, offset, limit: wanted, matches: null };
		// With further columns, a few large peer groups without cuts between them are found by counting alone.
		const isCoarse = this.peers.areCoarse(bits, depth) && (isWhole(page) || this.peers.cuts(depth) === null);
		if (isCoarse && depth < this.depths - 1) return this.takeByCounting(page, at);
		const positions = scan.to - scan.from;
		const steps = Math.min(positions, ((offset + wanted) * positions) / bits.count);
		// Where every row matches, and in the order of the rows themselves, the uniform estimate is exact enough.
		const isUniform = isWhole(page) || scan.rows === null;
		const isNear = steps <= NEAR_STEPS_MAX;
		if (!isUniform && !isCoarse) {
			const near = isNear ? steps * NEAR_BUDGET * COST_NS.scanStep : Number.POSITIVE_INFINITY;
			const found = this.takeInStatesOrAll(page, at, near);
			if (found !== null) return found;
		}
		if (isUniform || isNear) {
			this.scratch.work.add(steps);
			const budget = Math.max(NEAR_SCAN_MIN, Math.ceil(steps * NEAR_BUDGET));
			const end = this.scan(page, at, isUniform ? positions : budget, null);
			if (end !== null) return end;
		}
		return isCoarse ? this.takeByCounting(page, at) : this.takeCheapest(page, at, this.choose(page));
	}

	/**
	 * Finds the page in the orders of a few states, or selects it from few rows, where that takes less than a scan to it, of
	 * `near` nanoseconds, or a sample; else null.
	 */
	private takeInStatesOrAll(page: BitmapPage, at: number, near: number): number | null {
		const { bits, depth, offset, limit } = page;
		if (depth === 0) {
			const { plan, columns, topN, scratch } = this;
			const least = Math.min(near, leastPathCost(bits, this.peers.cuts(depth)));
			const found = seekStates({ plan, offset, limit, columns, scratch }, bits, least, topN);
			if (found !== null) return found;
		}
		const isFew = leastPathCost(bits, null) < Math.min(near, COST_NS.sample);
		return isFew ? this.select(page, at, null) : null;
	}

	/** Counts peers up to the page, unless a sample says that another path is cheaper. */
	private takeByCounting(page: BitmapPage, at: number): number {
		const { bits, scan, depth } = page;
		// No sample where counting costs next to nothing: every position matches, or peers are runs of rows.
		if (isWhole(page) || this.peers.areRuns(depth))
			return this.countPeers(page, at, Number.POSITIVE_INFINITY, null) as number;
		const choice = this.choose(page);
		const { seekCuts, topN, onward } = choice.costs;
		// The index scan is not an alternative: counting already scans the peers that are cheaper to scan.
		const other = Math.min(seekCuts, topN);
		const most = (other - onward) * CLEAR_SHARE;
		const counting = this.peers.costOfCounting(bits, scan, depth, choice.position.peersTo, most);
		const budget = Math.max(counting * FAR_BUDGET, other * GIVEN_UP_SHARE);
		const counted = counting <= most ? this.countPeers(page, at, budget, choice) : null;
		return counted ?? this.takeCheapest(page, at, choice);
	}

	private choose(page: BitmapPage): Choice {
		const { bits, depth } = page;
		const position = estimatePosition(page, this.topN.keys);
		const isLast = depth === this.depths - 1;
		const own = this.peers.cuts(depth);
		const next = isLast ? null : this.peers.cuts(depth + 1);
		return { position, costs: pathCosts(bits, position, { own, next, isLast }) };
	}

	/** Takes the page by the path with the lowest estimated cost. */
	private takeCheapest(page: BitmapPage, at: number, choice: Choice): number {
		const { position, costs } = choice;
		const { indexScan, seekCuts, topN } = costs;
		// A scan may be longer than estimated; the cost of a seek does not depend on the sample.
		if (indexScan <= Math.min(CLEAR_SHARE * seekCuts, topN)) {
			this.scratch.work.add(position.to);
			const other = Math.min(seekCuts, topN);
			const steps = Math.max(position.to * FAR_BUDGET, (GIVEN_UP_SHARE * other) / COST_NS.scanStep);
			const isCopied = position.to > wordsOf(page.bits);
			const end = this.scan(isCopied ? this.staged(page) : page, at, Math.ceil(steps), choice);
			if (end !== null) return end;
		}
		if (seekCuts < topN) return this.seek(page, at, choice);
		return this.select(page, at, choice);
	}

	/** Orders the rows between the cuts that enclose the page. */
	private seek(page: BitmapPage, at: number, choice: Choice): number {
		const { bits, scan, depth, offset, limit } = this.staged(page);
		const step = this.begin("seek cuts", depth, bits.count, choice);
		const cuts = this.peers.cuts(depth);
		invariant(cuts !== null, "there are cuts to seek to");
		const search = new CutSearch(bits, scan, cuts, this.scratch.work);
		const end = at + limit;
		let taken = at;
		for (const slice of search.slicesOf(offset, limit, choice.position.to)) {
			const skip = Math.max(0, offset - slice.before);
			const wanted = Math.min(slice.rows - skip, end - taken);
			if (wanted > 0)
				taken = this.fillCutSlice({ ...page, bits, offset: skip, limit: wanted }, cuts, slice, taken);
		}
		this.end(step);
		return taken;
	}

	/** The page in memory that WebAssembly can read; bitmaps of peers are in it. */
	private staged(page: BitmapPage): BitmapPage {
		return page.depth === 0 ? { ...page, bits: stagedBitmap(page.bits, this.scratch.predicate) } : page;
	}

	/** Orders the rows between two cuts: by an index scan of few positions, else taken out as a bitmap. */
	private fillCutSlice(page: BitmapPage, cuts: OrderCuts, slice: CutSlice, at: number): number {
		const { bits, scan, depth } = page;
		const { scanning, taking } = sliceCosts(bits, slice);
		if (!slice.isOneFold && scanning < taking) {
			this.scratch.work.add(slice.to - slice.from);
			const end = this.scan({ ...page, scan: scan.within(slice) }, at, slice.to - slice.from, null);
			invariant(end !== null, "a page lies between its cuts");
			return end;
		}
		const part = this.peers.between(bits, cuts, slice, depth);
		if (slice.isOneFold) return this.fill(part, depth + 1, page, at);
		return this.select({ ...page, bits: part }, at, null);
	}

	/** Scans to the page; null where it is farther than `budget` positions. */
	private scan(page: BitmapPage, at: number, budget: number, choice: Choice | null): number | null {
		const { bits, depth } = page;
		const step = this.begin("index scan", depth, bits.count, choice);
		let taken: number | null = at;
		if (depth === this.depths - 1) taken = this.scanLast(page, at, budget);
		else {
			const spans = findPeers(page, budget);
			if (spans === null) taken = null;
			else for (const span of spans) taken = this.fillSpan(page, span, taken);
		}
		this.end(step, taken !== null);
		return taken;
	}

	/**
	 * Counts the rows of one peer group after the other up to the page, and orders those that it overlaps. Null
	 * if counting costs more than `budget`, in nanoseconds; the counts are then discarded.
	 */
	private countPeers(page: BitmapPage, at: number, budget: number, choice: Choice | null): number | null {
		const { bits, scan, depth, limit } = page;
		const step = this.begin("count peers", depth, bits.count, choice);
		const [end, whole] = [at + limit, isWhole(page)];
		let skip = page.offset;
		let taken = at;
		let cost = 0;
		for (const slice of scan.slices()) {
			let peers = scan.firstPeers(slice);
			for (; peers !== null && taken < end; peers = scan.nextPeers(peers, slice)) {
				const size = peers.to - peers.from;
				const counted = whole ? { matches: size, cost: 0 } : this.peers.count(bits, scan, peers, depth);
				cost += counted.cost;
				if (cost > budget) {
					this.end(step, false);
					return null;
				}
				if (skip >= counted.matches) skip -= counted.matches;
				else {
					const wanted = Math.min(end - taken, counted.matches - skip);
					const part = { ...page, offset: skip, limit: wanted, matches: counted.matches };
					taken = this.fillPeers(part, peers, taken);
					// These peers are read a second time.
					cost += counted.cost;
					skip = 0;
				}
			}
		}
		this.end(step);
		return taken;
	}

	/** Lists all rows of the bitmap and selects the page from them. */
	private select(page: BitmapPage, at: number, choice: Choice | null): number {
		const { bits, depth } = page;
		const { list, work } = this.scratch;
		const step = this.begin("top-N", depth, bits.count, choice);
		work.add(wordsOf(bits));
		const count = listRows(bits.words, bits.from, bits.to, bits.count, list, 0);
		const end = this.topN.select(list.subarray(0, count), depth, page, this.scratch.page, at);
		this.end(step);
		return end;
	}

	private takeById(bits: RowBitmap, offset: number, limit: number, at: number): number {
		const step = this.begin("take in order", this.depths, bits.count, null);
		const page = { skip: offset, taken: at, end: at + limit, out: this.scratch.page };
		this.take(bits.words, bits.from << 5, bits.to << 5, page);
		this.scratch.work.add(wordsOf(bits));
		this.end(step);
		return page.taken;
	}

	private take(words: Uint32Array, from: number, to: number, page: PageFill): void {
		(this.descending ? takeRowsDown : takeRowsUp)(words, from, to, page);
	}

	/** Scans the index of the last column; null where the page is farther than `budget` positions. */
	private scanLast(page: BitmapPage, at: number, budget: number): number | null {
		const { bits, scan, offset, limit } = page;
		const filled = { skip: offset, taken: at, end: at + limit, out: this.scratch.page };
		let left = budget;
		for (const slice of scan.slices()) {
			const head = scan.head(slice, left);
			const { from, to } = head;
			if (scan.rows === null) this.take(bits.words, from, to, filled);
			else takeMatches(scan.rows, bits.words, head, this.descending, filled);
			if (filled.taken === filled.end) break;
			if (to - from < slice.to - slice.from) return null;
			left -= to - from;
		}
		return filled.taken;
	}

	/** Orders the rows of consecutive peer groups by the further columns. */
	private fillSpan(page: BitmapPage, { first, last, skip, rows }: PeerSpan, at: number): number {
		const part = { ...page, offset: skip, limit: rows, matches: null };
		const listSpan = (span: Range) => this.peers.listSpan(page.bits, page.scan, span, this.scratch.list);
		const whole = { from: Math.min(first.from, last.from), to: Math.max(first.to, last.to) };
		if (whole.to - whole.from <= PEER_POSITIONS_MAX) return this.fillListed(part, listSpan(whole), at);
		const end = at + rows;
		let taken = this.fillPeers(part, first, at);
		if (first.from === last.from) return taken;
		const rest = { ...part, offset: 0 };
		const middle = this.descending ? { from: last.to, to: first.from } : { from: first.to, to: last.from };
		taken = this.fillListed({ ...rest, limit: end - taken }, listSpan(middle), taken);
		return this.fillPeers({ ...rest, limit: end - taken }, last, taken);
	}

	/** Orders one peer group by the further columns: as a list, or as a bitmap of its own if it is large. */
	private fillPeers(page: BitmapPage, peers: Range, at: number): number {
		const { bits, scan, depth } = page;
		const size = peers.to - peers.from;
		const list = (part: Range) => this.peers.list(bits, scan, part, this.scratch.list);
		if (size <= PEER_POSITIONS_MAX) return this.fillListed(page, list(peers), at);
		if (size > wordsOf(bits)) {
			const narrowed = this.peers.narrow(bits, scan, peers, depth, page.matches);
			return this.fill(narrowed, depth + 1, page, at);
		}
		return this.fillListed({ ...page, depth: depth + 1 }, list(clipToWords(bits, scan, peers)), at);
	}

	/** Selects from the first `count` rows of the scratch list. */
	private fillListed(window: BitmapPage, count: number, at: number): number {
		const { list, page } = this.scratch;
		return this.topN.select(list.subarray(0, count), window.depth, window, page, at);
	}

	private begin(path: AccessPath, depth: number, rows: number, choice: Choice | null): OpenStep {
		const { trace, work } = this.scratch;
		const column = depth === this.depths ? "id" : this.plan.order.columns[depth];
		return trace.begin(path, column, rows, work.elements, choice === null ? null : estimatesOf(choice));
	}

	private end(step: OpenStep, isDone = true): void {
		this.scratch.trace.end(step, this.scratch.work.elements, isDone ? "done" : "given up");
	}
}
