/** `builder list`: the published months. */

import { Command } from "commander";
import { formatBytes, formatTable, printJson } from "../command-line.js";
import { describeHeld, heldMonths } from "../held-months.js";
import { describeMonth, describeRetired, publishedMonths } from "../published-months.js";
import { retiredMonths } from "../retire.js";

export function listCommand(): Command {
	return new Command("list")
		.description("list the published months, newest first")
		.requiredOption("--data <dir>", "data folder")
		.option("--retired", "list the retired months instead", false)
		.option("--held", "list the months that wait for their release instead", false)
		.option("--json", "print one JSON document", false)
		.action((flags: { data: string; retired: boolean; held: boolean; json: boolean }) => {
			const months = flags.held
				? heldMonths(flags.data).map((month) => describeHeld(flags.data, month))
				: flags.retired
					? retiredMonths(flags.data).map((month) => describeRetired(flags.data, month))
					: publishedMonths(flags.data).map((month) => describeMonth(flags.data, month));
			if (flags.json) {
				printJson(months);
				return;
			}
			const rows = months.map((m) => [
				m.month,
				m.rows,
				formatBytes(m.bytes),
				m.row_store_bytes === 0 ? "none" : formatBytes(m.row_store_bytes),
				m.built_at ?? "unknown",
			]);
			process.stdout.write(`${formatTable(["month", "rows", "size", "row store", "built at"], rows)}\n`);
		});
}
