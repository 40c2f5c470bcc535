/** `bench pull`: how fast a month comes out of an object store, against curl. */

import { Command } from "commander";
import { formatTable } from "../../builder/command-line.js";
import { measurePull } from "../hosts/measure-pull.js";
import { wholeNumber } from "./options.js";

/** Of the rate of curl that keeps what it gets, as a pull does; without keeping it, curl is half as fast again. */
const RATIO_MIN = 0.7;

export function pullCommand(): Command {
	return new Command("pull")
		.description("pull the newest month of an object store, by turns with curl getting the same objects")
		.requiredOption("--store <url>", "s3://BUCKET/PREFIX; endpoint and credentials from AWS_… variables")
		.option("--rounds <n>", "rounds; the median counts", wholeNumber, 3)
		.action(async ({ store, rounds }: { store: string; rounds: number }) => {
			const { month, bytes, pulled, curl, curlToFiles, ratio, ratioToFiles } = await measurePull(
				store,
				rounds,
			);
			const rate = (perSecond: number) => `${(perSecond / 1e6).toFixed(0)} MB/s`;
			const reached = ratioToFiles >= RATIO_MIN ? "reached" : "NOT reached";
			process.stdout.write(
				formatTable(
					["figure", "value"],
					[
						["month", `${month}, ${(bytes / 1e6).toFixed(0)} MB`],
						["curl, 4 connections, to /dev/null", rate(curl)],
						["curl, 4 connections, to synced files", rate(curlToFiles)],
						["pulled, verified and published", rate(pulled)],
						[
							"ratio to curl to synced files",
							`${ratioToFiles.toFixed(2)} (at least ${RATIO_MIN}: ${reached})`,
						],
						["ratio to curl to /dev/null", ratio.toFixed(2)],
					],
				),
			);
		});
}
