/**
 * The codes of a column, and the words of its values, that occur in each state's rows. A grant's values are searched
 * for in its states' sets (set-search.ts) before these are united (grant-index.ts).
 *
 * What the month stores by state is read: statistics, and the values of the columns that are suggested. Other sets
 * are made in one pass over a state's rows when they are first asked for and serve every grant with that state, so
 * that each row of a month is passed over once per column, however many grants ask.
 *
 * Memory: sparse bitmaps, eight bytes for each nonzero word; a thread keeps at most {@link KEPT_BYTES_MAX} and evicts
 * the oldest first.
 */

import type {
	Codes,
	Column,
	ColumnName,
	Dictionary,
	NameIndex,
	Permutation,
	Postings,
	Range,
	SnapshotStats,
	StateRun,
	StateValues,
	TextColumn,
} from "../../formats/index.js";
import { countWords, setRows } from "../kernels/bitmap.js";
import { type PackedBits, packed, packedCodesOfRows } from "../kernels/code-sets.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import { listRows } from "../kernels/list-rows.js";
import { finishWork, SLICE_SIZES, type SlicedWork } from "../sliced-work.js";
import { SetCache } from "./set-cache.js";
import type { StateTable } from "./state-table.js";

/** Bytes of states' sets that a thread keeps: those of all columns of a month of 2.5 million rows. */
const KEPT_BYTES_MAX = 16 << 20;

const kept = new SetCache(KEPT_BYTES_MAX);

/** The columns whose values are counted by state when a month is built. */
const COUNTED: Partial<Record<ColumnName, "license_status" | "member_type">> = {
	member_license_status: "license_status",
	member_type: "member_type",
};

/** Columns of a handful of values. */
const IS_GROUP: ReadonlySet<ColumnName> = new Set(["license_status_group", "member_type_group"] as const);

/** The sections that contain the values of rows. */
export interface ValueSections {
	readonly rows: number;
	readonly codes: { get(column: Column): Codes };
	readonly dictionary: { get(column: Column): Dictionary };
	readonly text: { get(column: Column): TextColumn };
	readonly permutation: { get(column: Column): Permutation };
	readonly postings: { get(column: Column): Postings };
	readonly nameIndex: { get(column: Column): NameIndex | null };
	readonly stateValues: { get(column: Column): StateValues | null };
	readonly stats: SnapshotStats;
}

/** Whether rows of a state have a value of a column, and whether rows have none. */
export interface Presence {
	readonly hasValue: boolean;
	readonly hasNull: boolean;
}

/** The sets of a column by the number of a state. */
interface ColumnSets {
	readonly codes: (SparseBits | undefined)[];
	readonly words: (SparseBits | undefined)[];
	readonly presence: Presence[];
	/** States with rows, none of which has a value; null before they are asked for. */
	valueless: readonly StateRun[] | null;
}

export class StateSets {
	/** By column's code. */
	private readonly sets: ColumnSets[] = [];

	constructor(
		private readonly states: StateTable,
		private readonly columns: ValueSections,
	) {}

	/**
	 * Sets the bits of the codes that a state's rows have, null's code among them. Cost O(values of the state) where
	 * these are stored, else O(rows of the state + distinct / 32) once and O(values of the state) after that.
	 */
	addCodes(bits: Uint32Array, column: Column, number: number): void {
		if (!this.addStoredCodes(bits, column, number)) addAll(bits, this.codesOf(column, number));
	}

	/**
	 * Elements of a state's set that {@link firstCode} searches; 0 if it is too small to be worth a search. Cost as
	 * {@link firstCode}.
	 */
	size(column: Column, number: number): number {
		if (COUNTED[column.name] !== undefined) return 0;
		const values = this.columns.stateValues.get(column);
		if (values === null) return this.codesOf(column, number).places.length;
		return values.offsets[number + 1] - values.offsets[number];
	}

	/** Whether {@link firstCode} needs no pass over the state's rows. Cost O(1). */
	isMade(column: Column, number: number): boolean {
		return this.setsOf(column).codes[number] !== undefined || this.columns.stateValues.get(column) !== null;
	}

	/**
	 * The first code from `from` on that a state's rows have, null's among them, of a column whose sets have a size;
	 * Infinity if there is none. Cost O(log values), and O(rows of the state + distinct / 32) once unless the month
	 * stores the state's values.
	 */
	firstCode(column: Column, number: number, from: number): number {
		const values = this.columns.stateValues.get(column);
		if (values === null) return firstBit(this.codesOf(column, number), from);
		const { offsets, codes } = values;
		const end = Math.min(offsets[number + 1], codes.length);
		const at = firstIndexAtLeast(codes, Math.min(offsets[number], end), end, from);
		if (at < end) return codes[at];
		const { distinct } = this.columns.dictionary.get(column);
		return from <= distinct && this.presence(column, number).hasNull ? distinct : Number.POSITIVE_INFINITY;
	}

	/**
	 * Sets the bits of the words in the values that a state's rows have, of a column with an index of words. Cost
	 * O(rows of the state + distinct / 32) once and O(words of the state) after that.
	 */
	addWords(bits: Uint32Array, column: Column, index: NameIndex, number: number): void {
		const { words } = this.setsOf(column);
		const known = words[number];
		addAll(bits, known ?? keep(words, number, packed(this.wordsOf(column, index, number))));
	}

	/**
	 * Whether a state's rows have values, and none. Cost O(1) for a column that is sortable or counted, O(log rows) for a
	 * group, else O(rows of the state) once at most.
	 */
	presence(column: Column, number: number): Presence {
		const { presence } = this.setsOf(column);
		presence[number] ??= finishWork(this.findPresence(column, number));
		return presence[number];
	}

	/** Finds {@link presence} in slices. Changes no answer. */
	*preparePresence(column: Column, number: number): SlicedWork<void> {
		const { presence } = this.setsOf(column);
		presence[number] ??= yield* this.findPresence(column, number);
	}

	/** The states that have rows, none with a value. Cost O(1), and once that of {@link presence} for each state. */
	valueless(column: Column): readonly StateRun[] {
		if (column.kind === "id" || column.kind === "snapshot") return [];
		const sets = this.setsOf(column);
		sets.valueless ??= this.states.runs.filter(
			({ rows }, number) => rows > 0 && !this.presence(column, number).hasValue,
		);
		return sets.valueless;
	}

	private setsOf({ code }: Column): ColumnSets {
		this.sets[code] ??= { codes: [], words: [], presence: [], valueless: null };
		return this.sets[code];
	}

	/** As {@link addCodes}, from what the month stores by state; returns whether it stores that. */
	private addStoredCodes(bits: Uint32Array, column: Column, number: number): boolean {
		const counted = COUNTED[column.name];
		if (counted !== undefined) {
			for (const code of this.columns.stats.states[number][counted].codes) addBit(bits, code);
			this.addNull(bits, column, number);
			return true;
		}
		const values = this.columns.stateValues.get(column);
		if (values === null) return false;
		const { codes, offsets } = values;
		setRows(bits, codes, offsets[number], Math.min(offsets[number + 1], codes.length));
		this.addNull(bits, column, number);
		return true;
	}

	private addNull(bits: Uint32Array, column: Column, number: number): void {
		if (this.presence(column, number).hasNull) addBit(bits, this.columns.dictionary.get(column).distinct);
	}

	/** The codes of a state's rows. */
	private codesOf(column: Column, number: number): SparseBits {
		const { codes } = this.setsOf(column);
		const known = codes[number];
		if (known !== undefined) return known;
		const { distinct } = this.columns.dictionary.get(column);
		const length = (distinct >>> 5) + 1;
		const rows = rowsOf(this.states.runs[number]);
		if (!IS_GROUP.has(column.name))
			return keep(codes, number, packedCodesOfRows(length, this.columns.codes.get(column), rows));
		const set = new Uint32Array(length);
		addListedCodes(set, this.columns.postings.get(column), rows);
		return keep(codes, number, packed(set));
	}

	/** The words of the values of a state's rows. Cost O(rows of the state + distinct / 32 + words of its values). */
	private wordsOf(column: Column, index: NameIndex, number: number): Uint32Array {
		const { distinct } = this.columns.dictionary.get(column);
		const values = new Uint32Array((distinct >>> 5) + 1);
		this.addCodes(values, column, number);
		const set = new Uint32Array((index.count >>> 5) + 1);
		const { valueOffsets, valueWords } = index;
		// In ascending order every word of every value is read at most once, even where offsets are corrupt.
		let at = 0;
		for (const value of codesIn(values)) {
			if (value === distinct) break;
			const end = Math.min(valueOffsets[value + 1], valueWords.length);
			for (at = Math.max(at, valueOffsets[value]); at < end; at++) addBit(set, valueWords[at]);
		}
		return set;
	}

	private *findPresence(column: Column, number: number): SlicedWork<Presence> {
		const { first, rows } = this.states.runs[number];
		if (rows === 0) return { hasValue: false, hasNull: false };
		if (column.kind === "string") {
			const { offsets } = this.columns.text.get(column);
			return yield* presenceWithin(first, first + rows, (row) => offsets[row] === offsets[row + 1]);
		}
		const { distinct } = this.columns.dictionary.get(column);
		if (IS_GROUP.has(column.name)) {
			const set = this.codesOf(column, number);
			return { hasValue: firstBit(set, 0) < distinct, hasNull: firstBit(set, distinct) === distinct };
		}
		const codes = this.columns.codes.get(column);
		if (column.sortable) {
			// In order, the rows without a value are last.
			const { byState } = this.columns.permutation.get(column);
			const codeAt = (position: number) => codes[byState === null ? position : byState[position]];
			return { hasValue: codeAt(first) !== distinct, hasNull: codeAt(first + rows - 1) === distinct };
		}
		const counted = COUNTED[column.name];
		if (counted === undefined)
			return yield* presenceWithin(first, first + rows, (row) => codes[row] === distinct);
		const valued = this.columns.stats.states[number][counted].rows.reduce((sum, each) => sum + each, 0);
		return { hasValue: valued > 0, hasNull: valued < rows };
	}
}

/** Tests rows [from, to) until one has a value and one has none. */
function* presenceWithin(from: number, to: number, isNull: (row: number) => boolean): SlicedWork<Presence> {
	let hasValue = false;
	let hasNull = false;
	for (let at = from; at < to && !(hasValue && hasNull); at += SLICE_SIZES.rows) {
		if (at > from) yield;
		const end = Math.min(to, at + SLICE_SIZES.rows);
		for (let row = at; row < end && !(hasValue && hasNull); row++) {
			if (isNull(row)) hasNull = true;
			else hasValue = true;
		}
	}
	return { hasValue, hasNull };
}

function rowsOf({ first, rows }: StateRun): Range {
	return { from: first, to: first + rows };
}

/** The codes of some rows, of a column of few values: each is looked for in its postings. Cost O(distinct × log rows). */
function addListedCodes(bits: Uint32Array, { offsets, rows }: Postings, { from, to }: Range): void {
	const distinct = offsets.length - 1;
	let valued = 0;
	for (let code = 0; code < distinct; code++) {
		// Corrupt offsets are cut: a binary search between larger ones may not end.
		const end = Math.min(offsets[code + 1], rows.length);
		const first = firstIndexAtLeast(rows, Math.min(offsets[code], end), end, from);
		const after = firstIndexAtLeast(rows, first, end, to);
		if (after > first) addBit(bits, code);
		valued += after - first;
	}
	if (valued < to - from) addBit(bits, distinct);
}

function addBit(bits: Uint32Array, at: number): void {
	bits[at >>> 5] |= 1 << (at & 31);
}

/** The codes of a set of bits, ascending. */
function codesIn(bits: Uint32Array): Uint32Array {
	const count = countWords(bits, 0, bits.length);
	// A listing may write one more.
	const codes = new Uint32Array(count + 1);
	return codes.subarray(0, listRows(bits, 0, bits.length, count, codes, 0));
}

/** Log2 of the words that a place in `starts` stands for. */
const BLOCK_SHIFT = 6;

/** A sparse bitmap: its nonzero words. A state has few of the values of a large column, and many of these are adjacent. */
interface SparseBits extends PackedBits {
	/** By 2 ** BLOCK_SHIFT indexes, the first of the places from there on, then all: a search begins among few. */
	readonly starts: Uint32Array;
}

function sparse({ places, words }: PackedBits): SparseBits {
	const last = places.length === 0 ? 0 : places[places.length - 1];
	const starts = new Uint32Array((last >>> BLOCK_SHIFT) + 2);
	for (let at = 0; at < places.length; at++) starts[(places[at] >>> BLOCK_SHIFT) + 1]++;
	for (let block = 1; block < starts.length; block++) starts[block] += starts[block - 1];
	return { places, words, starts };
}

function addAll(bits: Uint32Array, { places, words }: SparseBits): void {
	for (let i = 0; i < places.length; i++) bits[places[i]] |= words[i];
}

/** The first bit from `from` on; Infinity if none is set. Cost O(1). */
function firstBit({ places, words, starts }: SparseBits, from: number): number {
	const place = from >>> 5;
	const block = Math.min(place >>> BLOCK_SHIFT, starts.length - 2);
	let at = firstIndexAtLeast(places, starts[block], starts[block + 1], place);
	if (at < places.length && places[at] === place) {
		const bits = words[at] & (-1 << (from & 31));
		if (bits !== 0) return (place << 5) + lowestBit(bits);
		at++;
	}
	return at < places.length ? (places[at] << 5) + lowestBit(words[at]) : Number.POSITIVE_INFINITY;
}

function lowestBit(bits: number): number {
	return 31 - Math.clz32(bits & -bits);
}

function keep(holder: (SparseBits | undefined)[], place: number, bits: PackedBits): SparseBits {
	const made = sparse(bits);
	const { places, words, starts } = made;
	return kept.keep(holder, place, made, places.byteLength + words.byteLength + starts.byteLength);
}
