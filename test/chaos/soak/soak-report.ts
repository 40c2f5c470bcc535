/** What a soak found: as a JSON document, as a page with charts, and as a few lines. */

import { writeFileSync } from "node:fs";
import { thisMachine } from "../../../bench/report/document.js";
import { type ChartLine, lineChart } from "./line-chart.js";
import type { LoadTotals } from "./load-messages.js";
import type { Growth, MemorySample } from "./memory-growth.js";
import type { Stretch } from "./tally.js";

export interface ToldEvent {
	readonly name: string;
	/** Since the load began, in seconds. */
	readonly fromS: number;
	readonly toS: number;
	readonly told: string;
}

/** One promise, and whether it held. */
export interface Check {
	readonly promise: string;
	readonly held: boolean;
	readonly told: string;
}

export interface SoakReport {
	readonly begunAt: string;
	readonly minutes: number;
	/** False where it was stopped early, or is still running. */
	readonly whole: boolean;
	readonly rows: number;
	readonly workers: number;
	readonly seed: number;
	readonly capacityPerSecond: number;
	readonly offeredPerSecond: number;
	readonly totals: LoadTotals | null;
	readonly checks: readonly Check[];
	readonly faults: readonly string[];
	readonly events: readonly ToldEvent[];
	readonly growth: readonly Growth[];
	readonly stretches: readonly Stretch[];
	readonly memory: readonly MemorySample[];
}

/** Writes `PATH.json` and `PATH.html`. */
export function writeSoakReport(path: string, report: SoakReport): void {
	const document = { machine: thisMachine(), ...report };
	writeFileSync(`${path}.json`, `${JSON.stringify(document, null, "\t")}\n`);
	writeFileSync(`${path}.html`, page(report));
}

/** Load that waited through an event is served within this. */
const CALM_AFTER_S = 30;

/** The outcome in a few lines. */
export function soakSummary(report: SoakReport): string {
	const { checks, faults, totals, stretches, events } = report;
	const held = checks.filter((check) => check.held).length;
	const calm = stretches.filter(({ atS }) =>
		events.every((e) => atS < e.fromS || atS > e.toS + CALM_AFTER_S),
	);
	const worst = (of: readonly Stretch[]) => Math.max(0, ...of.map((stretch) => stretch.p99Ms)).toFixed(1);
	const lines = [
		`${report.minutes.toFixed(1)} minutes, ${report.rows.toLocaleString("en-US")} rows a month, ` +
			`${Math.round(report.offeredPerSecond)} requests a second offered of ${Math.round(report.capacityPerSecond)}`,
		totals === null
			? "no totals"
			: `${totals.answered.toLocaleString("en-US")} answers checked (${totals.questions.toLocaleString("en-US")} different ` +
				`requests): ${totals.wrong} wrong, ${totals.lost} lost, ${totals.sheds} shed, ${totals.cuts} cut off by kills`,
		`p99 of the worst stretch ${worst(stretches)} ms; of the worst away from events ${worst(calm)} ms`,
		...checks.map(({ promise, held, told }) => `${held ? "held" : "NOT HELD"}: ${promise} (${told})`),
		...faults.map((fault) => `fault: ${fault}`),
		held === checks.length ? "nothing lost" : `${checks.length - held} of ${checks.length} promises broken`,
	];
	return lines.join("\n");
}

function page(report: SoakReport): string {
	const { stretches, memory, events } = report;
	const latency = (name: string, of: (stretch: Stretch) => number): ChartLine => ({
		name,
		points: stretches.map((stretch) => [stretch.atS, of(stretch)]),
	});
	const charts = [
		lineChart({
			title: "Latency, milliseconds from when a request was due",
			lines: [
				latency("p50", (s) => s.p50Ms),
				latency("p99", (s) => s.p99Ms),
				latency("longest", (s) => s.maxMs),
			],
			logarithmic: true,
			events,
		}),
		lineChart({
			title: "Answers a second",
			lines: [
				latency("answered", (s) => s.answered / s.seconds),
				latency("shed or cut off", (s) => (s.sheds + s.cuts) / s.seconds),
			],
			logarithmic: false,
			events,
		}),
		lineChart({
			title: "Memory of the serving process, MiB",
			lines: [
				{ name: "resident, mapped months included", points: memory.map((m) => [m.atS, m.residentMib]) },
				{ name: "anonymous", points: memory.map((m) => [m.atS, m.anonymousMib]) },
			],
			logarithmic: false,
			events,
		}),
	];
	const rows = (cells: readonly (readonly string[])[]) =>
		cells.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`).join("\n");
	return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Soak of ${escaped(report.begunAt)}</title>
<style>body{font:15px sans-serif;margin:2em auto;max-width:1080px;color:#222}td{padding:2px 14px 2px 0;vertical-align:top}pre{white-space:pre-wrap}</style>
<h1>Soak of ${escaped(report.begunAt)}${report.whole ? "" : ", not whole"}</h1>
<pre>${escaped(soakSummary(report))}</pre>
${charts.join("\n")}
<h2>Events</h2>
<table>${rows(events.map(({ name, fromS, toS, told }) => [`${fromS.toFixed(0)}–${toS.toFixed(0)} s`, name, told]))}</table>
<h2>Memory after warm-up</h2>
<table>${rows(
		report.growth.map((g) => [
			`${g.fromS.toFixed(0)}–${g.toS.toFixed(0)} s`,
			`${g.medianMib.toFixed(0)} MiB anonymous`,
			`${g.mibPerHour.toFixed(1)} MiB an hour`,
			g.grows ? "grows" : "stays",
		]),
	)}</table>
</html>
`;
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
