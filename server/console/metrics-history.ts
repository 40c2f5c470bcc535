/**
 * The last hour of the metrics, as figures of short intervals: what the console draws. Memory is fixed: a
 * ring of {@link SAMPLES_MAX} samples.
 */

import {
	ENDPOINT_LABELS,
	LATENCY_BOUNDS_S,
	type SharedMetrics,
	STATUS_LABELS,
} from "../admin/thread-metrics.js";

/** Time between two samples, in milliseconds. */
export const SAMPLE_MS = 10_000;
const SAMPLES_MAX = 360;

export interface Sample {
	readonly at_ms: number;
	/** Answers per second of the interval. */
	readonly per_second: number;
	/** Answers of 5xx per second, shed ones included. */
	readonly failed_per_second: number;
	/** Requests shed per second, and slow readers disconnected. */
	readonly shed_per_second: number;
	readonly cut_off_per_second: number;
	/** Upper bounds of the buckets that the median and the 99th percentile lie in, in milliseconds; null without answers. */
	readonly p50_ms: number | null;
	readonly p99_ms: number | null;
	readonly loop_lag_ms: number;
}

interface Totals {
	readonly atMs: number;
	readonly answers: number;
	readonly failed: number;
	readonly shed: number;
	readonly cutOff: number;
	/** By bucket, over all endpoints. */
	readonly buckets: readonly number[];
}

export class MetricsHistory {
	readonly samples: Sample[] = [];
	private before: Totals | null = null;

	constructor(private readonly metrics: SharedMetrics) {}

	/** Adds the figures of the time since the last call. Cost: under a millisecond. */
	sample(nowMs: number): void {
		const now = this.totals(nowMs);
		const { before } = this;
		this.before = now;
		if (before === null || nowMs <= before.atMs) return;
		const seconds = (nowMs - before.atMs) / 1000;
		const buckets = now.buckets.map((count, i) => count - before.buckets[i]);
		this.samples.push({
			at_ms: nowMs,
			per_second: (now.answers - before.answers) / seconds,
			failed_per_second: (now.failed - before.failed) / seconds,
			shed_per_second: (now.shed - before.shed) / seconds,
			cut_off_per_second: (now.cutOff - before.cutOff) / seconds,
			p50_ms: percentile(buckets, 0.5),
			p99_ms: percentile(buckets, 0.99),
			loop_lag_ms: 1000 * Math.max(0, ...this.metrics.gauge("loop_lag_seconds")),
		});
		if (this.samples.length > SAMPLES_MAX) this.samples.shift();
	}

	private totals(atMs: number): Totals {
		let answers = 0;
		let failed = 0;
		const buckets = new Array<number>(LATENCY_BOUNDS_S.length + 1).fill(0);
		for (const endpoint of ENDPOINT_LABELS.keys()) {
			for (const [place, status] of STATUS_LABELS.entries()) {
				const count = this.metrics.answers(endpoint, place);
				answers += count;
				if (status >= 500) failed += count;
			}
			for (const [i, count] of this.metrics.latency(endpoint).buckets.entries()) buckets[i] += count;
		}
		const sum = (gauge: "shed" | "cut_off") => this.metrics.gauge(gauge).reduce((a, b) => a + b, 0);
		return { atMs, answers, failed, shed: sum("shed"), cutOff: sum("cut_off"), buckets };
	}
}

function percentile(buckets: readonly number[], share: number): number | null {
	const total = buckets.reduce((sum, count) => sum + count, 0);
	if (total === 0) return null;
	let within = 0;
	for (const [i, count] of buckets.entries()) {
		within += count;
		if (within >= share * total) return 1000 * (LATENCY_BOUNDS_S[i] ?? LATENCY_BOUNDS_S.at(-1) ?? 0);
	}
	return null;
}
