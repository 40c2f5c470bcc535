/**
 * A page of many groups in some order, at any position: all groups are taken, and those of the page are found by the most
 * significant digits first, as by a radix sort that divides only the buckets at the page's ends. A heap of the groups up
 * to the page's end costs more the further the page is, and quickselect took 30 ms for 309,000 groups.
 *
 * Invariant: groups differ in their first or their second index, so that no two are equal in order.
 */

import type { CountedGroup } from "./top-groups.js";

/** Groups that are sorted rather than divided further. */
const SORTED_MAX = 64;
/** Bits of a digit, whose values a histogram counts. */
const DIGIT_BITS = 12;
const DIGIT_MAX = (1 << DIGIT_BITS) - 1;
/** Where the digits of a number of 32 bits begin, the highest first. */
const SHIFTS = [2 * DIGIT_BITS, DIGIT_BITS, 0];

/** A digit of one of the numbers that groups are ordered by. */
interface Digit {
	/** By group. */
	readonly values: Uint32Array;
	readonly shift: number;
	/** XORed with the digit: {@link DIGIT_MAX} where the order is descending. */
	readonly flip: number;
}

export interface PageOrder {
	/** By code of the first dimension, what comes first, ascending; null: nothing. */
	readonly costs: Uint16Array | null;
	/** Whether descending rows come before the value. */
	readonly isByRows: boolean;
}

export class GroupPage {
	private firsts = new Uint32Array(1024);
	private seconds = new Uint32Array(1024);
	private rows = new Uint32Array(1024);
	/** Groups taken so far. */
	count = 0;

	constructor(private readonly order: PageOrder) {}

	take(first: number, second: number, rows: number): void {
		const { count } = this;
		if (count === this.rows.length) this.grow();
		this.firsts[count] = first;
		this.seconds[count] = second;
		this.rows[count] = rows;
		this.count++;
	}

	/** Groups [from, to) in order, fewer where there are not as many. Cost O(groups + page × log page). */
	inOrder(from: number, to: number): CountedGroup[] {
		const { count, firsts, seconds, rows } = this;
		const all = new Uint32Array(count);
		for (let i = 0; i < count; i++) all[i] = i;
		const page: number[] = [];
		this.collect(all, from, Math.min(to, count), this.digits(), page);
		page.sort((a, b) => this.compare(a, b));
		return page.map((i) => ({ first: firsts[i], second: seconds[i], rows: rows[i] }));
	}

	/** Adds to `page`, in any order, the groups [from, to) in the order of `among`, which are equal in all digits before `digits`. */
	private collect(
		among: Uint32Array,
		from: number,
		to: number,
		[digit, ...digits]: readonly Digit[],
		page: number[],
	): void {
		if (from >= to) return;
		if (digit === undefined || among.length <= SORTED_MAX) {
			page.push(...among.sort((a, b) => this.compare(a, b)).subarray(from, to));
			return;
		}
		const sizes = countDigits(among, digit);
		const low = bucketAt(sizes, from);
		const high = bucketAt(sizes, to - 1);
		const ofLow = new Uint32Array(sizes[low.bucket]);
		const ofHigh = new Uint32Array(sizes[high.bucket]);
		const { values, shift, flip } = digit;
		let lowSize = 0;
		let highSize = 0;
		for (let i = 0; i < among.length; i++) {
			const bucket = ((values[among[i]] >>> shift) & DIGIT_MAX) ^ flip;
			if (bucket === low.bucket) ofLow[lowSize++] = among[i];
			else if (bucket === high.bucket) ofHigh[highSize++] = among[i];
			else if (bucket > low.bucket && bucket < high.bucket) page.push(among[i]);
		}
		if (low.bucket === high.bucket) {
			this.collect(ofLow, from - low.start, to - low.start, digits, page);
			return;
		}
		this.collect(ofLow, from - low.start, lowSize, digits, page);
		this.collect(ofHigh, 0, to - high.start, digits, page);
	}

	/** The digits of what groups are ordered by, the most significant first. */
	private digits(): Digit[] {
		const { costs, isByRows } = this.order;
		const { count } = this;
		const firsts = this.firsts.subarray(0, count);
		const digits: Digit[] = [];
		if (costs !== null)
			digits.push(
				...digitsOf(
					firsts.map((first) => costs[first]),
					0,
				),
			);
		if (isByRows) digits.push(...digitsOf(this.rows.subarray(0, count), DIGIT_MAX));
		return [...digits, ...digitsOf(firsts, 0), ...digitsOf(this.seconds.subarray(0, count), 0)];
	}

	/** Negative if group `a` precedes group `b`. */
	private compare(a: number, b: number): number {
		const { firsts, seconds, rows } = this;
		const { costs, isByRows } = this.order;
		const byCost = costs === null ? 0 : costs[firsts[a]] - costs[firsts[b]];
		if (byCost !== 0) return byCost;
		if (isByRows && rows[a] !== rows[b]) return rows[b] - rows[a];
		return firsts[a] - firsts[b] || seconds[a] - seconds[b];
	}

	private grow(): void {
		this.firsts = doubled(this.firsts);
		this.seconds = doubled(this.seconds);
		this.rows = doubled(this.rows);
	}
}

/** The digits of some numbers, but those that are zero in all of them. */
function digitsOf(values: Uint32Array, flip: number): Digit[] {
	let bits = 0;
	for (let i = 0; i < values.length; i++) bits |= values[i];
	return SHIFTS.filter((shift) => bits >>> shift !== 0).map((shift) => ({ values, shift, flip }));
}

/** How many of the groups have each value of a digit. */
function countDigits(among: Uint32Array, { values, shift, flip }: Digit): Uint32Array {
	const sizes = new Uint32Array(DIGIT_MAX + 1);
	for (let i = 0; i < among.length; i++) sizes[((values[among[i]] >>> shift) & DIGIT_MAX) ^ flip]++;
	return sizes;
}

/** The bucket that has a position, and the position of its first group. */
function bucketAt(sizes: Uint32Array, position: number): { bucket: number; start: number } {
	let bucket = 0;
	let start = 0;
	while (start + sizes[bucket] <= position) start += sizes[bucket++];
	return { bucket, start };
}

function doubled(words: Uint32Array): Uint32Array<ArrayBuffer> {
	const larger = new Uint32Array(2 * words.length);
	larger.set(words);
	return larger;
}
