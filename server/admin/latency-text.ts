/**
 * The latency histogram in Prometheus' text format. Not by prom-client, whose histograms only accept single
 * observations, while these values are counted by other threads.
 */

import { ENDPOINT_LABELS, LATENCY_BOUNDS_S, type SharedMetrics } from "./thread-metrics.js";

const NAME = "rollcall_request_duration_seconds";
const HEAD =
	`# HELP ${NAME} From a request's head to its answer being handed to the socket, by endpoint.\n` +
	`# TYPE ${NAME} histogram\n`;

/** The metric, with a final newline. Endpoints without responses are omitted. */
export function latencyText(metrics: SharedMetrics): string {
	let text = HEAD;
	for (const [place, endpoint] of ENDPOINT_LABELS.entries()) {
		const { buckets, sumSeconds } = metrics.latency(place);
		let within = 0;
		let lines = "";
		for (const [i, inBucket] of buckets.entries()) {
			within += inBucket;
			lines += `${NAME}_bucket{endpoint="${endpoint}",le="${LATENCY_BOUNDS_S[i] ?? "+Inf"}"} ${within}\n`;
		}
		if (within === 0) continue;
		text += `${lines}${NAME}_sum{endpoint="${endpoint}"} ${sumSeconds}\n${NAME}_count{endpoint="${endpoint}"} ${within}\n`;
	}
	return text;
}
