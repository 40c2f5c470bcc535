/** What a thread tells of itself once a second: its load, its event loop, its memory. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { Load } from "../http/load.js";
import type { FailedKeys } from "../keys/failed-keys.js";
import type { Scheduler } from "../scheduler.js";
import type { ThreadMetrics } from "./shared-metrics.js";

const INTERVAL_MS = 1_000;
/** The delay is sampled this often, which is also what an idle loop shows as its delay. */
const RESOLUTION_MS = 10;

export interface GaugeSources {
	readonly load: Load;
	readonly failedKeys: FailedKeys;
	/** Snapshots that are open. */
	readonly snapshots: () => number;
}

/** Starts to tell. Returns what stops it. */
export function reportGauges(
	metrics: ThreadMetrics,
	sources: GaugeSources,
	scheduler: Scheduler,
): () => void {
	const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	delay.enable();
	const tell = () => {
		const { load, failedKeys } = sources;
		metrics.set("snapshots", sources.snapshots());
		metrics.set("pending", load.pending);
		metrics.set("held_bytes", load.heldBytes);
		metrics.set("shed", load.shed);
		metrics.set("cut_off", load.cuts);
		metrics.set("failed_keys", failedKeys.failed);
		metrics.set("throttled_keys", failedKeys.throttled);
		metrics.set("heap_bytes", getHeapStatistics().used_heap_size);
		metrics.set("loop_lag_seconds", Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS) / 1e3);
		delay.reset();
	};
	tell();
	const stop = scheduler.every(INTERVAL_MS, tell);
	return () => {
		stop();
		delay.disable();
	};
}
