/** The project's range type, and binary search in one. What the bounds count (rows, codes, ranks, positions, words) is documented at each use. */

/** A half-open range: includes `from`, excludes `to`. Empty if they are equal. */
export interface Range {
	readonly from: number;
	readonly to: number;
}

/** The first number in [from, to) for which the monotonic predicate `holds` is true; `to` if there is none. Cost O(log(to − from)). */
export function firstWhere(from: number, to: number, holds: (value: number) => boolean): number {
	let low = from;
	let high = to;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (holds(middle)) high = middle;
		else low = middle + 1;
	}
	return low;
}
