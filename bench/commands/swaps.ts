/** `bench swaps`: how long hot swaps of full-size months hold the threads that serve. */

import { join } from "node:path";
import { Command } from "commander";
import { formatTable } from "../../builder/command-line.js";
import { monthNumber, monthOfNumber } from "../../formats/index.js";
import { DEFAULT_MONTH, openSnapshot, prepareData } from "../data/bench-month.js";
import { DistinctPaths, PAGE_SHAPES, Values } from "../http/requests.js";
import { median } from "../http/rounds.js";
import { CHANGES, measureSwaps, type Swap } from "../swaps/measure-swaps.js";
import { another, type DataFlags, tell, wholeNumber, withDataOptions } from "./options.js";

interface SwapsFlags extends DataFlags {
	readonly workers: number;
	readonly rounds: number;
	readonly nodeFlag: readonly string[];
}

const ONE_ROW = "/v1/licenses?limit=1&fields=id";
/** Paths for each change, more than are asked meanwhile: none is asked twice. */
const PATHS_EACH = 15_000;
const RUN_MS_MAX = 5;
const SPREAD_MS_MAX = 100;

export function swapsCommand(): Command {
	const command = new Command("swaps")
		.description("retire and restore the newest month under a server; print how long its threads were held")
		.option("--workers <n>", "threads that serve", wholeNumber, 1)
		.option("--rounds <n>", "retirements and restorations of each load", wholeNumber, 8)
		.option("--node-flag <flag>", "flag of the Node that serves; may be given several times", another, []);
	return withDataOptions(command).action(async (flags: SwapsFlags) => {
		const older = monthOfNumber(monthNumber(DEFAULT_MONTH) - 1);
		// A folder of its own, since the default size's folder holds one month.
		const work = join(flags.work, "months-2");
		const data = await prepareData({ ...flags, work, months: [older, DEFAULT_MONTH] }, tell);
		const values = new Values(openSnapshot(data), flags.seed);
		const drawn = new DistinctPaths(PAGE_SHAPES, values).next(
			(CHANGES.length * flags.rounds + 2) * PATHS_EACH,
		);
		const drawnPath = () => {
			const path = drawn.pop();
			if (path === undefined) throw new Error("more requests than paths: raise PATHS_EACH");
			return path;
		};
		const loads = { "one row": () => ONE_ROW, pages: drawnPath };
		const options = { threads: flags.workers, rounds: flags.rounds, nodeFlags: flags.nodeFlag };
		for (const [load, paths] of Object.entries(loads))
			process.stdout.write(report(load, await measureSwaps(data, paths, options)));
		process.exit(0);
	});
}

function report(load: string, swaps: readonly Swap[]): string {
	const head = [
		load,
		"",
		"longest hold",
		"without waiting for a core",
		"most processor time",
		"longest response",
		"spread",
	];
	const rows = CHANGES.map((change) => {
		const these = swaps.filter((swap) => swap.change === change);
		const cell = (of: (swap: Swap) => number) =>
			`${median(these.map(of)).toFixed(1)} (${Math.max(...these.map(of)).toFixed(1)})`;
		return [
			change,
			String(these.length),
			cell(({ longestHoldMs }) => longestHoldMs),
			cell(({ longestNetHoldMs }) => longestNetHoldMs),
			cell(({ longestRunMs }) => longestRunMs),
			cell(({ longestResponseMs }) => longestResponseMs),
			cell(({ spreadMs }) => spreadMs),
		];
	});
	const swapped = swaps.filter(({ change }) => change !== "none");
	const run = median(swapped.map(({ longestRunMs }) => longestRunMs));
	const spread = Math.max(...swapped.map(({ spreadMs }) => spreadMs));
	return `${formatTable(head, rows)}\nms, median (greatest); processor time of a hold ${run.toFixed(1)}, at most ${RUN_MS_MAX}: ${reached(run <= RUN_MS_MAX)}; spread ${spread.toFixed(1)}, at most ${SPREAD_MS_MAX}: ${reached(spread <= SPREAD_MS_MAX)}\n\n`;
}

function reached(is: boolean): string {
	return is ? "reached" : "NOT reached";
}
