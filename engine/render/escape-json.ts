/**
 * Escapes JSON as the inside of a JSON string, as answers do that carry a document as text too. SIMD in
 * WebAssembly does it in a sixth of the time of a loop in JavaScript; the module's source is
 * ../kernels/escape-json.wat.
 *
 * Compact JSON has no control characters, so that only quotes and backslashes need an escape.
 *
 * ```
 * memory: shuffles 4,096 ▸ a chunk of the source ▸ the chunk escaped
 * ```
 */

import { ESCAPE_JSON_MODULE } from "../kernels/generated/escape-json.js";
import { openModule } from "../kernels/open-module.js";
import type { ByteSink } from "./sink.js";

/** Escapes `bytes` bytes at an address to another; returns the address after the result. */
type Escape = (from: number, bytes: number, to: number) => number;

/** Appends compact JSON to `sink` as the inside of a JSON string. Cost O(bytes). */
export type EscapeJson = (json: Uint8Array, sink: ByteSink) => void;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes that one step of the module reads, and the table of shuffles has an entry for each set of. */
const STEP = 8;
const SHUFFLE_BYTES = 16;
const TABLE_BYTES = SHUFFLE_BYTES << STEP;
/** Bytes escaped at a time: a multiple of {@link STEP}; so that all fits one page of memory. */
const CHUNK = 16_384;
const TO = TABLE_BYTES + CHUNK;

/** {@link EscapeJson} by the fastest means of this process. */
export const escapeJson: EscapeJson = escapeInModule() ?? escapeInLoop;

/** By a loop in JavaScript. */
export function escapeInLoop(json: Uint8Array, sink: ByteSink): void {
	sink.reserve(json.length * 2);
	const { bytes } = sink;
	let at = sink.length;
	for (let i = 0; i < json.length; i++) {
		const byte = json[i];
		if (byte === QUOTE || byte === BACKSLASH) bytes[at++] = BACKSLASH;
		bytes[at++] = byte;
	}
	sink.length = at;
}

/** By the module; null where this process cannot run it. */
function escapeInModule(): EscapeJson | null {
	const opened = openModule<{ readonly escape: Escape }>(ESCAPE_JSON_MODULE);
	if (opened === null) return null;
	const run = opened.exports.escape;
	const memory = new Uint8Array(opened.memory);
	for (let mask = 0; mask < 1 << STEP; mask++) memory.set(shuffleOf(mask), mask * SHUFFLE_BYTES);
	return (json, sink) => {
		for (let from = 0; from < json.length; from += CHUNK) {
			const bytes = Math.min(CHUNK, json.length - from);
			const chunk = bytes === json.length ? json : json.subarray(from, from + bytes);
			memory.set(chunk, TABLE_BYTES);
			// The last step reads past the source, which must not need an escape there.
			const padding = -bytes & (STEP - 1);
			memory.fill(0, TABLE_BYTES + bytes, TABLE_BYTES + bytes + padding);
			const end = run(TABLE_BYTES, bytes + padding, TO) - padding;
			sink.copy(memory.subarray(TO, end));
		}
	};
}

/** The shuffle that puts a backslash, which index 8 stands for, before each byte of `mask`. */
function shuffleOf(mask: number): number[] {
	const indexes: number[] = [];
	for (let i = 0; i < STEP; i++) {
		if ((mask & (1 << i)) !== 0) indexes.push(STEP);
		indexes.push(i);
	}
	return indexes;
}
