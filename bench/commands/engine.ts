/** `bench engine`: asks the engine and the peers every shape and compares every answer. */

import { Command } from "commander";
import type { Snapshot } from "../../engine/index.js";
import { snapshotFolder } from "../../formats/index.js";
import { DEFAULT_MONTH, openSnapshot, prepareData } from "../data/bench-month.js";
import { readFiles } from "../data/read-files.js";
import { Bounds } from "../measure/bounds.js";
import { MemoryAccess } from "../measure/memory-access.js";
import { runShape, type ShapeFigures } from "../measure/run-shape.js";
import { milliseconds, type Percentiles } from "../measure/samples.js";
import { warmSides } from "../measure/warm-sides.js";
import { openPeers, type PeerName } from "../peers/open-peers.js";
import type { Peer } from "../peers/peer.js";
import { writeChart } from "../report/chart.js";
import { type BenchDocument, compareWithBaseline, thisMachine, writeDocument } from "../report/document.js";
import {
	engineResults,
	type MachineResults,
	putResults,
	RESULTS_FORMAT,
	thisRun,
} from "../report/results.js";
import { baselineTable, shapeTable } from "../report/table.js";
import { allShapes } from "../shapes/index.js";
import {
	type DataFlags,
	type ResultsFlags,
	tell,
	wholeNumber,
	withDataOptions,
	withPeersOption,
	withResultsOptions,
	withShapeOption,
} from "./options.js";

interface EngineFlags extends DataFlags, ResultsFlags {
	readonly peers: readonly PeerName[];
	readonly shape: readonly string[];
	readonly draws: number;
	readonly peerSeconds: number;
	readonly out?: string;
	readonly chart?: string;
	readonly baseline?: string;
	readonly json: boolean;
}

export function engineCommand(): Command {
	const command = new Command("engine")
		.description("ask the engine and the peers every shape; a wrong answer fails the run")
		.option("--draws <n>", "different questions of each shape, each asked once", wholeNumber, 200)
		.option("--peer-seconds <n>", "most seconds one peer is asked one shape", wholeNumber, 10)
		.option("--out <file>", "write the JSON document to a file")
		.option("--chart <file>", "write the chart as SVG to a file")
		.option("--baseline <file>", "compare with the JSON document of an earlier run")
		.option("--json", "print the JSON document and nothing else", false);
	withResultsOptions(withPeersOption(withShapeOption(withDataOptions(command))));
	return command.action(async (flags: EngineFlags) => {
		const document = await measureEngine(flags);
		if (flags.results !== undefined) tell(putResults(flags.results, resultsOf(document, flags.machine)));
		if (flags.out !== undefined) writeDocument(flags.out, document);
		if (flags.chart !== undefined) writeChart(flags.chart, document);
		if (flags.json) process.stdout.write(`${JSON.stringify(document)}\n`);
		else print(document, flags.baseline);
	});
}

/** Runs the shapes that `flags` select. Throws WrongAnswer where an answer differs. */
async function measureEngine(flags: EngineFlags): Promise<BenchDocument> {
	const data = await prepareData({ ...flags, months: [DEFAULT_MONTH] }, tell);
	const snapshot = openSnapshot(data);
	const unmeasured = openSnapshot(data);
	for (const each of [snapshot, unmeasured]) precompute(each);
	const outcomes = await openPeers(flags.peers, data, snapshot, tell);
	const peers: Peer[] = outcomes.flatMap((o) => ("peer" in o ? [o.peer] : []));
	const shapes: ShapeFigures[] = [];
	readFiles([snapshotFolder(data.dataFolder, snapshot.month)]);
	const access = MemoryAccess.open(data.dataFolder, snapshot.month, flags.seed);
	const options = { ...flags, access, bounds: new Bounds(unmeasured) };
	try {
		await warmSides(unmeasured, flags.seed, peers);
		for (const shape of allShapes(snapshot, flags.seed, flags.shape)) {
			const figures = await runShape(shape, snapshot, () => openSnapshot(data), peers, options);
			tell(
				`${shape.name}: ${[{ name: "engine", ...figures.engine }, ...figures.peers].map(toldLatency).join("; ")}`,
			);
			shapes.push(figures);
		}
		for (const peer of peers) {
			const times = peer.reprepared?.() ?? null;
			if (times !== null) tell(`${peer.name}: prepared statements were planned again ${times} times`);
		}
	} finally {
		for (const peer of peers) await peer.close();
	}
	return {
		machine: thisMachine(),
		rows: snapshot.rows,
		seed: flags.seed,
		digest: snapshot.digest,
		peers: peers.map(({ name, version }) => ({ name, version })),
		skipped: outcomes.flatMap((o) => ("skipped" in o ? [{ name: o.name, reason: o.skipped }] : [])),
		shapes,
	};
}

/** Precomputes what a server's warm-up does. */
function precompute(snapshot: Snapshot): void {
	for (const _ of snapshot.precompute());
}

/** A run's figures as they are kept in the document of this machine. */
export function resultsOf(document: BenchDocument, machine: string): MachineResults {
	const engine = engineResults(document, thisRun(new Date()));
	return { format: RESULTS_FORMAT, machine: { name: machine, ...document.machine }, engine, http: null };
}

/** Latency of one side as a progress message shows it. */
function toldLatency({ name, n, p50, p99 }: Percentiles & { readonly name: string }): string {
	return `${name} p50 ${milliseconds(p50)} ms, p99 ${milliseconds(p99)} ms of ${n}`;
}

/** What was measured, in one line. */
export function headOf(rows: number, peers: number): string {
	const compared = peers === 0 ? "no answer compared" : "every answer compared with the peers'";
	return `${rows.toLocaleString("en-US")} rows, milliseconds a response, each question asked once, ${compared}`;
}

function print(document: BenchDocument, baseline: string | undefined): void {
	const lines = [
		headOf(document.rows, document.peers.length),
		`peers: ${document.peers.map((p) => `${p.name} ${p.version}`).join(", ") || "none asked"}`,
		...document.skipped.map(({ name, reason }) => `skipped ${name}: ${reason}`),
		"",
		shapeTable(document.shapes),
	];
	if (baseline !== undefined) lines.push("", baselineTable(compareWithBaseline(baseline, document)));
	process.stdout.write(`${lines.join("\n")}\n`);
}
