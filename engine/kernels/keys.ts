/** Kernels over a list of rows and their sort keys. None of them allocates. */

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

/** Writes the rows whose key is in [low, high), at most 2^32 - 1 keys wide, to `out`; returns how many. */
export function pickWithin(
	list: Uint32Array,
	keys: Uint32Array,
	low: number,
	high: number,
	out: Uint32Array,
): number {
	// One unsigned comparison, and no branch: it would be mispredicted where few rows match.
	const first = low | 0;
	const width = (high - low) >>> 0;
	let at = 0;
	for (let i = 0; i < keys.length; i++) {
		out[at] = list[i];
		at += +((keys[i] - first) >>> 0 < width);
	}
	return at;
}
