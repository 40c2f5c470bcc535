/** Operators find every metric of the server in docs/METRICS.md, in the words of `/metrics`, and no other. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { addPuller, addShared } from "../../server/admin/host-metrics.js";
import { latencyText } from "../../server/admin/latency-text.js";
import { createRegistry } from "../../server/admin/registry.js";
import { SharedMetrics } from "../../server/admin/thread-metrics.js";

const DOCUMENT = new URL("../../../docs/METRICS.md", import.meta.url);

/** Name, type, labels and meaning. */
type Row = readonly string[];

/** Metrics without a process's own, which start with `process_` and `nodejs_`. */
function registeredRows(metrics: SharedMetrics): Row[] {
	const unread = () => assert.fail("no value is read");
	const verification = { quarantined: [], sound: [] };
	const registry = createRegistry({
		metrics,
		published: unread,
		keysFault: unread,
		verification,
		signups: unread,
		nowMs: unread,
	});
	addPuller(registry, unread);
	addShared(registry, unread);
	return registry
		.getMetricsAsArray()
		.map((metric) => ({ labelNames: [] as readonly string[], ...metric }))
		.filter(({ name }) => name.startsWith("rollcall_"))
		.map(({ name, type, labelNames, help }) => [name, String(type), labelNames.join(", ") || "–", help]);
}

/** The histogram of latencies, which has lines of its own. */
function latencyRow(metrics: SharedMetrics): Row {
	const [, name, help] = /^# HELP (\S+) (.+)$/m.exec(latencyText(metrics)) ?? [];
	const [, type] = /^# TYPE \S+ (\S+)$/m.exec(latencyText(metrics)) ?? [];
	return [name, type, "endpoint, le", help];
}

function documentedRows(): Row[] {
	const lines = readFileSync(DOCUMENT, "utf8").split("\n");
	return lines
		.filter((line) => line.startsWith("| `"))
		.map((line) => line.split("|").slice(1, -1))
		.map((cells) => cells.map((cell) => cell.trim().replaceAll("`", "")));
}

test("every metric is in a table of docs/METRICS.md", () => {
	const metrics = SharedMetrics.allocate(1);
	const rows = [...registeredRows(metrics), latencyRow(metrics)];
	const sorted = (each: Row[]) => each.map((row) => row.join(" | ")).sort();
	assert.deepEqual(sorted(documentedRows()), sorted(rows));
});
