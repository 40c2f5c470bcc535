/** The Prometheus metrics except latency, summed over the threads at each scrape. */

import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { hugePageBytes } from "../../formats/index.js";
import type { SignupSummary } from "../signup/signup-records.js";
import { gauge, total } from "./callback-metrics.js";
import { addSignupMetrics } from "./signup-metrics.js";
import {
	ENDPOINT_LABELS,
	type Gauge as GaugeName,
	LIMIT_LABELS,
	type SharedMetrics,
	STATUS_LABELS,
} from "./thread-metrics.js";

/** A published month, for its age. */
export interface PublishedMonth {
	readonly month: string;
	/** When it was published; null: unknown, without a manifest. */
	readonly builtAtMs: number | null;
}

/** Results of scrubbing; `Scrubber` implements it. */
export interface VerifiedMonths {
	readonly quarantined: readonly { readonly month: string }[];
	readonly sound: readonly string[];
}

export interface RegistrySources {
	readonly verification: VerifiedMonths;
	readonly metrics: SharedMetrics;
	readonly published: () => readonly PublishedMonth[];
	/** Why the database of keys is not current or takes no writes; null: it has no fault. */
	readonly keysFault: () => string | null;
	/** The state of signup; null: it is off. */
	readonly signups: () => SignupSummary | null;
	readonly nowMs: () => number;
}

/** A registry over the sources. Reading it costs about a millisecond. */
export function createRegistry({
	metrics,
	published,
	keysFault,
	verification,
	signups,
	nowMs,
}: RegistrySources): Registry {
	const registry = new Registry();
	const registers = [registry];
	collectDefaultMetrics({ register: registry });
	new Counter({
		name: "rollcall_requests_total",
		help: "Responses by endpoint and status.",
		labelNames: ["endpoint", "status"],
		registers,
		collect() {
			this.reset();
			for (const [e, endpoint] of ENDPOINT_LABELS.entries()) {
				for (const [s, status] of STATUS_LABELS.entries()) {
					const count = metrics.answers(e, s);
					if (count > 0) this.inc({ endpoint, status: String(status) }, count);
				}
			}
		},
	});
	addWork(registry, metrics);
	addThreadGauges(registry, metrics);
	new Gauge({
		name: "rollcall_huge_page_bytes",
		help: "Bytes of huge pages that files of the newest month were copied into, for all workers.",
		registers,
		collect() {
			this.set(hugePageBytes());
		},
	});
	gauge(
		registry,
		"rollcall_keys_fault",
		"1: the database of keys cannot be read or written, or is not current; 0: it has no fault.",
		() => (keysFault() === null ? 0 : 1),
	);
	addVerification(registry, verification);
	addSignupMetrics(registry, signups);
	new Gauge({
		name: "rollcall_snapshot_age_seconds",
		help: "Time since a published month was built.",
		labelNames: ["snapshot"],
		registers,
		collect() {
			this.reset();
			for (const { month, builtAtMs } of published()) {
				if (builtAtMs !== null) this.set({ snapshot: month }, (nowMs() - builtAtMs) / 1000);
			}
		},
	});
	return registry;
}

function addWork(registry: Registry, metrics: SharedMetrics): void {
	const totals = [
		["rollcall_engine_seconds_total", "Time spent selecting and rendering.", () => metrics.work().seconds],
		[
			"rollcall_engine_answers_total",
			"Responses that needed the engine (304s do not).",
			() => metrics.work().answers,
		],
		["rollcall_rows_total", "License rows sent.", () => metrics.work().rows],
		["rollcall_shed_total", "Requests shed with 503.", () => sum(metrics.gauge("shed"))],
		["rollcall_cut_off_total", "Slow readers cut off.", () => sum(metrics.gauge("cut_off"))],
		["rollcall_failed_keys_total", "Requests with an invalid key.", () => sum(metrics.gauge("failed_keys"))],
		[
			"rollcall_throttled_keys_total",
			"Of these, refused with 429 by the limit per address.",
			() => sum(metrics.gauge("throttled_keys")),
		],
	] as const;
	for (const [name, help, value] of totals) total(registry, name, help, value);
	new Counter({
		name: "rollcall_limited_total",
		help: "Requests refused by a limit, by error code.",
		labelNames: ["code"],
		registers: [registry],
		collect() {
			this.reset();
			for (const [place, code] of LIMIT_LABELS.entries()) this.inc({ code }, metrics.limited(place));
		},
	});
}

function addVerification(registry: Registry, verification: VerifiedMonths): void {
	new Gauge({
		name: "rollcall_snapshots_fenced",
		help: "Months out of service because their files are damaged.",
		registers: [registry],
		collect() {
			this.set(verification.quarantined.length);
		},
	});
	new Gauge({
		name: "rollcall_snapshot_sound",
		help: "1: every byte of the month was read and matches its checksum; 0: it is damaged.",
		labelNames: ["snapshot"],
		registers: [registry],
		collect() {
			this.reset();
			for (const { month } of verification.quarantined) this.set({ snapshot: month }, 0);
			for (const month of verification.sound) this.set({ snapshot: month }, 1);
		},
	});
}

function addThreadGauges(registry: Registry, metrics: SharedMetrics): void {
	const gauges: readonly (readonly [string, string, GaugeName])[] = [
		["rollcall_worker_snapshots", "Months a worker has open.", "snapshots"],
		["rollcall_worker_pending_requests", "Requests whose response is not complete.", "pending"],
		["rollcall_worker_held_bytes", "Response bytes waiting for slow readers.", "held_bytes"],
		[
			"rollcall_worker_render_bytes",
			"Memory in which a worker renders and compresses responses.",
			"render_bytes",
		],
		["rollcall_worker_streams", "Responses of more than 1,000 rows in progress.", "streams"],
		["rollcall_worker_event_loop_lag_seconds", "99th percentile over the last second.", "loop_lag_seconds"],
		["rollcall_worker_heap_bytes", "JavaScript heap in use.", "heap_bytes"],
	];
	for (const [name, help, gauge] of gauges) {
		new Gauge({
			name,
			help,
			labelNames: ["worker"],
			registers: [registry],
			collect() {
				for (const [worker, value] of metrics.gauge(gauge).entries()) {
					this.set({ worker: String(worker) }, value);
				}
			},
		});
	}
}

function sum(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0);
}
