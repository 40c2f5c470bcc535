/** The project's range type. What the bounds count (rows, codes, ranks, positions, words) is documented at each use. */

/** A half-open range: includes `from`, excludes `to`. Empty if they are equal. */
export interface Range {
	readonly from: number;
	readonly to: number;
}
