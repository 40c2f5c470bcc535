/**
 * The counts of a vocabulary as JSON without objects in between: the text of each count by state is written once a
 * snapshot, and an answer copies those of the states that a geography covers. The same bytes as JSON.stringify of the
 * entries (../aggregate/stats.ts).
 *
 * Memory: twice the text of the whole answer, some 10 KB, and ten bytes for each count in it. Cost of an answer: that of
 * copying it, and O(counts) of the values that covered states and others have; of the first one, that of writing all
 * counts.
 */

import { type CodeCounts, type Dictionary, invariant, type StateRun } from "../../formats/index.js";
import { writeNumber } from "./digits.js";
import type { ByteSink } from "./sink.js";

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;
const WORD_BYTES = 4;
const WORD_BITS = 32;
const STATES = ',"states":{';
/** Bytes of an entry besides its value and counts by state, and those that a copy of words writes past its end. */
const ENTRY_BYTES_MAX = 48;

/** Rows of a value in the state of an index. */
interface Count {
	readonly state: number;
	readonly rows: number;
}

/** A value, with its rows in all states. */
interface Value {
	readonly code: number;
	readonly rows: number;
	readonly counts: readonly Count[];
}

/** The values that states have, most rows first, then by code. */
function valuesOf(counts: readonly CodeCounts[]): Value[] {
	const byCode = new Map<number, Count[]>();
	counts.forEach(({ codes, rows }, state) => {
		codes.forEach((code, i) => {
			const of = byCode.get(code) ?? [];
			of.push({ state, rows: rows[i] });
			byCode.set(code, of);
		});
	});
	return Array.from(byCode, ([code, of]) => ({
		code,
		rows: of.reduce((sum, { rows }) => sum + rows, 0),
		counts: of,
	})).sort((a, b) => b.rows - a.rows || a.code - b.code);
}

/** The counts of one vocabulary, by value, most rows first, and then by state. */
export class VocabularyText {
	private readonly values: number;
	/** By value, its first count; one more at the end. */
	private readonly first: Uint32Array;
	/** By value: the states that have it, as a bitmap of {@link words} words; and one of covered states. */
	private readonly having: Int32Array;
	private readonly covered: Int32Array;
	private readonly words: number;
	/** Of each count: its state's index, and rows. */
	private readonly stateOf: Uint16Array;
	private readonly rowsOf: Uint32Array;
	/** The entry of each value with all of its counts, and a comma. */
	private readonly entries: Texts;
	/** `{"value":…,"rows":` of each value, then {@link STATES}; and `"CA":123,` of each count. */
	private readonly heads: Texts;
	private readonly counts: Texts;
	/** Rows of all values, no fewer than any value has. */
	private readonly rows: number;
	/** By value: its number in the order of codes, and by that number the value. */
	private readonly numberOf: Uint32Array;
	private readonly valueOf: Uint32Array;
	/** By value: its key where all of its states are covered. */
	private readonly wholeKeys: Float64Array;
	/** Of an answer. By value: 1 if covered states alone have it; and the keys of those that others have too, ascending. */
	private readonly isWhole: Uint8Array;
	private readonly keys: Float64Array;

	/** `counts`: by state, in the order of `states`. */
	constructor(counts: readonly CodeCounts[], states: readonly StateRun[], dictionary: Dictionary) {
		const values = valuesOf(counts);
		const flat = values.flatMap((value) => value.counts);
		this.values = values.length;
		this.first = startsOf(values.map((value) => value.counts.length));
		this.words = Math.ceil(states.length / WORD_BITS);
		this.covered = new Int32Array(this.words);
		this.having = new Int32Array(values.length * this.words);
		for (const [i, value] of values.entries())
			for (const { state } of value.counts) setBit(this.having, i * this.words, state);
		this.stateOf = Uint16Array.from(flat, ({ state }) => state);
		this.rowsOf = Uint32Array.from(flat, ({ rows }) => rows);
		const heads = values.map(({ code }) => `{"value":${JSON.stringify(dictionary.value(code))},"rows":`);
		const text = ({ state, rows }: Count) => `${JSON.stringify(states[state].state)}:${rows}`;
		this.entries = new Texts(
			values.map((value, i) => `${heads[i]}${value.rows}${STATES}${value.counts.map(text).join(",")}}},`),
		);
		this.heads = new Texts([...heads, STATES]);
		this.counts = new Texts(flat.map((count) => `${text(count)},`));
		this.rows = flat.reduce((sum, { rows }) => sum + rows, 0);
		this.valueOf = Uint32Array.from(values.keys()).sort((a, b) => values[a].code - values[b].code);
		this.numberOf = new Uint32Array(values.length);
		for (const [number, value] of this.valueOf.entries()) this.numberOf[value] = number;
		this.wholeKeys = Float64Array.from(values, ({ rows }, value) => this.keyOf(value, rows));
		this.isWhole = new Uint8Array(values.length);
		this.keys = new Float64Array(values.length);
		invariant(this.rows * Math.max(1, values.length) < Number.MAX_SAFE_INTEGER, "keys of values are exact");
	}

	/** Appends the entries of the values that covered states, those with a 1, have: most rows first, then by value. */
	write(covered: Uint8Array, sink: ByteSink): void {
		const { values, keys, wholeKeys, isWhole, entries, heads, counts } = this;
		const found = this.find(covered);
		sink.reserve(heads.bytes + counts.bytes + values * ENTRY_BYTES_MAX + ENTRY_BYTES_MAX);
		sink.bytes[sink.length++] = OPEN_ARRAY;
		const begun = sink.length;
		let next = 0;
		for (let value = 0; value < values; value++) {
			if (isWhole[value] === 0) continue;
			while (next < found && keys[next] < wholeKeys[value]) this.writePart(keys[next++], covered, sink);
			entries.copy(value, value + 1, sink);
		}
		while (next < found) this.writePart(keys[next++], covered, sink);
		if (sink.length > begun) sink.length--;
		sink.bytes[sink.length++] = CLOSE_ARRAY;
	}

	/** Both terms of the order of a value with so many rows, as one number. */
	private keyOf(value: number, rows: number): number {
		return (this.rows - rows) * this.values + this.numberOf[value];
	}

	/** Fills `isWhole`, and `keys` with those of values that covered states and others have; returns how many they are. */
	private find(covered: Uint8Array): number {
		const { having, covered: bitmap, words, isWhole, keys, values } = this;
		bitmap.fill(0);
		for (let state = 0; state < covered.length; state++) if (covered[state] !== 0) setBit(bitmap, 0, state);
		let found = 0;
		for (let value = 0, at = 0; value < values; value++) {
			let isCovered = false;
			let hasOthers = false;
			for (let word = 0; word < words; word++, at++) {
				isCovered ||= (having[at] & bitmap[word]) !== 0;
				hasOthers ||= (having[at] & ~bitmap[word]) !== 0;
			}
			isWhole[value] = isCovered && !hasOthers ? 1 : 0;
			if (!isCovered || !hasOthers) continue;
			const key = this.keyOf(value, this.sumCounts(value, covered));
			// Values come by their rows in all states, so most have to move by few places.
			let place = found++;
			for (; place > 0 && keys[place - 1] > key; place--) keys[place] = keys[place - 1];
			keys[place] = key;
		}
		return found;
	}

	/** Rows of a value in covered states. */
	private sumCounts(value: number, covered: Uint8Array): number {
		const { first, stateOf, rowsOf } = this;
		let sum = 0;
		for (let at = first[value]; at < first[value + 1]; at++) sum += covered[stateOf[at]] * rowsOf[at];
		return sum;
	}

	/** Appends the entry of the value with this key, with the counts of covered states; of adjacent ones together. */
	private writePart(key: number, covered: Uint8Array, sink: ByteSink): void {
		const { first, stateOf, heads, counts, rows, values } = this;
		const lack = Math.floor(key / values);
		const value = this.valueOf[key - lack * values];
		heads.copy(value, value + 1, sink);
		sink.length = writeNumber(rows - lack, sink.bytes, sink.length);
		heads.copy(values, values + 1, sink);
		const end = first[value + 1];
		for (let at = first[value]; at < end; at++) {
			if (covered[stateOf[at]] === 0) continue;
			const from = at;
			while (at < end && covered[stateOf[at]] !== 0) at++;
			counts.copy(from, at, sink);
		}
		sink.bytes[sink.length - 1] = CLOSE_OBJECT;
		sink.bytes[sink.length++] = CLOSE_OBJECT;
		sink.bytes[sink.length++] = COMMA;
	}
}

/** Texts one after the other. */
class Texts {
	/** Bytes of all. */
	readonly bytes: number;
	private readonly words: DataView;
	/** Where each begins; one more at the end. */
	private readonly starts: Uint32Array;

	constructor(texts: readonly string[]) {
		this.starts = startsOf(texts.map((text) => Buffer.byteLength(text)));
		this.bytes = this.starts[texts.length];
		const bytes = new Uint8Array(this.bytes + WORD_BYTES);
		bytes.set(Buffer.from(texts.join("")));
		this.words = new DataView(bytes.buffer);
	}

	/** Appends texts [first, end). REQUIRES: room for three bytes more. */
	copy(first: number, end: number, sink: ByteSink): void {
		const { words, starts } = this;
		const target = sink.words;
		const to = starts[end];
		let { length } = sink;
		for (let at = starts[first]; at < to; at += WORD_BYTES, length += WORD_BYTES)
			target.setInt32(length, words.getInt32(at, true), true);
		sink.length += to - starts[first];
	}
}

/** Sets bit `number` of the bitmap at words[first…). */
function setBit(words: Int32Array, first: number, number: number): void {
	words[first + (number >>> 5)] |= 1 << (number & 31);
}

/** Where each of consecutive ranges begins, and the last one ends. */
function startsOf(lengths: readonly number[]): Uint32Array {
	const starts = new Uint32Array(lengths.length + 1);
	lengths.forEach((length, i) => {
		starts[i + 1] = starts[i] + length;
	});
	return starts;
}
