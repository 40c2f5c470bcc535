/**
 * The codes of one DEFLATE block, as the kernel deflate-rows.wat reads them, and the block's header
 * (RFC 1951 §3.2.7). A code is made once from counted symbols and then used for any number of bodies.
 */

import { canonicalCodes, codeLengths } from "./huffman.js";

/** Literals, the end of the block, and match lengths. */
const LITERAL_SYMBOLS = 286;
const DISTANCE_SYMBOLS = 30;
/** Of which a code is made: first literals and lengths, then distances. */
export const SYMBOLS = LITERAL_SYMBOLS + DISTANCE_SYMBOLS;

/** Two literals have as many codes. */
export const PAIR_CODES = 65_536;

/** Limits that let four literals, or a match, fit behind seven pending bits of a 64-bit word. */
const LITERAL_BITS_MAX = 12;
const DISTANCE_BITS_MAX = 13;
const HEADER_BITS_MAX = 7;

const END_OF_BLOCK = 256;
const MATCH_MIN = 3;
const MATCH_MAX = 258;

/** Words of the three tables, in the order in which the kernel has them in memory. */
const LENGTH_WORDS = MATCH_MAX + 1;
const LENGTH_TABLE = 256;
const DISTANCE_TABLE = LENGTH_TABLE + LENGTH_WORDS + 1;

/** What the kernel counts: literals and the end of a block, match lengths, symbols of distances. */
const COUNTED_LENGTHS = END_OF_BLOCK + 1;
const COUNTED_DISTANCES = COUNTED_LENGTHS + LENGTH_WORDS;
export const COUNTED = COUNTED_DISTANCES + DISTANCE_SYMBOLS;

/** The order in which the lengths of the header's own code are sent. */
const HEADER_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** The header's symbol for "the last length again, 3 to 6 times". */
const REPEAT = 16;
const REPEAT_MIN = 3;
const REPEAT_MAX = 6;

export interface DeflateCode {
	/** Code tables, for address 0 of the kernel's memory. */
	readonly tables: Uint32Array;
	/** Whole bytes of the header of a last block. */
	readonly header: Uint8Array;
	/** Bits of the header behind those bytes, and how many. */
	readonly pending: bigint;
	readonly pendingBits: number;
	/** Code of the end of the block, `code | bits << 24`. */
	readonly endOfBlock: number;
}

/** A code for symbols with these frequencies ({@link SYMBOLS} of them). */
export function deflateCode(counts: ArrayLike<number>): DeflateCode {
	const frequencies = Array.from(counts);
	const literalLengths = codeLengths(frequencies.slice(0, LITERAL_SYMBOLS), LITERAL_BITS_MAX);
	const distanceLengths = codeLengths(frequencies.slice(LITERAL_SYMBOLS), DISTANCE_BITS_MAX);
	const literals = packed(literalLengths);
	const tables = new Uint32Array(DISTANCE_TABLE + DISTANCE_SYMBOLS);
	tables.set(literals.subarray(0, 256));
	for (let length = MATCH_MIN; length <= MATCH_MAX; length++) {
		const { symbol, extra, extraBits } = lengthSymbol(length);
		const bits = literals[symbol] >>> 24;
		const code = literals[symbol] & 0xffffff;
		tables[LENGTH_TABLE + length] = code | (extra << bits) | ((bits + extraBits) << 24);
	}
	tables.set(packed(distanceLengths), DISTANCE_TABLE);
	const writer = new BitWriter();
	writeHeader(literalLengths, distanceLengths, writer);
	return { tables, ...writer.end(), endOfBlock: literals[END_OF_BLOCK] };
}

/** The counts of symbols that the kernel's counts are of. `counted`: {@link COUNTED} of them. */
export function symbolCounts(counted: Uint32Array): number[] {
	const counts = new Array<number>(SYMBOLS).fill(0);
	for (let i = 0; i < COUNTED_LENGTHS; i++) counts[i] = counted[i];
	for (let length = MATCH_MIN; length <= MATCH_MAX; length++)
		counts[lengthSymbol(length).symbol] += counted[COUNTED_LENGTHS + length];
	for (let i = 0; i < DISTANCE_SYMBOLS; i++) counts[LITERAL_SYMBOLS + i] = counted[COUNTED_DISTANCES + i];
	return counts;
}

/** Writes the codes of two literals after each other, by their bytes as a u16: {@link PAIR_CODES} of them. */
export function writePairCodes({ tables }: DeflateCode, pairs: Uint32Array): void {
	for (let pair = 0; pair < PAIR_CODES; pair++) {
		const first = tables[pair & 0xff];
		const second = tables[pair >>> 8];
		const bits = first >>> 24;
		pairs[pair] = (first & 0xffffff) | ((second & 0xffffff) << bits) | ((bits + (second >>> 24)) << 24);
	}
}

/** Codes as the kernel has them: `code | bits << 24`. */
function packed(lengths: Uint8Array): Uint32Array {
	const codes = canonicalCodes(lengths);
	return codes.map((code, symbol) => code | (lengths[symbol] << 24));
}

/** The symbol of a match length and the extra bits behind it. */
function lengthSymbol(length: number): { symbol: number; extra: number; extraBits: number } {
	if (length === MATCH_MAX) return { symbol: 285, extra: 0, extraBits: 0 };
	const x = length - MATCH_MIN;
	if (x < 8) return { symbol: 257 + x, extra: 0, extraBits: 0 };
	const exponent = 31 - Math.clz32(x);
	const extraBits = exponent - 2;
	const symbol = 257 + ((exponent - 1) << 2) + ((x >>> extraBits) & 3);
	return { symbol, extra: x & ((1 << extraBits) - 1), extraBits };
}

function writeHeader(literals: Uint8Array, distances: Uint8Array, writer: BitWriter): void {
	const items = repeats([...literals, ...distances]);
	const frequencies = new Array<number>(HEADER_ORDER.length).fill(0);
	for (const { symbol } of items) frequencies[symbol]++;
	const lengths = codeLengths(frequencies, HEADER_BITS_MAX);
	const codes = canonicalCodes(lengths);
	// A last block with codes of its own, and how many lengths follow of each kind.
	writer.write(1, 1);
	writer.write(2, 2);
	writer.write(LITERAL_SYMBOLS - 257, 5);
	writer.write(DISTANCE_SYMBOLS - 1, 5);
	writer.write(HEADER_ORDER.length - 4, 4);
	for (const symbol of HEADER_ORDER) writer.write(lengths[symbol], 3);
	for (const { symbol, extra } of items) {
		writer.write(codes[symbol], lengths[symbol]);
		if (symbol === REPEAT) writer.write(extra, 2);
	}
}

/** Lengths as symbols of the header, runs of equal ones shortened. */
function repeats(lengths: readonly number[]): { symbol: number; extra: number }[] {
	const items: { symbol: number; extra: number }[] = [];
	for (let i = 0; i < lengths.length; ) {
		let run = 1;
		while (i + run < lengths.length && run <= REPEAT_MAX && lengths[i + run] === lengths[i]) run++;
		items.push({ symbol: lengths[i], extra: 0 });
		if (run > REPEAT_MIN) items.push({ symbol: REPEAT, extra: run - 1 - REPEAT_MIN });
		i += run > REPEAT_MIN ? run : 1;
	}
	return items;
}

/** Bits, the first lowest. */
class BitWriter {
	private readonly bytes: number[] = [];
	private pending = 0n;
	private bits = 0;

	write(value: number, count: number): void {
		this.pending |= BigInt(value) << BigInt(this.bits);
		this.bits += count;
		while (this.bits >= 8) {
			this.bytes.push(Number(this.pending & 0xffn));
			this.pending >>= 8n;
			this.bits -= 8;
		}
	}

	end(): Pick<DeflateCode, "header" | "pending" | "pendingBits"> {
		return { header: Uint8Array.from(this.bytes), pending: this.pending, pendingBits: this.bits };
	}
}
