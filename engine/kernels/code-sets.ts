/**
 * The set of the codes that rows have, in WebAssembly (code-sets.wat) or, where a process cannot run that, by a loop: V8
 * compiles one loop for codes of all sizes, which takes several times as long as one for each.
 */

import type { Codes, Range } from "../../formats/index.js";
import { CODE_SETS_MODULE } from "./generated/code-sets.js";
import { openModule } from "./open-module.js";

/** Codes that are copied in at a time. */
const CHUNK_CODES = 8192;
const CODES_BYTES = 4 * CHUNK_CODES;
/** Fewer codes are looked at by the loop: copying the set in and out costs more. */
const MODULE_CODES_MIN = 1024;

type Add = (at: number, end: number, bits: number, limit: number) => void;
type Module = Readonly<Record<"bytes" | "pairs" | "words", Add>>;

interface Opened {
	readonly module: Module;
	readonly memory: Uint8Array;
}

/** With room for the largest set so far; null where this process cannot run it, undefined before it is tried. */
let opened: Opened | null | undefined;

/** The module with memory for a set of `bytes` bytes behind the codes; null where there is none. */
function openFor(bytes: number): Opened | null {
	if (opened === null) return null;
	if (opened === undefined || opened.memory.length < CODES_BYTES + bytes) {
		const made = openModule<Module>(CODE_SETS_MODULE, CODES_BYTES + bytes);
		opened = made === null ? null : { module: made.exports, memory: new Uint8Array(made.memory) };
	}
	return opened;
}

/** Sets the bits of the codes of rows [from, to) in `bits`, a bit for each code. Cost O(rows + bits / 32). */
export function addCodesOfRows(bits: Uint32Array, codes: Codes, { from, to }: Range): void {
	const made = to - from < MODULE_CODES_MIN ? null : openFor(bits.byteLength);
	if (made === null) {
		for (let row = from; row < to; row++) bits[codes[row] >>> 5] |= 1 << (codes[row] & 31);
		return;
	}
	const { module, memory } = made;
	const bytes = codes.BYTES_PER_ELEMENT;
	const add = bytes === 1 ? module.bytes : bytes === 2 ? module.pairs : module.words;
	const source = new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength);
	const target = new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength);
	memory.set(target, CODES_BYTES);
	for (let at = from; at < to; at += CHUNK_CODES) {
		const end = Math.min(at + CHUNK_CODES, to);
		memory.set(source.subarray(at * bytes, end * bytes));
		add(0, (end - at) * bytes, CODES_BYTES, bits.length * 32);
	}
	target.set(memory.subarray(CODES_BYTES, CODES_BYTES + target.length));
}
