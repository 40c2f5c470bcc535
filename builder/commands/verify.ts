/** `builder verify`: every byte of published months against its checksum, and indexes against columns. */

import { Command } from "commander";
import { printJson } from "../command-line.js";
import { openPublished, publishedMonths } from "../published.js";
import { verifySnapshot } from "../verify-snapshot.js";

export function verifyCommand(): Command {
	return new Command("verify")
		.description("read every byte of published months, compare checksums, and check indexes against columns")
		.argument("[months...]", "months to verify; by default all")
		.requiredOption("--data <dir>", "data folder")
		.option("--json", "print one JSON document", false)
		.action((months: string[], flags: { data: string; json: boolean }) => {
			const chosen = months.length > 0 ? months : publishedMonths(flags.data);
			const verified = chosen.map((month) => {
				const report = verifySnapshot(openPublished(flags.data, month));
				if (!flags.json)
					process.stdout.write(`${month}: ${report.sections} sections of ${report.rows} rows are sound\n`);
				return { month, ...report };
			});
			if (flags.json) printJson(verified);
		});
}
