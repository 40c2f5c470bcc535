/**
 * Metrics of the serving threads in one SharedArrayBuffer: each thread writes its own slot and the admin port sums
 * them. Counting costs a few stores, needs no messages, and survives a thread's death, since its replacement
 * continues in the same slot.
 *
 * A slot is doubles, by section: answers by endpoint and status; latency buckets, sum and count by
 * endpoint; work; limit refusals; gauges.
 *
 * Invariant: one writer per slot. A reader may see a partly counted request, but no torn number, since doubles are
 * aligned.
 */

import type { Answered, Observer } from "../api/observer.js";
import { STATUS_LINES } from "../http/transport.js";
import type { LimitCode } from "../limits/limits.js";
import { ENDPOINTS } from "../limits/usage-codes.js";

/** Label values of `endpoint`; anything else counts as `other`. */
export const ENDPOINT_LABELS = [...ENDPOINTS, "/v1/health", "/openapi.json", "/docs"] as const;
export const STATUS_LABELS = Object.keys(STATUS_LINES).map(Number);
export const LIMIT_LABELS = ["rate_limited", "quota_exceeded", "trial_limit"] as const satisfies LimitCode[];

/** Upper bounds of the latency buckets, in seconds; beyond the last is one more. */
export const LATENCY_BOUNDS_S = [
	0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
] as const;

/** Gauges of one thread, set periodically. */
export const GAUGES = [
	"snapshots",
	"pending",
	"held_bytes",
	"render_bytes",
	"streams",
	"loop_lag_seconds",
	"heap_bytes",
	"shed",
	"cut_off",
	"failed_keys",
	"throttled_keys",
] as const;
export type Gauge = (typeof GAUGES)[number];

const BUCKETS = LATENCY_BOUNDS_S.length + 1;
/** Buckets, then sum in seconds. */
const LATENCY_DOUBLES = BUCKETS + 1;

const ANSWERS_AT = 0;
const LATENCY_AT = ANSWERS_AT + ENDPOINT_LABELS.length * STATUS_LABELS.length;
const WORK_AT = LATENCY_AT + ENDPOINT_LABELS.length * LATENCY_DOUBLES;
const LIMITS_AT = WORK_AT + 3;
const GAUGES_AT = LIMITS_AT + LIMIT_LABELS.length;
/** A multiple of a cache line, so that threads do not disturb each other. */
const SLOT_DOUBLES = Math.ceil((GAUGES_AT + GAUGES.length) / 8) * 8;

const ENDPOINT_PLACES: ReadonlyMap<string, number> = new Map(ENDPOINT_LABELS.map((name, i) => [name, i]));
const DOCS = "/docs";
const DOCS_PLACE = ENDPOINT_LABELS.indexOf(DOCS);
const OTHER = ENDPOINT_LABELS.indexOf("other");
const STATUS_PLACES: ReadonlyMap<number, number> = new Map(STATUS_LABELS.map((status, i) => [status, i]));

export interface Latency {
	/** Answers in each bucket, the one past the last bound included. Not cumulative. */
	readonly buckets: readonly number[];
	readonly sumSeconds: number;
}

export class SharedMetrics {
	/** Passed to worker threads. */
	readonly buffer: SharedArrayBuffer;
	readonly slots: number;

	constructor(buffer: SharedArrayBuffer) {
		this.buffer = buffer;
		this.slots = buffer.byteLength / (SLOT_DOUBLES * 8);
	}

	/** All zero, for `slots` threads. */
	static allocate(slots: number): SharedMetrics {
		return new SharedMetrics(new SharedArrayBuffer(slots * SLOT_DOUBLES * 8));
	}

	/** The slot of thread number `slot`. */
	thread(slot: number): ThreadMetrics {
		return new ThreadMetrics(new Float64Array(this.buffer, slot * SLOT_DOUBLES * 8, SLOT_DOUBLES));
	}

	/** Answers of all threads to `endpoint` with `status`, by place in the labels. */
	answers(endpoint: number, status: number): number {
		return this.sum(ANSWERS_AT + endpoint * STATUS_LABELS.length + status);
	}

	latency(endpoint: number): Latency {
		const at = LATENCY_AT + endpoint * LATENCY_DOUBLES;
		const buckets = Array.from({ length: BUCKETS }, (_, i) => this.sum(at + i));
		return { buckets, sumSeconds: this.sum(at + BUCKETS) };
	}

	work(): { answers: number; seconds: number; rows: number } {
		return { answers: this.sum(WORK_AT), seconds: this.sum(WORK_AT + 1), rows: this.sum(WORK_AT + 2) };
	}

	/** Requests refused with the code at `place` of {@link LIMIT_LABELS}. */
	limited(place: number): number {
		return this.sum(LIMITS_AT + place);
	}

	/** One gauge, by thread. */
	gauge(name: Gauge): number[] {
		const at = GAUGES_AT + GAUGES.indexOf(name);
		return Array.from({ length: this.slots }, (_, slot) => this.at(slot, at));
	}

	private sum(at: number): number {
		let sum = 0;
		for (let slot = 0; slot < this.slots; slot++) sum += this.at(slot, at);
		return sum;
	}

	private at(slot: number, at: number): number {
		return new Float64Array(this.buffer, (slot * SLOT_DOUBLES + at) * 8, 1)[0];
	}
}

/** One thread's slot. Cost per response: a few tens of nanoseconds. */
export class ThreadMetrics implements Observer {
	constructor(private readonly slot: Float64Array) {}

	answered({ endpoint, status, ms }: Answered): void {
		const place = ENDPOINT_PLACES.get(endpoint) ?? (endpoint.startsWith(DOCS) ? DOCS_PLACE : OTHER);
		this.slot[ANSWERS_AT + place * STATUS_LABELS.length + (STATUS_PLACES.get(status) ?? 0)]++;
		const at = LATENCY_AT + place * LATENCY_DOUBLES;
		const seconds = ms / 1000;
		let bucket = 0;
		while (bucket < LATENCY_BOUNDS_S.length && seconds > LATENCY_BOUNDS_S[bucket]) bucket++;
		this.slot[at + bucket]++;
		this.slot[at + BUCKETS] += seconds;
	}

	worked(ms: number, rows: number): void {
		this.slot[WORK_AT]++;
		this.slot[WORK_AT + 1] += ms / 1000;
		this.slot[WORK_AT + 2] += rows;
	}

	limited(code: LimitCode): void {
		this.slot[LIMITS_AT + LIMIT_LABELS.indexOf(code)]++;
	}

	set(gauge: Gauge, value: number): void {
		this.slot[GAUGES_AT + GAUGES.indexOf(gauge)] = value;
	}
}
