/** `bench page`: draws one static page from the results of machines in a folder. */

import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { resultsPage } from "../report/page.js";
import { readAllResults } from "../report/results.js";
import { RESULTS_FOLDER, tell } from "./options.js";

export function pageCommand(): Command {
	return new Command("page")
		.description("draw one static HTML page from the machines' results in a folder")
		.argument("[folder]", "folder of the JSON documents that --results wrote", RESULTS_FOLDER)
		.option("--out <file>", "file of the page", "benchmarks.html")
		.action((folder: string, { out }: { out: string }) => {
			const machines = readAllResults(folder);
			if (machines.length === 0)
				throw new Error(`${folder} has no results: bench engine --results ${folder} writes them`);
			writeFileSync(out, resultsPage(machines));
			tell(`${out}: ${machines.length} ${machines.length === 1 ? "machine" : "machines"}`);
		});
}
