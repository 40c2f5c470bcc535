/** Loops over the rows of a list and their keys, side by side. None of them allocates. */

/** Whether rows ascend. */
export function ascends(list: Uint32Array): boolean {
	for (let i = 1; i < list.length; i++) if (list[i] < list[i - 1]) return false;
	return true;
}

/** How many of the keys are less than `bound`. */
export function countBelow(keys: Uint32Array, bound: number): number {
	let below = 0;
	for (let i = 0; i < keys.length; i++) below += +(keys[i] < bound);
	return below;
}

/** Writes the rows whose key lies in [low, high), which is less than 2^32 keys, to `out`; returns how many. */
export function pickWithin(
	list: Uint32Array,
	keys: Uint32Array,
	low: number,
	high: number,
	out: Uint32Array,
): number {
	// As whole numbers, and without a branch, which would be guessed wrong where few rows lie among others.
	const first = low | 0;
	const width = (high - low) >>> 0;
	let at = 0;
	for (let i = 0; i < keys.length; i++) {
		out[at] = list[i];
		at += +((keys[i] - first) >>> 0 < width);
	}
	return at;
}
