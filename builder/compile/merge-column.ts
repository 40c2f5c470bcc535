/**
 * Merges a dictionary column: combines the workers' unsorted dictionaries, which may contain unused values, into
 * one sorted dictionary and translates every row's code.
 *
 * The result depends only on the rows, not on their distribution over workers.
 */

import {
	type ColumnKind,
	type ColumnName,
	columnNamed,
	compareBytes,
	type EncodedDictionary,
	encodeDictionary,
	foldBytes,
	invariant,
	isAscii,
	lowerAsciiByte,
} from "../../formats/index.js";
import {
	BLOCK_BYTES_MAX,
	type ByteBlock,
	byteBlock,
	copyBytes,
	enlargedBytes,
	equalBytes,
	movedTo,
	requireBlockBytes,
	SLACK_BYTES,
	sharedWords,
} from "../csv/byte-block.js";
import { NULL_CODE, type WorkerDictionary } from "../csv/parsed-month.js";
import { type ByteStrings, sortStrings } from "./string-sort.js";

/** A column's codes in the parser's parts. */
export interface ColumnParts {
	readonly column: ColumnName;
	readonly rows: number;
	/** By worker; null for workers without values. */
	readonly dictionaries: readonly (WorkerDictionary | null)[];
	/** In row order; `codes` is null if the part's source lacks the column. */
	readonly parts: readonly {
		readonly worker: number;
		readonly rows: number;
		readonly codes: Uint32Array | null;
	}[];
}

export interface MergedColumn extends EncodedDictionary {
	readonly column: ColumnName;
	/** Code of each row in CSV order; `distinct` is null. */
	readonly codes: Uint32Array;
	/** Rows without a value. */
	readonly nulls: number;
}

/**
 * The used values of all workers: value i has code `codes[i]` in the dictionary of worker `workers[i]`. The heap ends
 * with {@link SLACK_BYTES} bytes.
 */
interface Gathered extends ByteStrings {
	readonly workers: Uint16Array;
	readonly codes: Uint32Array;
}

/** Maximum number of workers, whose numbers are stored in 16 bits. */
const WORKERS_MAX = 2 ** 16;

/** Values of a dictionary located at a time before they are copied: their cache lines fit the L2 cache. */
const READ_AHEAD_VALUES = 256;

/** Accumulates what {@link locate} read, so that the compiler does not remove the reads. */
const touched = { sum: 0 };

/**
 * Merges one column. Cost O(rows + bytes of distinct values × log). Throws `BuildError` `limit_exceeded` where the
 * workers' values, or their folds, take more than 4 GiB together.
 */
export function mergeColumn(input: ColumnParts): MergedColumn {
	const values = gatherUsed(input);
	const kind = columnNamed(input.column).kind;
	const order = sortValues(values, kind, input.column);
	const { dictionary, globalCodes } = buildDictionary(values, order, kind, input);
	const { codes, nulls } = recode(input, globalCodes, dictionary.distinct);
	return { ...dictionary, column: input.column, codes, nulls };
}

/** Copies the values that occur in rows, worker by worker. */
function gatherUsed(input: ColumnParts): Gathered {
	invariant(input.dictionaries.length <= WORKERS_MAX, "worker numbers fit in 16 bits");
	const used = input.dictionaries.map((dictionary) => new Uint8Array(dictionary?.count ?? 0));
	for (const { worker, codes } of input.parts) {
		if (codes === null) continue;
		const marks = used[worker];
		for (let i = 0; i < codes.length; i++) if (codes[i] !== NULL_CODE) marks[codes[i]] = 1;
	}
	let count = 0;
	let bytes = 0;
	input.dictionaries.forEach((dictionary, worker) => {
		if (dictionary === null) return;
		for (let code = 0; code < dictionary.count; code++) {
			if (used[worker][code] === 0) continue;
			count++;
			bytes += dictionary.offsets[code + 1] - dictionary.offsets[code];
		}
	});
	requireBlockBytes(bytes + SLACK_BYTES, input.column);
	const gathered = {
		offsets: new Uint32Array(count + 1),
		heap: new Uint8Array(bytes + SLACK_BYTES),
		workers: new Uint16Array(count),
		codes: new Uint32Array(count),
	};
	let at = 0;
	let end = 0;
	input.dictionaries.forEach((dictionary, worker) => {
		if (dictionary === null) return;
		const { offsets } = dictionary;
		for (let code = 0; code < dictionary.count; code++) {
			if (used[worker][code] === 0) continue;
			// Nearly all values are used, so few copies are needed.
			const first = code;
			const shift = end - offsets[first];
			for (; used[worker][code] === 1; code++) {
				gathered.workers[at] = worker;
				gathered.codes[at] = code;
				gathered.offsets[++at] = offsets[code + 1] + shift;
			}
			gathered.heap.set(dictionary.heap.subarray(offsets[first], offsets[code]), end);
			end = gathered.offsets[at];
		}
	});
	return gathered;
}

/** Indexes of the values in dictionary order: by fold, then by bytes; numbers by value. */
function sortValues(values: Gathered, kind: ColumnKind, column: ColumnName): Uint32Array {
	const byBytes = (a: number, b: number) => compareValues(values, a, b);
	if (kind === "int") {
		const length = (i: number) => values.offsets[i + 1] - values.offsets[i];
		const order = Array.from(values.codes.keys());
		return Uint32Array.from(order.sort((a, b) => length(a) - length(b) || byBytes(a, b)));
	}
	return sortStrings(kind === "date" ? values : foldValues(values, column), byBytes);
}

function compareValues(values: ByteStrings, a: number, b: number): number {
	const { heap, offsets } = values;
	return compareBytes(heap, offsets[a], offsets[a + 1], heap, offsets[b], offsets[b + 1]);
}

/** The folds of all values. A fold may be longer than its value. */
function foldValues(values: Gathered, column: ColumnName): ByteStrings {
	const count = values.offsets.length - 1;
	const offsets = new Uint32Array(count + 1);
	const words = new DataView(values.heap.buffer);
	let folded = byteBlock(new ArrayBuffer(Math.min(BLOCK_BYTES_MAX, values.heap.length + 1024)));
	let end = 0;
	for (let i = 0; i < count; i++) {
		const start = values.offsets[i];
		const stop = values.offsets[i + 1];
		let length = stop - start;
		folded = withRoom(folded, end + length + SLACK_BYTES, column);
		if (!lowerAscii(words, start, length, folded.words, end)) {
			const slow = foldBytes(values.heap, start, stop);
			length = slow.length;
			folded = withRoom(folded, end + length + SLACK_BYTES, column);
			folded.bytes.set(slow, end);
		}
		end += length;
		offsets[i + 1] = end;
	}
	return { offsets, heap: folded.bytes };
}

function withRoom(block: ByteBlock, needed: number, column: ColumnName): ByteBlock {
	const { length } = block.bytes;
	return needed <= length ? block : movedTo(new ArrayBuffer(enlargedBytes(length, needed, column)), block);
}

/**
 * Writes the lower case of `length` bytes of ASCII and up to {@link SLACK_BYTES} - 1 bytes after them; false if there
 * are others than ASCII. Four bytes at a time: in a byte without its highest bit, adding 63 sets that bit from `A` on,
 * adding 37 from the one after `Z` on.
 */
function lowerAscii(from: DataView, start: number, length: number, to: DataView, at: number): boolean {
	let seen = 0;
	for (let i = 0; i < length; i += 4) {
		const word = from.getInt32(start + i, true);
		const left = length - i;
		seen |= left >= 4 ? word : word & ~(-1 << (8 * left));
		const ascii = word & 0x7f7f7f7f;
		const upper = (ascii + 0x3f3f3f3f) & ~(ascii + 0x25252525) & 0x80808080;
		to.setInt32(at + i, word | (upper >>> 2), true);
	}
	return (seen & 0x80808080) === 0;
}

/** The sorted distinct values and, for each worker, the new code of each old one. */
function buildDictionary(values: Gathered, order: Uint32Array, kind: ColumnKind, input: ColumnParts) {
	const globalCodes = input.dictionaries.map((dictionary) => new Uint32Array(dictionary?.count ?? 0));
	const offsets = sharedWords(order.length + 1);
	const { bytes: heap, words } = byteBlock(new SharedArrayBuffer(values.heap.length));
	const source = new DataView(values.heap.buffer);
	let distinct = 0;
	let end = 0;
	let last = 0;
	const newCodes = new Uint32Array(order.length);
	const starts = new Uint32Array(READ_AHEAD_VALUES);
	const stops = new Uint32Array(READ_AHEAD_VALUES);
	for (let first = 0; first < order.length; first += READ_AHEAD_VALUES) {
		const block = order.subarray(first, first + READ_AHEAD_VALUES);
		locate(values, block, starts, stops);
		for (let i = 0; i < block.length; i++) {
			// Compared with the copy just made, which is in the cache, not with the original.
			const length = stops[i] - starts[i];
			if (distinct === 0 || length !== end - last || !equalBytes(words, last, source, starts[i], length)) {
				copyBytes(source, starts[i], words, end, length);
				last = end;
				end += length;
				offsets[++distinct] = end;
			}
			newCodes[block[i]] = distinct - 1;
		}
	}
	// By value, worker and code ascend: these writes are sequential, those by order would miss the cache.
	for (let value = 0; value < newCodes.length; value++)
		globalCodes[values.workers[value]][values.codes[value]] = newCodes[value];
	const dictionary = encodeDictionary(
		offsets.subarray(0, distinct + 1),
		heap.subarray(0, end),
		kind === "dict" ? sameFoldAs(offsets, heap) : () => false,
	);
	return { dictionary, globalCodes };
}

/**
 * Writes the ranges of the values of `block` to `starts` and `stops`, and reads the first byte of each: one after
 * the other, so that cache misses overlap.
 */
function locate({ offsets, heap }: ByteStrings, block: Uint32Array, starts: Uint32Array, stops: Uint32Array) {
	for (let i = 0; i < block.length; i++) {
		starts[i] = offsets[block[i]];
		stops[i] = offsets[block[i] + 1];
	}
	let sum = 0;
	for (let i = 0; i < block.length; i++) sum += heap[starts[i]];
	touched.sum ^= sum;
}

/** Returns a function: whether values i and i - 1 of the sorted dictionary have the same fold. */
function sameFoldAs(offsets: Uint32Array, heap: Uint8Array): (index: number) => boolean {
	return (index) => {
		const start = offsets[index - 1];
		const middle = offsets[index];
		const end = offsets[index + 1];
		if (isAscii(heap, start, end)) {
			if (end - middle !== middle - start) return false;
			for (let i = 0; i < end - middle; i++) {
				if (lowerAsciiByte(heap[start + i]) !== lowerAsciiByte(heap[middle + i])) return false;
			}
			return true;
		}
		const before = foldBytes(heap, start, middle);
		const value = foldBytes(heap, middle, end);
		return compareBytes(before, 0, before.length, value, 0, value.length) === 0;
	};
}

function recode(input: ColumnParts, globalCodes: readonly Uint32Array[], distinct: number) {
	const codes = sharedWords(input.rows);
	let row = 0;
	let nulls = 0;
	for (const part of input.parts) {
		if (part.codes === null) {
			codes.fill(distinct, row, row + part.rows);
			nulls += part.rows;
			row += part.rows;
			continue;
		}
		const mapping = globalCodes[part.worker];
		for (let i = 0; i < part.rows; i++) {
			const code = part.codes[i];
			if (code === NULL_CODE) nulls++;
			codes[row++] = code === NULL_CODE ? distinct : mapping[code];
		}
	}
	return { codes, nulls };
}
