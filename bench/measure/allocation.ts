/**
 * Bytes that a function allocates on and off the JavaScript heap, garbage included: the growth of both
 * between two collections. A run during which a collection happened is discarded.
 */

import { getHeapStatistics } from "node:v8";

interface HeapSizes {
	readonly heap: number;
	readonly beside: number;
}

function sizes(): HeapSizes {
	const { used_heap_size, external_memory } = getHeapStatistics();
	return { heap: used_heap_size, beside: external_memory };
}

/** Bytes that the measurement itself allocates. */
function overhead(): number {
	const runs = Array.from({ length: 9 }, () => {
		const before = sizes();
		const after = sizes();
		return after.heap - before.heap;
	}).sort((a, b) => a - b);
	return runs[4];
}

/** Bytes that each of `works` allocates: median and maximum; null where a collection disturbed them all. */
export function allocatedBytes(works: readonly (() => void)[]): { median: number; most: number } | null {
	const own = overhead();
	const seen: number[] = [];
	for (const work of works) {
		const before = sizes();
		work();
		const after = sizes();
		const bytes = after.heap - before.heap + (after.beside - before.beside) - own;
		if (bytes >= 0) seen.push(bytes);
	}
	if (seen.length === 0) return null;
	seen.sort((a, b) => a - b);
	return { median: seen[seen.length >> 1], most: seen[seen.length - 1] };
}
