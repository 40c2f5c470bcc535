/**
 * The set of the codes that rows have, in WebAssembly (code-sets.wat) or, where a process cannot run that, by a loop: V8
 * compiles one loop for codes of all sizes, which takes several times as long as one for each.
 */

import type { Codes, Range } from "../../formats/index.js";
import { type CodeSize, sizeOf } from "./codes.js";
import { CODE_SETS_MODULE } from "./generated/code-sets.js";
import { openModule } from "./open-module.js";

/** Codes that are copied in at a time. */
const CHUNK_CODES = 8192;
const CODES_BYTES = 4 * CHUNK_CODES;
/** Words that are read at a time. */
const LANES = 4;
/** Fewer codes are looked at by the loop: clearing the set and reading it cost more. */
const MODULE_CODES_MIN = 1024;

type Add = (at: number, end: number, bits: number, limit: number) => void;
interface Module extends Readonly<Record<CodeSize, Add>> {
	pack(at: number, end: number, places: number, words: number): number;
}

interface Opened {
	readonly module: Module;
	readonly memory: Uint8Array;
	/** Words of a set that there is room for: of the set itself, and of what it is packed to. */
	readonly room: number;
}

/** The nonzero words of a bitmap. */
export interface PackedBits {
	/** Indexes of the words, ascending. */
	readonly places: Uint32Array;
	readonly words: Uint32Array;
}

/** With room for the largest set so far; null where this process cannot run it, undefined before it is tried. */
let opened: Opened | null | undefined;

/** The module with memory for a set of `words` words behind the codes; null where there is none. */
function openFor(words: number): Opened | null {
	if (opened === null) return null;
	if (opened === undefined || opened.room < words) {
		// Behind what a set is packed to, one word more is written.
		const room = words + LANES;
		const made = openModule<Module>(CODE_SETS_MODULE, CODES_BYTES + 4 * 3 * room);
		opened = made === null ? null : { module: made.exports, memory: new Uint8Array(made.memory), room };
	}
	return opened;
}

/** The codes of rows [from, to), in a bitmap of `length` words without those that are zero. Cost O(rows + length / 4). */
export function packedCodesOfRows(length: number, codes: Codes, rows: Range): PackedBits {
	const made = rows.to - rows.from < MODULE_CODES_MIN ? null : openFor(length);
	if (made === null) {
		const bits = new Uint32Array(length);
		for (let row = rows.from; row < rows.to; row++) bits[codes[row] >>> 5] |= 1 << (codes[row] & 31);
		return packed(bits);
	}
	const { module, memory, room } = made;
	const end = CODES_BYTES + 4 * Math.ceil(length / LANES) * LANES;
	memory.fill(0, CODES_BYTES, end);
	addInModule(made, length, codes, rows);
	const places = CODES_BYTES + 4 * room;
	const words = places + 4 * room;
	const count = (module.pack(CODES_BYTES, end, places, words) - places) / 4;
	return {
		places: new Uint32Array(memory.buffer, places, count).slice(),
		words: new Uint32Array(memory.buffer, words, count).slice(),
	};
}

/** The nonzero words of `bits`. */
export function packed(bits: Uint32Array): PackedBits {
	let count = 0;
	for (let place = 0; place < bits.length; place++) count += +(bits[place] !== 0);
	const places = new Uint32Array(count);
	const words = new Uint32Array(count);
	let at = 0;
	for (let place = 0; place < bits.length; place++) {
		if (bits[place] === 0) continue;
		places[at] = place;
		words[at++] = bits[place];
	}
	return { places, words };
}

/** Adds the codes to the set of `length` words in the module's memory. */
function addInModule({ module, memory }: Opened, length: number, codes: Codes, { from, to }: Range): void {
	const bytes = codes.BYTES_PER_ELEMENT;
	const add = module[sizeOf(codes)];
	const source = new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength);
	for (let at = from; at < to; at += CHUNK_CODES) {
		const end = Math.min(at + CHUNK_CODES, to);
		memory.set(source.subarray(at * bytes, end * bytes));
		add(0, (end - at) * bytes, CODES_BYTES, 32 * length);
	}
}
