/** Gauges of one thread, sampled once a second: load, event loop delay, memory. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { Load } from "../http/load.js";
import type { AddressLimit } from "../limits/address-limit.js";
import type { Scheduler } from "../scheduler.js";
import type { ThreadMetrics } from "./thread-metrics.js";

const INTERVAL_MS = 1_000;
/** Sampling interval of the delay histogram, and so the delay that an idle loop shows. */
const RESOLUTION_MS = 10;

export interface GaugeSources {
	readonly load: Load;
	readonly failedKeys: AddressLimit;
	/** Number of open snapshots. */
	readonly snapshots: () => number;
	/** Bytes of memory that answers are rendered and compressed in. */
	readonly renderBytes: () => number;
	/** Long answers in progress. */
	readonly streams: () => number;
}

/** Starts sampling. Returns the function that stops it. */
export function reportGauges(
	metrics: ThreadMetrics,
	sources: GaugeSources,
	scheduler: Scheduler,
): () => void {
	const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	delay.enable();
	const sample = () => {
		const { load, failedKeys } = sources;
		metrics.set("snapshots", sources.snapshots());
		metrics.set("pending", load.pending);
		metrics.set("render_bytes", sources.renderBytes());
		metrics.set("streams", sources.streams());
		metrics.set("held_bytes", load.heldBytes);
		metrics.set("shed", load.shed);
		metrics.set("cut_off", load.cuts);
		metrics.set("failed_keys", failedKeys.counted);
		metrics.set("throttled_keys", failedKeys.refused);
		metrics.set("heap_bytes", getHeapStatistics().used_heap_size);
		metrics.set("loop_lag_seconds", Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS) / 1e3);
		delay.reset();
	};
	sample();
	const stop = scheduler.every(INTERVAL_MS, sample);
	return () => {
		stop();
		delay.disable();
	};
}
