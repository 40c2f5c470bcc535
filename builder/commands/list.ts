/** `builder list`: the published months. */

import { Command, Option } from "commander";
import { formatBytes, formatTable, printJson } from "../command-line.js";
import { describeHeld, heldMonths } from "../months/held-months.js";
import { retiredMonths } from "../months/retire.js";
import {
	describeMonth,
	describeRetired,
	type PublishedMonth,
	publishedMonths,
	requireFolder,
} from "../published-months.js";
import { MonthFindings } from "./damaged-months.js";

export function listCommand(): Command {
	return new Command("list")
		.description("list the published months, newest first")
		.requiredOption("--data <dir>", "data folder")
		.addOption(new Option("--retired", "list the retired months instead").default(false).conflicts("held"))
		.option("--held", "list the months that wait for their release instead", false)
		.option("--json", "print one JSON document", false)
		.action(list);
}

interface Flags {
	readonly data: string;
	readonly retired: boolean;
	readonly held: boolean;
	readonly json: boolean;
}

async function list(flags: Flags): Promise<void> {
	const { data } = flags;
	requireFolder(data);
	const [months, describe] = flags.held
		? [heldMonths(data), describeHeld]
		: flags.retired
			? [retiredMonths(data), describeRetired]
			: [publishedMonths(data), describeMonth];
	const findings = new MonthFindings<PublishedMonth>();
	for (const month of months) await findings.add(month, () => describe(data, month));
	if (!flags.json) process.stdout.write(`${tableOf(findings.found)}\n`);
	findings.throwFaults("months");
	if (flags.json) printJson(findings.found);
}

function tableOf(months: readonly PublishedMonth[]): string {
	const rows = months.map((m) => [
		m.month,
		m.rows,
		formatBytes(m.bytes),
		m.row_store_bytes === 0 ? "none" : formatBytes(m.row_store_bytes),
		m.built_at ?? "unknown",
	]);
	return formatTable(["month", "rows", "size", "row store", "built at"], rows);
}
