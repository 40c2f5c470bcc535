/**
 * `bench runtimes`: requests per second of CPU time over node:net on other Nodes, against uWebSockets.js on this
 * one and against a bare node:http handler on each; the same of one worker and two; and the time from a server's start to
 * its first answer over many months.
 */

import { execFileSync } from "node:child_process";
import { Command, Option } from "commander";
import { formatTable } from "../../builder/command-line.js";
import { openLibrary } from "../../engine/index.js";
import { monthNumber, monthOfNumber } from "../../formats/index.js";
import { findUws } from "../../server/http/uws-library.js";
import { DEFAULT_MONTH, DEFAULT_WORK_FOLDER, prepareData } from "../data/bench-month.js";
import { compareServers, comparisonRows } from "../http/compare-servers.js";
import { loadObstacle, SERVER_CORE } from "../http/load.js";
import { DEFAULT_PAGE, ONE_BY_ID, pathsOf, Values } from "../http/requests.js";
import { ServerSide } from "../http/server-side.js";
import { tell, wholeNumber, wholeNumberOrNone } from "./options.js";

interface RuntimesFlags {
	readonly data?: string;
	readonly node: readonly string[];
	readonly rounds: number;
	readonly seconds: number;
	readonly months: number;
	readonly monthRows: number;
	readonly work: string;
	readonly only: readonly Part[];
}

const PARTS = ["rates", "bare", "workers", "first"] as const;
type Part = (typeof PARTS)[number];

const SEED = 7;
const ROWS_ASKED = 50_000;
/** Starts of each Node; the median counts. */
const STARTS = 5;
const FIRST_PATH = "/v1/licenses";

export function runtimesCommand(): Command {
	return new Command("runtimes")
		.description(
			"compare Nodes: requests per CPU second, a bare handler, two workers with one, and the time to a first answer",
		)
		.option("--data <dir>", "data folder with the month to compare rates over; none: only first answers")
		.option("--node <path...>", "Nodes to compare with this one", [])
		.option("--rounds <n>", "starts of the servers compared; the median counts", wholeNumber, 5)
		.option("--seconds <n>", "seconds of load a side and round", wholeNumber, 2)
		.option("--months <n>", "months that a first answer is timed over; 0: none", wholeNumberOrNone, 24)
		.option("--month-rows <n>", "rows of each of these months", wholeNumber, 20_000)
		.addOption(
			new Option("--only <part...>", "parts to measure").choices(PARTS).default(PARTS, PARTS.join(" ")),
		)
		.option("--work <dir>", "folder that data is kept in from run to run", DEFAULT_WORK_FOLDER)
		.action(async (flags: RuntimesFlags) => {
			const obstacle = loadObstacle();
			if (obstacle !== null) throw new Error(obstacle);
			const measured = (part: Part) => flags.only.includes(part);
			if (flags.data !== undefined) {
				if (measured("rates")) await printRates(flags, flags.data);
				if (measured("bare")) await printBare(flags, flags.data);
				if (measured("workers")) await printWorkers(flags, flags.data);
			}
			if (flags.months > 0 && measured("first")) await printFirstAnswers(flags);
		});
}

function questionsOf(data: string): Map<string, readonly string[]> {
	const { latest } = openLibrary({ dataFolder: data });
	if (latest === null) throw new Error(`${data} has no published month`);
	const values = new Values(latest, SEED);
	return new Map([
		["default page", [DEFAULT_PAGE.path(values)]],
		["one row by id", pathsOf(ONE_BY_ID, values, ROWS_ASKED)],
	]);
}

async function printRates(flags: RuntimesFlags, data: string): Promise<void> {
	const shared = { dataFolder: data, core: SERVER_CORE };
	const here = { ...shared, name: `${process.version} as installed`, node: process.execPath };
	const sides = [
		{ ...here, flags: ["--workers", "1"] },
		...[process.execPath, ...flags.node].map((node) => ({
			...shared,
			name: `${node} node:net`,
			node,
			flags: ["--workers", "1", "--transport", "node"],
		})),
	];
	const compared = await compareServers(sides, questionsOf(data), flags);
	const names = sides.map(({ name }) => name);
	print(
		["requests per CPU second", ...names, ...names.slice(1).map((name) => `${name}, ratio to the first`)],
		comparisonRows(compared),
	);
}

/** What a request over node:net costs, of what it costs a bare node:http handler on that Node that sends as many bytes. */
async function printBare(flags: RuntimesFlags, data: string): Promise<void> {
	const rows: string[][] = [];
	for (const [what, paths] of questionsOf(data)) {
		const bytes = await bytesOf(data, paths[0]);
		for (const node of [process.execPath, ...flags.node]) {
			const shared = { node, core: SERVER_CORE };
			const sides = [
				{ ...shared, name: "node:net", dataFolder: data, flags: ["--workers", "1", "--transport", "node"] },
				{ ...shared, name: "bare node:http", library: "http" as const, threads: 1, bytes },
			];
			const [row] = comparisonRows(await compareServers(sides, new Map([[what, paths]]), flags));
			rows.push([versionOf(node), ...row]);
		}
	}
	// A ratio of rates to the first is the first's cost, of the other's.
	print(["requests per CPU second", "", "node:net", "bare node:http", "cost of ours, of the bare"], rows);
}

function versionOf(node: string): string {
	return execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
}

/**
 * The same ratio of constant answers of as many bytes stands beside ours: on two cores that also run the load, even
 * those do less than twice the work.
 */
async function printWorkers(flags: RuntimesFlags, data: string): Promise<void> {
	for (const node of [process.execPath, ...flags.node]) {
		const rows: string[][] = [];
		for (const [what, paths] of questionsOf(data)) {
			const bytes = await bytesOf(data, paths[0]);
			const workers = [1, 2];
			const ours = workers.map((n) => ({
				name: `${node}, ${n} workers`,
				dataFolder: data,
				core: null,
				node,
				flags: ["--workers", String(n)],
			}));
			// Over uWebSockets.js only, on the Node that has it.
			const here = "file" in findUws() ? workers : [];
			const constants = here.map((threads) => ({
				name: `constant, ${threads} threads`,
				node: process.execPath,
				library: "uws" as const,
				threads,
				bytes,
				core: null,
			}));
			const questions = new Map([[what, paths]]);
			const compared = await compareServers([...ours, ...constants], questions, flags);
			const [one, two, constantOne, constantTwo] = compared[0].perCpuSecond;
			const shown = [(2 * two) / one, (2 * constantTwo) / constantOne].map((times) =>
				Number.isNaN(times) ? "–" : times.toFixed(2),
			);
			rows.push([what, ...shown]);
		}
		const head = `${node}: work of two workers on two cores over that of one on one, computed from the CPU time of a request`;
		print([head, "times", "constant answers"], rows);
	}
}

/** Bytes of an answer's body. */
async function bytesOf(dataFolder: string, path: string): Promise<number> {
	const server = await ServerSide.start({
		name: "sizes",
		dataFolder,
		core: null,
		node: process.execPath,
		flags: ["--workers", "1"],
	});
	try {
		const { authorization } = server;
		const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { authorization } });
		if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
		return (await answer.arrayBuffer()).byteLength;
	} finally {
		await server.stop();
	}
}

async function printFirstAnswers(flags: RuntimesFlags): Promise<void> {
	const last = monthNumber(DEFAULT_MONTH);
	const months = Array.from({ length: flags.months }, (_, i) => monthOfNumber(last - i));
	const work = `${flags.work}/first-answer-${flags.months}`;
	const { dataFolder } = await prepareData(
		{ rows: flags.monthRows, seed: SEED, months, rowStore: false, work },
		tell,
	);
	const rows: string[][] = [];
	for (const node of [process.execPath, ...flags.node]) {
		const tookMs: number[] = [];
		for (let i = 0; i < STARTS; i++) {
			const options = { name: node, dataFolder, node, flags: ["--workers", "2"], core: null };
			const server = await ServerSide.start(options);
			try {
				await server.untilServing(FIRST_PATH);
				tookMs.push(performance.now() - server.startedMs);
			} finally {
				await server.stop();
			}
		}
		tookMs.sort((a, b) => a - b);
		rows.push([node, ...[tookMs[STARTS >> 1], tookMs[STARTS - 1]].map((ms) => `${Math.round(ms)} ms`)]);
	}
	print([`first answer over ${flags.months} months of ${flags.monthRows} rows`, "median", "longest"], rows);
}

function print(head: readonly string[], rows: readonly string[][]): void {
	process.stdout.write(`${formatTable([...head], rows)}\n\n`);
}
