/** `builder explain`: how the engine would answer a query. */

import { Command } from "commander";
import { formatPlan } from "../../engine/index.js";
import { printJson } from "../command-line.js";
import { openAsked, parseQueryText } from "./query-text.js";

export function explainCommand(): Command {
	return new Command("explain")
		.description("print how a query would be answered")
		.argument("<query>", "query string of /v1/licenses, such as 'state=CA&sort=office_name'")
		.requiredOption("--data <dir>", "data folder")
		.option("--json", "print one JSON document", false)
		.action((text: string, flags: { data: string; json: boolean }) => {
			const { month, query } = parseQueryText(text, ["page", "limit", "count", "fields", "format"]);
			const plan = openAsked(flags.data, month).explain(query);
			if (flags.json) printJson(plan);
			else process.stdout.write(formatPlan(plan));
		});
}
