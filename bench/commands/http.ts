/**
 * `bench http`: throughput of the server on one core, as a ratio to a constant twin in the same process;
 * scaling to a second worker; the cost of metrics; memory over a long run.
 */

import { Command, InvalidArgumentError } from "commander";
import { openLibrary, type Snapshot } from "../../engine/index.js";
import { loadObstacle } from "../http/load.js";
import { measurePageParts } from "../http/page-parts.js";
import {
	printMetrics,
	printOutcome,
	printOutcomeHead,
	printPageParts,
	printSoak,
	printStretch,
	printWorkers,
} from "../http/report.js";
import { runScenario } from "../http/rounds.js";
import { scenariosOf } from "../http/scenarios.js";
import { runSoak } from "../http/soak.js";
import { TwinProcess } from "../http/twin-process.js";
import { compareMetrics, compareWorkers } from "../http/workers.js";
import { thisMachine } from "../report/document.js";
import { httpResults, putResults, RESULTS_FORMAT, thisRun } from "../report/results.js";
import { type ResultsFlags, withResultsOptions } from "./options.js";

/** Of the pages whose parts are measured in this process. */
const PARTS_SEED = 20_262;

interface HttpOptions extends ResultsFlags {
	readonly data: string;
	readonly rounds: number;
	readonly seconds: number;
	readonly only?: string;
	readonly soak: number;
	readonly json?: true;
}

/** Returns the command; the caller adds it to its program. */
export function httpCommand(): Command {
	const command = new Command("http")
		.description("requests per second over HTTP, as ratios to a constant twin in the same process")
		.option("--data <dir>", "data folder with the month to serve (its newest)", "./data")
		.option("--rounds <n>", "rounds; the median counts", wholeNumber, 5)
		.option("--seconds <n>", "seconds of load a side and round", wholeNumber, 2)
		.option("--only <text>", "run the measurements whose name contains this")
		.option("--soak <n>", "also send this many requests and watch memory", wholeNumber, 0)
		.option("--json", "print one JSON document");
	return withResultsOptions(command).action(run);
}

async function run(options: HttpOptions): Promise<void> {
	const obstacle = loadObstacle();
	if (obstacle !== null) throw new Error(obstacle);
	const snapshot = latestOf(options.data);
	const wanted = (name: string) => options.only === undefined || name.includes(options.only);
	const quiet = options.json === true;
	const outcomes = [];
	const process = await TwinProcess.start({ dataFolder: options.data, workers: 1, pin: true });
	let soak = null;
	try {
		const scenarios = scenariosOf(process, snapshot).filter(({ name }) => wanted(name));
		if (!quiet && scenarios.length > 0) printOutcomeHead(snapshot);
		for (const scenario of scenarios) {
			const outcome = await runScenario(process, await scenario.build(), options.rounds, options.seconds);
			outcomes.push(outcome);
			if (!quiet) printOutcome(outcome);
		}
		if (options.soak > 0)
			soak = await runSoak(process, snapshot, options.soak, quiet ? () => undefined : printStretch);
	} finally {
		await process.stop();
	}
	if (options.results !== undefined && outcomes.length > 0) {
		const http = httpResults(outcomes, snapshot.rows, thisRun(new Date()));
		const machine = { name: options.machine, ...thisMachine() };
		putResults(options.results, { format: RESULTS_FORMAT, machine, engine: null, http });
	}
	const workers = wanted("two workers") ? await compareWorkers(options, snapshot) : null;
	const metrics = wanted("metrics on") ? await compareMetrics(options, snapshot) : null;
	const parts = wanted("pages asked once") ? measurePageParts(snapshot, PARTS_SEED) : null;
	if (quiet) {
		const document = { month: snapshot.month, rows: snapshot.rows, outcomes, workers, metrics, parts, soak };
		globalThis.process.stdout.write(`${JSON.stringify(document)}\n`);
		return;
	}
	if (workers !== null) printWorkers(workers);
	if (metrics !== null) printMetrics(metrics);
	if (parts !== null) printPageParts(parts);
	if (soak !== null) printSoak(soak);
}

function latestOf(dataFolder: string): Snapshot {
	const { latest } = openLibrary({ dataFolder });
	if (latest === null) throw new Error(`${dataFolder} has no published month`);
	return latest;
}

function wholeNumber(text: string): number {
	if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("must be a whole number");
	return Number(text);
}
