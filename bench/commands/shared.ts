/** `bench shared`: what sharing limits and keys among hosts costs, over a Redis that is given. */

import { Command } from "commander";
import { formatTable } from "../../builder/command-line.js";
import { measureShared } from "../hosts/measure-shared.js";

export function sharedCommand(): Command {
	return new Command("shared")
		.description(
			"time counting a request alone and with leases, count commands of the shared store, and time revocations",
		)
		.requiredOption("--shared <url>", "an empty Redis or Valkey that nothing else uses: redis://…")
		.action(async ({ shared }: { shared: string }) => {
			const figures = await measureShared(shared);
			process.stdout.write(
				formatTable(
					["figure", "value"],
					[
						["counting a request, alone", `${figures.aloneNs.toFixed(0)} ns`],
						["counting a request, with leases", `${figures.sharedNs.toFixed(0)} ns`],
						["exchanges per 100 requests, busy key", (figures.commandsPerBusyRequest * 100).toFixed(4)],
						["exchanges per request, rare key", figures.commandsPerRareRequest.toFixed(2)],
						["revocation on another host, p50", `${figures.revocationMs.p50.toFixed(0)} ms`],
						["revocation on another host, p99", `${figures.revocationMs.p99.toFixed(0)} ms`],
					],
				),
			);
			process.exit(0);
		});
}
