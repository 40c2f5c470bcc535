/** The one type of range in the project. What its bounds count (rows, codes, ranks, positions, words) is said where one is used. */

/** A half-open range: `from` is in it, `to` is not. Empty where they are equal. */
export interface Range {
	readonly from: number;
	readonly to: number;
}
