/**
 * `npm run chaos -- soak`: the command line of the soak. Progress goes to stderr, the summary to
 * stdout, the report to `--report PATH` as PATH.json and PATH.html. SIGTERM and SIGINT end it early
 * with a report of what was seen so far.
 *
 * Exit code 0 where every promise held, 1 where one did not, 2 for a usage error.
 */

import { mkdirSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { runSoak } from "./soak.js";
import { soakSummary, writeSoakReport } from "./soak-report.js";

interface Flags {
	readonly minutes: number;
	readonly rows: number;
	readonly share: number;
	readonly workers: number;
	readonly connections: number;
	readonly seed: number;
	readonly data: string;
	readonly report: string;
}

function positive(text: string): number {
	const value = Number(text);
	if (!(value > 0) || value > 1e9) throw new InvalidArgumentError("must be a number above 0");
	return value;
}

function whole(text: string): number {
	if (!/^\d{1,9}$/.test(text) || Number(text) === 0)
		throw new InvalidArgumentError("must be a whole number above 0");
	return Number(text);
}

const program = new Command("soak")
	.description("steady load on a real server, every answer checked, while everything happens to it")
	.option("--minutes <n>", "how long", positive, 60)
	.option("--rows <n>", "rows of each of three months", whole, 1_000_000)
	.option("--share <n>", "offered load, as a share of the capacity that is measured first", positive, 0.8)
	.option("--workers <n>", "serving threads", whole, availableParallelism())
	.option("--connections <n>", "client connections", whole, 64)
	.option("--seed <n>", "seed of rows and requests", whole, 20_261_121)
	.option("--data <dir>", "folder that months are made in, and used again", join(tmpdir(), "rollcall-soak"))
	.option("--report <path>", "path of the report without its ending", "soak")
	.exitOverride();

async function run(flags: Flags): Promise<number> {
	mkdirSync(flags.data, { recursive: true });
	const stop = new AbortController();
	for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());
	const begunMs = performance.now();
	const report = await runSoak({
		...flags,
		work: resolve(flags.data),
		measureSeconds: flags.minutes >= 2 ? 15 : 4,
		stock: flags.minutes >= 2 ? 16_384 : 2_048,
		freshPerSecond: 100,
		stopped: stop.signal,
		told: (message) =>
			process.stderr.write(`[${((performance.now() - begunMs) / 1000).toFixed(1)} s] ${message}\n`),
	});
	writeSoakReport(flags.report, report);
	process.stdout.write(`${soakSummary(report)}\nreport: ${flags.report}.json and ${flags.report}.html\n`);
	return report.checks.every((check) => check.held) ? 0 : 1;
}

/** Runs a soak as `argv` says. Resolves to the exit code. */
export async function soakCommand(argv: readonly string[]): Promise<number> {
	try {
		return await run(program.parse(argv, { from: "user" }).opts<Flags>());
	} catch (error) {
		if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
		process.stderr.write(
			`soak: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
		);
		return 1;
	}
}
