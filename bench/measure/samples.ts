/** Statistics of repeated measurements. */

export interface Percentiles {
	readonly n: number;
	readonly p50: number;
	readonly p99: number;
	readonly max: number;
}

/** Percentiles by nearest rank: the p99 of fewer than a hundred samples is their maximum. */
export function percentiles(samples: readonly number[]): Percentiles {
	const sorted = [...samples].sort((a, b) => a - b);
	const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
	return { n: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** A time in milliseconds with its significant digits. */
export function milliseconds(value: number): string {
	if (value < 0.1) return value.toFixed(4);
	if (value < 10) return value.toFixed(3);
	return value.toFixed(1);
}
