/** The HTTP benchmark's results as text. */

import { formatTable } from "../../builder/command-line.js";
import type { Snapshot } from "../../engine/index.js";
import { LOAD_CORE, SERVER_CORE } from "./load.js";
import type { PageParts } from "./page-parts.js";
import type { Outcome, Side, Target } from "./rounds.js";
import type { Soak } from "./soak.js";
import type { Comparison, Measured } from "./workers.js";

const NAME_WIDTH = 44;

export function printOutcomeHead(snapshot: Snapshot): void {
	console.log(
		`${snapshot.month}, ${snapshot.rows.toLocaleString("en-US")} rows; server on core ${SERVER_CORE}, wrk on core ${LOAD_CORE}; ours / constant twin`,
	);
	console.log(
		`${"".padEnd(NAME_WIDTH)}${"requests/s".padStart(19)}${"CPU us/request".padStart(18)}${"p50 ms".padStart(16)}${"p99 ms".padStart(16)}  rate  CPU   p99   target`,
	);
}

export function printOutcome({ name, subject, twin, ratios, target, loadLimits, reached }: Outcome): void {
	const both = (of: (side: Side) => string) => `${of(subject)} / ${of(twin)}`;
	const cells = [
		name.padEnd(NAME_WIDTH),
		both((side) => Math.round(side.rate).toLocaleString("en-US")).padStart(19),
		both((side) => side.cpuUs.toFixed(1)).padStart(18),
		both((side) => (side.p50Us / 1000).toFixed(2)).padStart(16),
		both((side) => (side.p99Us / 1000).toFixed(2)).padStart(16),
		`  ${ratios.rate.toFixed(2)}  ${ratios.cpu.toFixed(2)}  ${ratios.p99.toFixed(2)}  `,
		target === null ? "none" : `${targetText(target, loadLimits)}: ${reached ? "reached" : "NOT reached"}`,
	];
	console.log(cells.join(""));
}

export function printWorkers({ a, b, rateRatio, cpuRatio }: Comparison): void {
	console.log(
		`two workers, the mix repeated: ${ratesText(a)} with one, ${ratesText(b)} with two: ${rateRatio.toFixed(2)} times by the clock, ` +
			"the load on the same cores; computed from the CPU time of a request, two cores of their own would do " +
			`${(2 / cpuRatio).toFixed(2)} times the work of one (wanted: at least 1.8)`,
	);
}

export function printMetrics({ a, b, rateRatio, cpuRatio }: Comparison): void {
	console.log(
		`metrics on, the mix repeated: ${ratesText(a)} without, ${ratesText(b)} with: ${rateRatio.toFixed(2)} times the rate, ` +
			`${cpuRatio.toFixed(2)} times the CPU time`,
	);
}

/** What pages asked once take without HTTP. */
export function printPageParts(parts: readonly PageParts[]): void {
	const head = ["in process, us a page", "select", "render", "render again", "rows", "bytes"];
	const rows = parts.map(({ shape, selectUs, renderUs, renderAgainUs, rows, bytes }) => [
		shape,
		...[selectUs, renderUs, renderAgainUs, rows].map((value) => value.toFixed(1)),
		Math.round(bytes).toLocaleString("en-US"),
	]);
	console.log(`\n${formatTable(head, rows)}`);
}

function ratesText({ rate, cpuUs, loadCores }: Measured): string {
	return `${Math.round(rate).toLocaleString("en-US")}/s (${cpuUs.toFixed(1)} us of CPU each, wrk ${loadCores.toFixed(2)} cores)`;
}

/** One line after each interval of a long run, so that a run that is interrupted has reported something. */
export function printStretch({ requests, rssMib, heapMib }: Soak): void {
	const memory = `resident ${rssMib.at(-1)} MiB, heap ${heapMib.at(-1)} MiB`;
	console.log(`${requests.toLocaleString("en-US")} requests: ${memory}`);
}

export function printSoak({ requests, rssMib, heapMib }: Soak): void {
	console.log(`memory over ${requests.toLocaleString("en-US")} requests, MiB after each stretch:`);
	console.log(`  resident ${rssMib.join(" ")}\n  heap     ${heapMib.join(" ")}`);
}

function targetText(target: Target, loadLimits: boolean): string {
	switch (target.of) {
		case "rate":
			return loadLimits
				? `by CPU time, since the load limits the constant, at least ${target.atLeast}`
				: `rate at least ${target.atLeast}`;
		case "requests":
			return `${target.atLeast.toLocaleString("en-US")}/s at least`;
		case "cpu":
			return `CPU at most ${target.atMost}`;
		case "p99":
			return `p99 at most ${target.atMost}`;
	}
}
