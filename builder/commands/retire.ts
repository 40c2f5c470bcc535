/** `builder retire`, `restore` and `prune`: take months out of service, bring them back, delete them. */

import { Command } from "commander";
import { FormatError } from "../../formats/index.js";
import { makeChangesAround, makeChangesWithout, removeStaleChanges } from "../changes/keep-changes.js";
import { printJson } from "../command-line.js";
import { removeStaleExports } from "../export/export-month.js";
import { whileLocked } from "../publish.js";
import {
	pruneMonth,
	requireRetired,
	restoreMonth,
	retiredFolder,
	retiredMonths,
	retireMonth,
} from "../retire.js";

interface Flags {
	data: string;
	json: boolean;
}

function monthCommand(
	name: string,
	description: string,
	done: string,
	act: (data: string, month: string) => Promise<void>,
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
	const description = "take a published month out of service, without deleting it";
	return monthCommand("retire", description, "retired", async (data, month) => {
		await orWarn(() => makeChangesWithout(data, month));
		retireMonth(data, month);
		removeStaleChanges(data);
	});
}

export function restoreCommand(): Command {
	const description = "bring a retired month back into service";
	return monthCommand("restore", description, "restored", async (data, month) => {
		requireRetired(data, month);
		await orWarn(() => makeChangesAround(data, month, retiredFolder(data, month)));
		restoreMonth(data, month);
	});
}

/** Runs `make`, but only warns about a damaged adjacent month, which must not prevent retiring or restoring. */
async function orWarn(make: () => Promise<void>): Promise<void> {
	try {
		await make();
	} catch (error) {
		if (!(error instanceof FormatError)) throw error;
		process.stderr.write(`builder: changes between months were not computed: ${error.message}\n`);
	}
}

export function pruneCommand(): Command {
	return new Command("prune")
		.description("delete retired months permanently")
		.argument("[months...]", "months, YYYY-MM; by default all retired months")
		.requiredOption("--data <dir>", "data folder")
		.option("--json", "print one JSON document", false)
		.action(async (months: string[], flags: Flags) => {
			const chosen = months.length > 0 ? months : retiredMonths(flags.data);
			await whileLocked(flags.data, () => {
				for (const month of chosen) pruneMonth(flags.data, month);
				removeStaleExports(flags.data);
			});
			if (flags.json) printJson({ pruned: chosen });
			else process.stdout.write(`pruned: ${chosen.length === 0 ? "none" : chosen.join(", ")}\n`);
		});
}
