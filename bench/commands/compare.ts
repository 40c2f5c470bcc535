/**
 * `bench compare`: two commits, or the same code with other flags, over the shapes of the benchmark or over HTTP. Exits with 1 where
 * B is slower than A by more than the threshold with its whole interval, where their responses differ, or where one throws.
 */

import { writeFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { openLibrary } from "../../engine/index.js";
import { snapshotFolder } from "../../formats/index.js";
import { prepareCheckout } from "../compare/checkout.js";
import { compareEngines, type EngineComparison } from "../compare/compare-engines.js";
import { type ComparedRequests, compareHttp } from "../compare/compare-http.js";
import type { ReadySide } from "../compare/engine-side.js";
import { comparisonTable, isSlower, requestsTable } from "../compare/report.js";
import { prepareMonth, readAnew } from "../compare/side-data.js";
import { parseSide, type SideText } from "../compare/side-text.js";
import { loadObstacle } from "../http/load.js";
import { thisMachine } from "../report/document.js";
import { type DataFlags, tell, wholeNumber, withDataOptions, withShapeOption } from "./options.js";

export interface CompareFlags extends DataFlags {
	readonly shape: readonly string[];
	readonly rounds: number;
	readonly draws: number;
	readonly threshold: number;
	readonly p99Threshold: number;
	readonly acceptDifferent: boolean;
	readonly acceptRefused: boolean;
	/** Whether servers are compared over HTTP, instead of engines in-process. */
	readonly http: boolean;
	readonly seconds: number;
	readonly json: boolean;
	readonly out?: string;
}

const ROUNDS_MIN = 3;

export function compareCommand(): Command {
	const command = new Command("compare")
		.description("compare two commits, or two sets of flags, by shape; exit 1 where B is slower than A")
		.argument("<a>", "COMMIT or . or the folder of a compiled checkout, and options after commas", parseSide)
		.argument(
			"<b>",
			"the same: --node-flag, VARIABLE=value, data=DIR, node=PATH, server=--flag, no-row-store",
			parseSide,
		)
		.option("--rounds <n>", `processes of each side, at least ${ROUNDS_MIN}; 6 give 95 %`, rounds, 6)
		.option("--draws <n>", "questions of each shape in a round, each asked once", wholeNumber, 100)
		.option("--threshold <ratio>", "p50 of B over A that is too slow", threshold, 1.1)
		.option("--p99-threshold <ratio>", "p99 of B over A that is too slow", threshold, 1.5)
		.option("--accept-different", "compare times though the responses differ", false)
		.option("--accept-refused", "compare the other shapes though a side throws at one", false)
		.option("--http", "compare servers by CPU time a request, instead of engines by shape", false)
		.option("--seconds <n>", "of load a side, question and round, with --http", wholeNumber, 2)
		.option("--out <file>", "write the JSON document to a file")
		.option("--json", "print the JSON document and nothing else", false);
	return withShapeOption(withDataOptions(command)).action(
		async (a: SideText, b: SideText, flags: CompareFlags) => {
			const compared = await compareSides(a, b, flags);
			const machine = thisMachine();
			const { rows, seed, rounds, draws, threshold, p99Threshold } = flags;
			const settings = { a: a.text, b: b.text, rows, seed, rounds, draws, threshold, p99Threshold };
			const text = `${JSON.stringify({ machine, ...settings, ...compared })}\n`;
			if (flags.out !== undefined) writeFileSync(flags.out, text);
			const table = flags.http ? requestsTable(compared.requests) : comparisonTable(compared);
			process.stdout.write(flags.json ? text : `A ${a.text}\nB ${b.text}\n\n${table}\n`);
			process.exitCode = exitCodeOf(compared, flags);
		},
	);
}

export interface SidesComparison extends EngineComparison {
	/** Empty where engines were compared. */
	readonly requests: readonly ComparedRequests[];
}

/** Prepares both sides and compares them. */
export async function compareSides(a: SideText, b: SideText, flags: CompareFlags): Promise<SidesComparison> {
	const obstacle = flags.http ? loadObstacle() : null;
	if (obstacle !== null) throw new Error(obstacle);
	const built = new Map<string, string>();
	const ready: ReadySide[] = [];
	for (const side of [a, b]) {
		const checkout = prepareCheckout(side.checkout, flags.work, tell);
		const data = await prepareMonth(side, checkout, flags, built, tell);
		ready.push({ ...side, folder: checkout.folder, data });
	}
	tell("reading the months anew");
	if (!readAnew(ready.map(({ data }) => monthFolder(data))))
		tell("their files could not be removed from the page cache first: GNU dd is needed for that");
	const sides = [ready[0], ready[1]] as const;
	if (flags.http)
		return { shapes: [], refused: [], requests: await compareHttp(sides, flags, flags.seconds) };
	return { ...(await compareEngines(sides, flags, tell)), requests: [] };
}

/**
 * 1 where a shape or request is slower beyond its threshold, where responses differ or a side throws at a shape unless
 * that is accepted, or where nothing was compared.
 */
export function exitCodeOf(
	{ shapes, requests, refused }: SidesComparison,
	{ acceptDifferent, acceptRefused }: Pick<CompareFlags, "acceptDifferent" | "acceptRefused">,
): 0 | 1 {
	const compared = [...shapes, ...requests];
	if (compared.length === 0 || shapes.some(isSlower)) return 1;
	if (refused.length > 0 && !acceptRefused) return 1;
	if (requests.some(({ cpuUs }) => cpuUs.verdict === "slower")) return 1;
	return acceptDifferent || compared.every(({ sameBytes }) => sameBytes) ? 0 : 1;
}

function monthFolder(dataFolder: string): string {
	const { latest } = openLibrary({ dataFolder });
	if (latest === null) throw new Error(`${dataFolder} has no published month`);
	return snapshotFolder(dataFolder, latest.month);
}

function rounds(value: string): number {
	const number = wholeNumber(value);
	if (number < ROUNDS_MIN) throw new InvalidArgumentError(`expected at least ${ROUNDS_MIN}`);
	return number;
}

function threshold(value: string): number {
	const number = Number(value);
	if (!(number >= 1)) throw new InvalidArgumentError("expected a ratio of at least 1, such as 1.1");
	return number;
}
