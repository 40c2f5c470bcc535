/**
 * The interval of a median from ordered samples (the sign test's interval): no assumption about the distribution, and
 * no random numbers. Each sample is the ratio of one round, so what changes from process to process, such as what V8
 * compiles, is in the interval.
 */

export interface Interval {
	readonly median: number;
	readonly low: number;
	readonly high: number;
	/** Probability that the interval contains the true median; below what was wanted where there are few samples. */
	readonly confidence: number;
}

/** Confidence that is wanted. Six samples are the fewest that reach it. */
const WANTED_CONFIDENCE = 0.95;

/** The narrowest interval between two order statistics that reaches {@link WANTED_CONFIDENCE}; else the whole range. */
export function medianInterval(samples: readonly number[]): Interval {
	const sorted = [...samples].sort((a, b) => a - b);
	const { length } = sorted;
	if (length === 0) return { median: Number.NaN, low: Number.NaN, high: Number.NaN, confidence: 0 };
	const middle = length >> 1;
	const median = length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	let dropped = 0;
	while (2 * (dropped + 2) <= length && confidenceOf(length, dropped + 1) >= WANTED_CONFIDENCE) dropped++;
	return {
		median,
		low: sorted[dropped],
		high: sorted[length - 1 - dropped],
		confidence: confidenceOf(length, dropped),
	};
}

/** Confidence without the `dropped` least and greatest samples: the median lies beyond them as coins fall. */
function confidenceOf(samples: number, dropped: number): number {
	let ways = 1;
	let beyond = 1;
	for (let i = 1; i <= dropped; i++) {
		ways = (ways * (samples - i + 1)) / i;
		beyond += ways;
	}
	return Math.max(0, 1 - (2 * beyond) / 2 ** samples);
}

/** A ratio of times, B over A, against a threshold above 1: the whole interval must lie beyond it. */
export type Verdict = "slower" | "faster" | "within";

export function verdictOf({ low, high }: Interval, threshold: number): Verdict {
	if (low > threshold) return "slower";
	return high < 1 / threshold ? "faster" : "within";
}
