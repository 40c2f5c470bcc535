/** `bench shared`: what sharing limits and keys among hosts costs, over a Redis that is given. */

import { Command, Option } from "commander";
import { formatTable } from "../../builder/command-line.js";
import type { Interval } from "../compare/interval.js";
import { measureShared } from "../hosts/measure-shared.js";
import {
	requestsPerCore,
	SHARED_QUESTIONS,
	type SharedComparison,
	type SharedQuestion,
} from "../hosts/requests-per-core.js";
import { loadObstacle } from "../http/load.js";
import { median } from "../http/rounds.js";
import { wholeNumber } from "./options.js";

interface SharedFlags {
	readonly shared: string;
	readonly data?: string;
	readonly rounds: number;
	readonly seconds: number;
	readonly seed: number;
	readonly question: readonly SharedQuestion[];
	readonly counting: boolean;
}

export function sharedCommand(): Command {
	return new Command("shared")
		.description(
			"time counting a request alone and with leases, count commands of the shared store, and time revocations",
		)
		.requiredOption("--shared <url>", "an empty Redis or Valkey that nothing else uses: redis://…")
		.option(
			"--data <dir>",
			"data folder; also compares requests per CPU second of whole servers over its newest month",
		)
		.option("--rounds <n>", "starts of the three servers of that comparison", wholeNumber, 15)
		.option("--seconds <n>", "seconds of load a side and round", wholeNumber, 2)
		.option("--seed <n>", "seed of the servers' order", wholeNumber, 1)
		.addOption(
			new Option("--question <name...>", "what they are asked")
				.choices(SHARED_QUESTIONS)
				.default(SHARED_QUESTIONS, SHARED_QUESTIONS.join(" ")),
		)
		.option("--no-counting", "only compare servers")
		.action(async (flags: SharedFlags) => {
			const obstacle = flags.data === undefined ? null : loadObstacle();
			if (obstacle !== null) throw new Error(obstacle);
			if (flags.data !== undefined)
				printComparison(await requestsPerCore(flags.shared, flags.data, flags.question, flags));
			if (flags.counting) await printFigures(flags.shared);
			process.exit(0);
		});
}

function printComparison(compared: readonly SharedComparison[]): void {
	const head = ["requests per CPU second", "alone", "alone again", "shared", "control", "shared / alone"];
	const rows = compared.map(({ what, rounds, control, shared }) => [
		what,
		...[0, 1, 2].map((side) =>
			Math.round(median(rounds.map((round) => round[side]))).toLocaleString("en-US"),
		),
		intervalText(control),
		intervalText(shared),
	]);
	process.stdout.write(`${formatTable(head, rows)}\n`);
	for (const { what, rounds } of compared) {
		const ratios = rounds.map(([alone, again, shared]) => (shared / Math.sqrt(alone * again)).toFixed(3));
		process.stdout.write(`${what}, shared / alone by round: ${ratios.join(" ")}\n`);
	}
	process.stdout.write("\n");
}

function intervalText({ median: middle, low, high, confidence }: Interval): string {
	return `${middle.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}, ${(confidence * 100).toFixed(0)} %)`;
}

async function printFigures(url: string): Promise<void> {
	const figures = await measureShared(url);
	process.stdout.write(
		`${formatTable(
			["figure", "value"],
			[
				["counting a request, alone", `${figures.aloneNs.toFixed(0)} ns`],
				["counting a request, with leases", `${figures.sharedNs.toFixed(0)} ns`],
				["exchanges per 100 requests, busy key", (figures.commandsPerBusyRequest * 100).toFixed(4)],
				["exchanges per request, rare key", figures.commandsPerRareRequest.toFixed(2)],
				["revocation on another host, p50", `${figures.revocationMs.p50.toFixed(0)} ms`],
				["revocation on another host, p99", `${figures.revocationMs.p99.toFixed(0)} ms`],
			],
		)}\n`,
	);
}
