/** `builder synth`: realistic synthetic drops. */

import { Presets, SingleBar } from "cli-progress";
import { Command, InvalidArgumentError } from "commander";
import { isMonth, MAX_ROWS, monthNumber, monthOfNumber } from "../../formats/index.js";
import { formatBytes, formatTable, printJson } from "../command-line.js";
import { BuildError } from "../errors.js";
import { LAST_MONTH, type SynthesizeOptions } from "./options.js";

interface Flags {
	readonly rows: number;
	readonly months: readonly string[];
	readonly seed: number;
	readonly out: string;
	readonly agentCount: boolean;
	readonly json: boolean;
}

/** The subcommand, to be added to a program. Its action throws BuildError; see synthesize() in index.ts. */
export function synthCommand(): Command {
	return new Command("synth")
		.description("make realistic synthetic monthly drops; the same seed gives the same bytes")
		.requiredOption("--rows <n>", "rows of every month", parseRows)
		.requiredOption("--months <months>", "YYYY-MM or YYYY-MM..YYYY-MM, several parted by commas", parseMonths)
		.option("--seed <n>", "whole number that, with rows and month, decides every byte", parseSeed, 1)
		.requiredOption("--out <dir>", "folder of the drops, made where it does not exist")
		.option("--no-agent-count", "leave out the column agent_count")
		.option("--json", "print one JSON document", false)
		.action(async (flags: Flags) => {
			// Loaded on demand: names and places take half a second.
			const { synthesize } = await loadSynthesizer();
			const startedMs = performance.now();
			const { files } = await withProgress(flags, synthesize);
			if (flags.json) return printJson({ files });
			const lines = files.map(({ path, rows, bytes }) => [path, rows, formatBytes(bytes)]);
			const seconds = (performance.now() - startedMs) / 1000;
			process.stdout.write(
				`${formatTable(["drop", "rows", "size"], lines)}\n\ndone in ${seconds.toFixed(1)} s\n`,
			);
		});
}

/** The synthesizer. Names and places come from optional packages; throws BuildError if they are not installed. */
async function loadSynthesizer(): Promise<typeof import("./index.js")> {
	try {
		return await import("./index.js");
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
		const [cause] = message.split("\n");
		const remedy = "install without --omit=optional, which leaves out @faker-js/faker and zipcodes";
		throw new BuildError("missing_package", `${cause}: ${remedy}`);
	}
}

function parseRows(text: string): number {
	const rows = Number(text);
	if (!/^\d+$/.test(text) || rows < 1 || rows > MAX_ROWS)
		throw new InvalidArgumentError(`expected a whole number from 1 to ${MAX_ROWS}`);
	return rows;
}

function parseSeed(text: string): number {
	const seed = Number(text);
	if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(seed))
		throw new InvalidArgumentError("expected a whole number");
	return seed;
}

function parseMonths(text: string): string[] {
	const months = text.split(",").flatMap((part) => {
		const [first, last = first, ...more] = part.split("..");
		if (more.length > 0 || !isMonth(first) || !isMonth(last) || last < first || last > LAST_MONTH)
			throw new InvalidArgumentError(`expected YYYY-MM or YYYY-MM..YYYY-MM, 2000-01 to ${LAST_MONTH}`);
		const count = monthNumber(last) - monthNumber(first) + 1;
		return Array.from({ length: count }, (_, i) => monthOfNumber(monthNumber(first) + i));
	});
	if (new Set(months).size < months.length) throw new InvalidArgumentError("a month is given twice");
	return months;
}

/** Runs `work` with a progress bar on stderr if it is a terminal. */
async function withProgress<T>(flags: Flags, work: (options: SynthesizeOptions) => Promise<T>): Promise<T> {
	const { rows, months, seed, out, agentCount } = flags;
	const options: SynthesizeOptions = { rows, months, seed, out, agentCount };
	if (flags.json || !process.stderr.isTTY) return work(options);
	const format = "synth {bar} {percentage}% {value}/{total} rows";
	const bar = new SingleBar({ format, stream: process.stderr }, Presets.shades_classic);
	bar.start(rows * months.length, 0);
	return work({ ...options, onProgress: (done) => bar.update(done) }).finally(() => bar.stop());
}
