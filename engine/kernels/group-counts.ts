/**
 * What is read of the counters of groups, a part of them at a time: how many are at least some number, and which are at
 * least a larger one. In WebAssembly (group-counts.wat) that takes a third of the time of a loop in JavaScript, copying
 * the counters included; the loop is there for processes that cannot run it.
 */

import { GROUP_COUNTS_MODULE } from "./generated/group-counts.js";
import { openModule } from "./open-module.js";

/** Counters of a part at most. */
export const COUNTERS_MAX = 8192;
/** Counters that are read at a time. */
const LANES = 4;
/** Where the module's memory has the indexes of those listed, and offsets, of which there is one more than counters. */
const LISTED_WORD = COUNTERS_MAX;
const OFFSETS_WORD = 2 * COUNTERS_MAX;
const BYTES = 4 * (3 * COUNTERS_MAX + LANES);
/** Counters are compared as signed numbers; no month has as many rows. */
const COUNT_MAX = 2 ** 31 - 1;

interface Module {
	readonly addDifferences: (at: number, end: number, offsets: number) => void;
	readonly count: (at: number, end: number, least: number) => number;
	readonly list: (at: number, end: number, least: number, out: number) => number;
}

const opened = openModule<Module>(GROUP_COUNTS_MODULE, BYTES);
const module = opened?.exports ?? null;
const memory = new Uint32Array(opened?.memory ?? new ArrayBuffer(BYTES));

/** The part that was read last: its counters, and how many there are. */
let size = 0;

/**
 * Reads counters [from, to), at most {@link COUNTERS_MAX}, for the functions below. Where `offsets` is not null,
 * offsets[i + 1] - offsets[i] is added to counter i. Cost O(counters).
 */
export function readCounters(
	counts: Uint32Array,
	offsets: Uint32Array | null,
	from: number,
	to: number,
): void {
	size = to - from;
	memory.set(counts.subarray(from, to));
	// Read with the last ones.
	memory.fill(0, size, size + LANES - 1);
	if (offsets === null) return;
	if (module === null) {
		for (let i = 0; i < size; i++) memory[i] += offsets[from + i + 1] - offsets[from + i];
		return;
	}
	const last = offsets[to];
	memory.set(offsets.subarray(from, to + 1), OFFSETS_WORD);
	memory.fill(last, OFFSETS_WORD + size + 1, OFFSETS_WORD + size + LANES);
	module.addDifferences(0, size * 4, OFFSETS_WORD * 4);
}

/** Counter i of those read. */
export function counterAt(i: number): number {
	return memory[i];
}

/** How many of the counters read are at least `least`, which is positive. */
export function countersAtLeast(least: number): number {
	if (least > COUNT_MAX) return 0;
	if (module !== null) return module.count(0, size * 4, least);
	let count = 0;
	// Without a branch, which would be mispredicted at many counters and take as long as all else.
	for (let i = 0; i < size; i++) count += (least - 1 - memory[i]) >>> 31;
	return count;
}

/** The indexes among those read of the counters that are at least `least`, which is positive; until the next call. */
export function listCounters(least: number): Uint32Array {
	if (least > COUNT_MAX) return memory.subarray(0, 0);
	let end = LISTED_WORD;
	if (module !== null) end = module.list(0, size * 4, least, LISTED_WORD * 4) >>> 2;
	else for (let i = 0; i < size; i++) if (memory[i] >= least) memory[end++] = i;
	return memory.subarray(LISTED_WORD, end);
}
