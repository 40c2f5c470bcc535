/**
 * The offices of each state in the orders that pages list them in, so that a page of the offices of whole states costs
 * neither by how many they are nor by its position: taking the 300,000 offices of 2.5 million rows one by one held a thread
 * for 3 ms, and the page at the 7,000th for 9.
 *
 * Invariant: offices are ranked here only when those of all states are. Memory: 2 bytes for each office of a state, beside
 * the counted groups, which are shared.
 */

import { columnNamed, type Range } from "../../formats/index.js";
import type { Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import type { GroupsOfState, StateGroups } from "./state-groups.js";
import { byRows, byValue, type CountedGroup, type GroupOrder } from "./top-groups.js";

/** Offices that are sorted at a step, in a fraction of a millisecond; at most 65,536. */
const PIECE_OFFICES = 1 << 12;
/** No office has more rows. */
const ROWS_MAX = 0xffffffff;
/** Below this fraction of a piece's offices, sorting them again is cheaper than filtering the ranks of all: one in 32. */
const FEW_SHARE = 32;
const NO_PLACES = new Uint16Array(0);

/** Which of the offices in an order are on a page. */
export interface RankedRequest {
	/** By descending rows, then by office and state; or by office and state. */
	readonly isByRows: boolean;
	/** How many come before the page, of those after `after`. */
	readonly offset: number;
	readonly limit: number;
	readonly after?: CountedGroup;
	/** Offices with codes in one of these ascending, disjoint ranges; absent: any. */
	readonly codes?: readonly Range[];
}

export interface RankedPage {
	readonly page: readonly CountedGroup[];
	readonly hasMore: boolean;
	/** Number of all offices, and of their rows. */
	readonly total: number;
	readonly rows: number;
}

export class RankedOffices {
	/** By code of the state; null: not ranked. */
	private ranked: ReadonlyMap<number, readonly OfficePiece[]> | null = null;

	constructor(
		private readonly stateGroups: StateGroups,
		private readonly columns: SnapshotColumns,
	) {}

	/** Ranks the offices of all states, if their groups are counted, {@link PIECE_OFFICES} at each step. Cost O(offices). */
	*prepare(): Generator<void, void> {
		const runs = [{ from: 0, to: this.columns.rows }];
		const states = this.stateGroups.ofStates("office_name", runs);
		if (this.ranked !== null || states === null) return;
		const nameless = this.columns.dictionary.get(columnNamed("office_name")).distinct;
		const ranked = new Map<number, readonly OfficePiece[]>();
		for (const [state, groups] of states) {
			const named = withoutLast(groups, nameless);
			const pieces: OfficePiece[] = [];
			for (let from = 0; from < named.groups.length; from += PIECE_OFFICES) {
				const to = Math.min(from + PIECE_OFFICES, named.groups.length);
				pieces.push(new OfficePiece(state, named.groups.subarray(from, to), named.rows.subarray(from, to)));
				yield;
			}
			ranked.set(state, pieces);
		}
		this.ranked = ranked;
	}

	/**
	 * A page of the offices of the rows of `runs`; null where they are not ranked, or a run divides a state. Cost, for s the
	 * number of states: O(s² × log offset + s × limit), and of {@link OfficePiece.within} for each piece.
	 */
	page(request: RankedRequest, runs: readonly Run[]): RankedPage | null {
		const { ranked } = this;
		const states = ranked === null ? null : this.stateGroups.ofStates("office_name", runs);
		if (ranked === null || states === null) return null;
		const whole = Array.from(states.keys(), (state) => ranked.get(state) as readonly OfficePiece[]).flat();
		const { codes, isByRows } = request;
		const pieces =
			codes === undefined ? whole : whole.flatMap((piece) => piece.within(codes, isByRows) ?? []);
		const merge = new Merge(pieces, isByRows);
		if (request.after !== undefined) merge.goAfter(request.after);
		merge.skip(request.offset);
		return {
			page: merge.take(request.limit),
			hasMore: merge.hasMore,
			total: pieces.reduce((sum, { size }) => sum + size, 0),
			rows: pieces.reduce((sum, { sumOfRows }) => sum + sumOfRows, 0),
		};
	}
}

/** Groups without the group `last`, which is the last if it has rows. */
function withoutLast({ groups, rows }: GroupsOfState, last: number): GroupsOfState {
	const { length } = groups;
	const size = length > 0 && groups[length - 1] === last ? length - 1 : length;
	return { groups: groups.subarray(0, size), rows: rows.subarray(0, size) };
}

/** At most {@link PIECE_OFFICES} offices of one state, ascending, with the rows of each. */
class OfficePiece {
	/** Rows of all its offices. */
	readonly sumOfRows: number;

	/** `byRows`: places of the offices by descending rows, then ascending. */
	constructor(
		private readonly state: number,
		private readonly offices: Uint32Array,
		private readonly rows: Uint32Array,
		private readonly byRows = rankByRows(rows),
	) {
		let sum = 0;
		for (const count of rows) sum += count;
		this.sumOfRows = sum;
	}

	/**
	 * The offices with codes within ascending, disjoint ranges, ranked only where they are asked for by rows; null: none. One
	 * piece for all ranges, since merging costs by the number of pieces. Cost, for r ranges and n offices of the piece:
	 * O(r × log n + n).
	 */
	within(codes: readonly Range[], isByRows: boolean): OfficePiece | null {
		const places = this.placesWithin(codes);
		if (places.length === 0) return null;
		if (places.length === this.size) return this;
		const offices = valuesAt(places, this.offices);
		const rows = valuesAt(places, this.rows);
		return new OfficePiece(this.state, offices, rows, isByRows ? this.ranksOf(places, rows) : NO_PLACES);
	}

	private placesWithin(codes: readonly Range[]): Uint16Array {
		const { offices } = this;
		const places = new Uint16Array(offices.length);
		let count = 0;
		for (const { from, to } of codes) {
			let place = firstIndexAtLeast(offices, 0, offices.length, from);
			while (place < offices.length && offices[place] < to) places[count++] = place++;
		}
		return places.subarray(0, count);
	}

	/** The ranks by rows of the offices at `places`, which have `rows`. */
	private ranksOf(places: Uint16Array, rows: Uint32Array): Uint16Array {
		const { byRows } = this;
		if (places.length < byRows.length / FEW_SHARE) return rankByRows(rows);
		const newPlaces = new Int16Array(byRows.length).fill(-1);
		for (let i = 0; i < places.length; i++) newPlaces[places[i]] = i;
		const ranked = new Uint16Array(places.length);
		let count = 0;
		for (let position = 0; position < byRows.length; position++) {
			const place = newPlaces[byRows[position]];
			if (place >= 0) ranked[count++] = place;
		}
		return ranked;
	}

	get size(): number {
		return this.offices.length;
	}

	/** The office at a position below {@link size}. */
	at(position: number, isByRows: boolean): CountedGroup {
		const place = this.placeAt(position, isByRows);
		return { first: this.offices[place], second: this.state, rows: this.rows[place] };
	}

	/** Whether the office at a position comes before that of another piece; allocates nothing. */
	precedes(position: number, other: OfficePiece, otherPosition: number, isByRows: boolean): boolean {
		const place = this.placeAt(position, isByRows);
		const otherPlace = other.placeAt(otherPosition, isByRows);
		if (isByRows && this.rows[place] !== other.rows[otherPlace])
			return this.rows[place] > other.rows[otherPlace];
		const difference = this.offices[place] - other.offices[otherPlace];
		return difference === 0 ? this.state < other.state : difference < 0;
	}

	private placeAt(position: number, isByRows: boolean): number {
		return isByRows ? this.byRows[position] : position;
	}
}

function valuesAt(places: Uint16Array, values: Uint32Array): Uint32Array {
	// A loop takes a tenth of the time of Uint32Array.from.
	const taken = new Uint32Array(places.length);
	for (let i = 0; i < places.length; i++) taken[i] = values[places[i]];
	return taken;
}

/** The places of numbers of rows by descending number, then ascending. Cost O(n × log n). */
function rankByRows(rows: Uint32Array): Uint16Array {
	// Both numbers in one, which a double holds exactly: such keys are sorted without calling a comparison.
	const keys = new Float64Array(rows.length);
	for (let place = 0; place < rows.length; place++)
		keys[place] = (ROWS_MAX - rows[place]) * PIECE_OFFICES + place;
	keys.sort();
	const ranked = new Uint16Array(rows.length);
	for (let position = 0; position < rows.length; position++)
		ranked[position] = keys[position] % PIECE_OFFICES;
	return ranked;
}

/** A piece with the number of its offices that have been passed. */
interface OpenPiece {
	readonly piece: OfficePiece;
	passed: number;
}

/** The offices of several pieces, merged in one order. */
class Merge {
	/** Those with offices left. */
	private open: OpenPiece[];
	private readonly order: GroupOrder;

	constructor(
		pieces: readonly OfficePiece[],
		private readonly isByRows: boolean,
	) {
		this.open = pieces.filter(({ size }) => size > 0).map((piece) => ({ piece, passed: 0 }));
		this.order = isByRows ? byRows : byValue;
	}

	get hasMore(): boolean {
		return this.open.length > 0;
	}

	/** Passes the first `count` of the offices left, or all. Cost O(pieces² × log count). */
	skip(count: number): void {
		for (let left = count; left > 0 && this.hasMore; ) {
			const share = Math.max(1, Math.floor(left / this.open.length));
			const first = this.firstOf(share);
			// Fewer than a share of each other piece precede the last of these: all of them are among the first.
			const passed = Math.min(share, sizeLeft(first));
			this.pass(first, passed);
			left -= passed;
		}
	}

	/** Passes all offices up to `last`. */
	goAfter(last: CountedGroup): void {
		for (const one of this.open) {
			let low = 0;
			let high = one.piece.size;
			while (low < high) {
				const middle = (low + high) >>> 1;
				if (this.order(one.piece.at(middle, this.isByRows), last) <= 0) low = middle + 1;
				else high = middle;
			}
			one.passed = low;
		}
		this.open = this.open.filter((one) => sizeLeft(one) > 0);
	}

	/** Takes the first `count` of the offices left, or all, in order. Cost O(pieces × count). */
	take(count: number): CountedGroup[] {
		const taken: CountedGroup[] = [];
		while (taken.length < count && this.hasMore) {
			const first = this.firstOf(1);
			taken.push(first.piece.at(first.passed, this.isByRows));
			this.pass(first, 1);
		}
		return taken;
	}

	/**
	 * The piece whose last of its next `most` offices, or of as many as it has left, precedes those of the others. Cost
	 * O(pieces).
	 */
	private firstOf(most: number): OpenPiece {
		const { open, isByRows } = this;
		let first = open[0];
		let firstLast = first.passed + Math.min(most, sizeLeft(first)) - 1;
		for (let i = 1; i < open.length; i++) {
			const one = open[i];
			const last = one.passed + Math.min(most, sizeLeft(one)) - 1;
			if (!one.piece.precedes(last, first.piece, firstLast, isByRows)) continue;
			first = one;
			firstLast = last;
		}
		return first;
	}

	private pass(one: OpenPiece, count: number): void {
		one.passed += count;
		if (sizeLeft(one) === 0) this.open = this.open.filter((other) => other !== one);
	}
}

function sizeLeft({ piece, passed }: OpenPiece): number {
	return piece.size - passed;
}
