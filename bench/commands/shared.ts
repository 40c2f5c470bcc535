/** `bench shared`: what sharing limits and keys among hosts costs, over a Redis that is given. */

import { Command } from "commander";
import { formatTable } from "../../builder/command-line.js";
import { measureShared } from "../hosts/measure-shared.js";
import { requestsPerCore } from "../hosts/requests-per-core.js";
import { comparisonRows } from "../http/compare-servers.js";
import { loadObstacle } from "../http/load.js";
import { wholeNumber } from "./options.js";

interface SharedFlags {
	readonly shared: string;
	readonly data?: string;
	readonly rounds: number;
	readonly seconds: number;
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
		.option("--rounds <n>", "starts of both servers for that comparison; the median counts", wholeNumber, 5)
		.option("--seconds <n>", "seconds of load a side and round", wholeNumber, 2)
		.action(async (flags: SharedFlags) => {
			const obstacle = flags.data === undefined ? null : loadObstacle();
			if (obstacle !== null) throw new Error(obstacle);
			if (flags.data !== undefined) {
				const compared = await requestsPerCore(flags.shared, flags.data, flags);
				const sides = ["alone", "alone again", "shared", "again (least–greatest)", "shared (least–greatest)"];
				const head = ["requests per CPU second", ...sides];
				process.stdout.write(`${formatTable(head, comparisonRows(compared))}\n\n`);
			}
			const figures = await measureShared(flags.shared);
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
			process.exit(0);
		});
}
