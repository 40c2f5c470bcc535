/** `builder explain`: prints a query's plan and, with `--analyze`, its execution. */

import { Command } from "commander";
import { formatAnalysis, formatPlan, openSnapshot } from "../../engine/index.js";
import { printJson } from "../command-line.js";
import { openPublished } from "../published.js";
import { parseQueryText } from "./query-text.js";

export function explainCommand(): Command {
	return new Command("explain")
		.description("print the plan of a query")
		.argument("<query>", "query string of /v1/licenses, such as 'state=CA&sort=office_name'")
		.requiredOption("--data <dir>", "data folder")
		.option("--analyze", "also execute it, and print each step's estimate, rows read and time", false)
		.option("--json", "print one JSON document", false)
		.action((text: string, flags: { data: string; analyze: boolean; json: boolean }) => {
			const { month, query } = parseQueryText(text, ["page", "limit", "count", "fields", "format"]);
			const snapshot = openSnapshot(openPublished(flags.data, month));
			if (flags.analyze) {
				const analysis = snapshot.analyze(query);
				if (flags.json) printJson(analysis);
				else process.stdout.write(formatAnalysis(analysis));
				return;
			}
			const plan = snapshot.explain(query);
			if (flags.json) printJson(plan);
			else process.stdout.write(formatPlan(plan));
		});
}
