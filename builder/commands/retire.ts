/** `builder retire`, `restore` and `prune`: months out of service, back, and away for good. */

import { Command } from "commander";
import { printJson } from "../command-line.js";
import { whileLocked } from "../publish.js";
import { pruneMonth, restoreMonth, retiredMonths, retireMonth } from "../retire.js";

interface Flags {
	data: string;
	json: boolean;
}

function monthCommand(
	name: string,
	description: string,
	done: string,
	act: (data: string, month: string) => void,
) {
	return new Command(name)
		.description(description)
		.argument("<month>", "month, YYYY-MM")
		.requiredOption("--data <dir>", "data folder")
		.option("--json", "print one JSON document", false)
		.action(async (month: string, flags: Flags) => {
			await whileLocked(flags.data, () => act(flags.data, month));
			if (flags.json) printJson({ month, [done]: true });
			else process.stdout.write(`${month} is ${done}\n`);
		});
}

export function retireCommand(): Command {
	return monthCommand(
		"retire",
		"take a published month out of service, without deleting it",
		"retired",
		retireMonth,
	);
}

export function restoreCommand(): Command {
	return monthCommand("restore", "bring a retired month back into service", "restored", restoreMonth);
}

export function pruneCommand(): Command {
	return new Command("prune")
		.description("delete retired months for good")
		.argument("[months...]", "months, YYYY-MM; by default all that are retired")
		.requiredOption("--data <dir>", "data folder")
		.option("--json", "print one JSON document", false)
		.action(async (months: string[], flags: Flags) => {
			const chosen = months.length > 0 ? months : retiredMonths(flags.data);
			await whileLocked(flags.data, () => {
				for (const month of chosen) pruneMonth(flags.data, month);
			});
			if (flags.json) printJson({ pruned: chosen });
			else process.stdout.write(`pruned: ${chosen.length === 0 ? "none" : chosen.join(", ")}\n`);
		});
}
