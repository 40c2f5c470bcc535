/**
 * The counts of a vocabulary as JSON without objects in between: the text of each count by state is written once a
 * snapshot, and an answer copies those of the states that a geography covers. The same bytes as JSON.stringify of the
 * entries (../aggregate/stats.ts).
 *
 * Memory: the text of the whole answer, some 10 KB, and ten bytes for each count in it. Cost of an answer: O(counts),
 * as memory is copied; of the first one, that of writing all of them.
 */

import { type CodeCounts, type Dictionary, invariant, type StateRun } from "../../formats/index.js";
import { writeNumber } from "./digits.js";
import type { ByteSink } from "./sink.js";

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;
const WORD_BYTES = 4;
const STATES = ',"states":{';
/** Bytes of an entry besides its value and counts by state, and those that a copy of words writes past its end. */
const ENTRY_BYTES_MAX = 48;

/** The counts of one vocabulary, by value and then by state. */
export class VocabularyText {
	private readonly values: number;
	/** By value, its first count; one more at the end. */
	private readonly first: Uint32Array;
	/** Of each count: its state's index, and rows. */
	private readonly stateOf: Uint16Array;
	private readonly rowsOf: Uint32Array;
	/** `{"value":…,"rows":` of each value, then {@link STATES}; and `"CA":123,` of each count. */
	private readonly heads: Texts;
	private readonly counts: Texts;
	/** Rows of all values, no fewer than any value has. */
	private readonly rows: number;
	private readonly keys: Float64Array;

	/** `counts`: by state, in the order of `states`. */
	constructor(counts: readonly CodeCounts[], states: readonly StateRun[], dictionary: Dictionary) {
		const byCode = new Map<number, { state: number; rows: number }[]>();
		counts.forEach(({ codes, rows }, state) => {
			codes.forEach((code, i) => {
				const of = byCode.get(code) ?? [];
				of.push({ state, rows: rows[i] });
				byCode.set(code, of);
			});
		});
		const codes = [...byCode.keys()].sort((a, b) => a - b);
		const all = codes.map((code) => byCode.get(code) ?? []);
		const flat = all.flat();
		this.values = codes.length;
		this.first = startsOf(all.map((of) => of.length));
		this.stateOf = Uint16Array.from(flat, ({ state }) => state);
		this.rowsOf = Uint32Array.from(flat, ({ rows }) => rows);
		const heads = codes.map((code) => `{"value":${JSON.stringify(dictionary.value(code))},"rows":`);
		this.heads = new Texts([...heads, STATES]);
		this.counts = new Texts(flat.map(({ state, rows }) => `${JSON.stringify(states[state].state)}:${rows},`));
		this.rows = flat.reduce((sum, { rows }) => sum + rows, 0);
		this.keys = new Float64Array(codes.length);
		invariant(this.rows * Math.max(1, codes.length) < Number.MAX_SAFE_INTEGER, "keys of values are exact");
	}

	/** Appends the entries of the values that covered states have, most rows first, then by value. */
	write(covered: Uint8Array, sink: ByteSink): void {
		const { keys, heads, counts, rows, values } = this;
		const found = this.rankValues(covered);
		sink.reserve(heads.bytes + counts.bytes + values * ENTRY_BYTES_MAX + ENTRY_BYTES_MAX);
		const { bytes } = sink;
		bytes[sink.length++] = OPEN_ARRAY;
		for (let i = 0; i < found; i++) {
			const key = keys[i];
			const lack = Math.floor(key / values);
			const value = key - lack * values;
			heads.copy(value, value + 1, sink);
			sink.length = writeNumber(rows - lack, bytes, sink.length);
			heads.copy(values, values + 1, sink);
			this.writeCounts(value, covered, sink);
			bytes[sink.length++] = CLOSE_OBJECT;
			bytes[sink.length++] = COMMA;
		}
		if (found > 0) sink.length--;
		bytes[sink.length++] = CLOSE_ARRAY;
	}

	/** Fills `keys` with those of the values that covered states have, in order; returns how many they are. */
	private rankValues(covered: Uint8Array): number {
		const { first, stateOf, rowsOf, keys, rows, values } = this;
		let found = 0;
		for (let value = 0; value < values; value++) {
			let sum = 0;
			let has = 0;
			for (let at = first[value]; at < first[value + 1]; at++) {
				const is = covered[stateOf[at]];
				has |= is;
				sum += is * rowsOf[at];
			}
			// One number for both terms of the order, since numbers are sorted without calls.
			if (has !== 0) keys[found++] = (rows - sum) * values + value;
		}
		keys.subarray(0, found).sort();
		return found;
	}

	/** Appends the counts of a value by covered state, and closes them. Those of adjacent states are copied together. */
	private writeCounts(value: number, covered: Uint8Array, sink: ByteSink): void {
		const { first, stateOf, counts } = this;
		const end = first[value + 1];
		for (let at = first[value]; at < end; at++) {
			if (covered[stateOf[at]] === 0) continue;
			const from = at;
			while (at < end && covered[stateOf[at]] !== 0) at++;
			counts.copy(from, at, sink);
		}
		sink.bytes[sink.length - 1] = CLOSE_OBJECT;
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

/** Where each of consecutive ranges begins, and the last one ends. */
function startsOf(lengths: readonly number[]): Uint32Array {
	const starts = new Uint32Array(lengths.length + 1);
	lengths.forEach((length, i) => {
		starts[i + 1] = starts[i] + length;
	});
	return starts;
}
