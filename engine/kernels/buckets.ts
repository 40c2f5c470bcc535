/**
 * Kernels over rows and the bytes that give each row's bucket in a sort order. The buckets of all rows
 * fit in a processor's cache, so reading one costs about a nanosecond. None of them allocates.
 */

/** Values of a byte. */
export const BYTE_VALUES = 256;

/** Marks of buckets whose rows are kept, and of those whose rows are set aside; other buckets have 0. */
export const KEPT = 1;
export const ASIDE = 2;

const tables = new Uint32Array(4 * BYTE_VALUES);

/** Counts the rows of a list by bucket. */
export function countBuckets(list: Uint32Array, buckets: Uint8Array, counts: Uint32Array): void {
	tables.fill(0);
	const end = list.length & ~3;
	// Four tables, so that consecutive rows of one bucket do not wait for each other's increment.
	for (let i = 0; i < end; i += 4) {
		tables[buckets[list[i]]]++;
		tables[BYTE_VALUES + buckets[list[i + 1]]]++;
		tables[2 * BYTE_VALUES + buckets[list[i + 2]]]++;
		tables[3 * BYTE_VALUES + buckets[list[i + 3]]]++;
	}
	for (let i = end; i < list.length; i++) tables[buckets[list[i]]]++;
	for (let bucket = 0; bucket < BYTE_VALUES; bucket++) {
		counts[bucket] =
			tables[bucket] +
			tables[BYTE_VALUES + bucket] +
			tables[2 * BYTE_VALUES + bucket] +
			tables[3 * BYTE_VALUES + bucket];
	}
}

/**
 * Partitions a list: rows of kept buckets go to `out`, which may be the list itself, rows set aside to
 * `aside`. Returns how many of each. Branch-free: every row is written to both, and only the end it
 * belongs to advances.
 */
export function splitMarked(
	list: Uint32Array,
	buckets: Uint8Array,
	marks: Uint8Array,
	out: Uint32Array,
	aside: Uint32Array,
): { kept: number; aside: number } {
	let end = 0;
	let asideEnd = 0;
	let i = 0;
	// Unrolled, so that four cache misses overlap.
	for (; i + 4 <= list.length; i += 4) {
		const a = list[i];
		const b = list[i + 1];
		const c = list[i + 2];
		const d = list[i + 3];
		const markA = marks[buckets[a]];
		const markB = marks[buckets[b]];
		const markC = marks[buckets[c]];
		const markD = marks[buckets[d]];
		out[end] = a;
		end += markA & KEPT;
		aside[asideEnd] = a;
		asideEnd += markA >>> 1;
		out[end] = b;
		end += markB & KEPT;
		aside[asideEnd] = b;
		asideEnd += markB >>> 1;
		out[end] = c;
		end += markC & KEPT;
		aside[asideEnd] = c;
		asideEnd += markC >>> 1;
		out[end] = d;
		end += markD & KEPT;
		aside[asideEnd] = d;
		asideEnd += markD >>> 1;
	}
	for (; i < list.length; i++) {
		const mark = marks[buckets[list[i]]];
		out[end] = list[i];
		end += mark & KEPT;
		aside[asideEnd] = list[i];
		asideEnd += mark >>> 1;
	}
	return { kept: end, aside: asideEnd };
}

/** As {@link splitMarked} without rows set aside: returns how many are kept. */
export function keepMarked(
	list: Uint32Array,
	buckets: Uint8Array,
	marks: Uint8Array,
	out: Uint32Array,
): number {
	let end = 0;
	let i = 0;
	for (; i + 4 <= list.length; i += 4) {
		const a = list[i];
		const b = list[i + 1];
		const c = list[i + 2];
		const d = list[i + 3];
		const markA = marks[buckets[a]];
		const markB = marks[buckets[b]];
		const markC = marks[buckets[c]];
		const markD = marks[buckets[d]];
		out[end] = a;
		end += markA & KEPT;
		out[end] = b;
		end += markB & KEPT;
		out[end] = c;
		end += markC & KEPT;
		out[end] = d;
		end += markD & KEPT;
	}
	for (; i < list.length; i++) {
		out[end] = list[i];
		end += marks[buckets[list[i]]] & KEPT;
	}
	return end;
}
