/** `builder changes`: computes the changes between months, which /v1/changes serves. */

import { Command } from "commander";
import { openChanges, type SnapshotFiles } from "../../formats/index.js";
import { makeWholeChanges, removeStaleChanges } from "../changes/keep-changes.js";
import { formatTable, printJson } from "../command-line.js";
import { BuildError } from "../errors.js";
import { whileLocked } from "../months/publish.js";
import { openPublished, publishedMonths } from "../published-months.js";
import { monthName } from "./month-arguments.js";

interface Flags {
	data: string;
	json: boolean;
}

export function changesCommand(): Command {
	return new Command("changes")
		.description(
			"compute the changes from one published month to a later one; by default between all adjacent months",
		)
		.argument("[from]", "month, YYYY-MM", monthName)
		.argument("[to]", "a later month, YYYY-MM", monthName)
		.requiredOption("--data <dir>", "data folder")
		.option("--json", "print one JSON document", false)
		.action(changes);
}

async function changes(from: string | undefined, to: string | undefined, flags: Flags): Promise<void> {
	const pairs = from === undefined ? neighbouringMonths(flags.data) : [checkedPair(from, to)];
	const made = await whileLocked(flags.data, async () => {
		removeStaleChanges(flags.data);
		const list = [];
		for (const [older, newer] of pairs) list.push(await make(flags.data, older, newer));
		return list;
	});
	if (flags.json) return printJson(made);
	const rows = made.map(({ from, to, totals }) => [from, to, totals.new, totals.gone, totals.changed]);
	process.stdout.write(`${formatTable(["from", "to", "new", "gone", "changed"], rows)}\n`);
}

async function make(data: string, older: string, newer: string) {
	const [from, to] = [openPublished(data, older), openPublished(data, newer)];
	const folder = await makeWholeChanges(data, from.folder, to.folder);
	const made = openChanges(folder, described(from), described(to));
	if (made === null)
		throw new BuildError("unreadable_file", "the changes were removed meanwhile", { file: folder });
	return { from: older, to: newer, totals: made.totals };
}

function described({ catalog, crc }: SnapshotFiles) {
	return { month: catalog.month, rows: catalog.rows, crc };
}

function checkedPair(from: string, to: string | undefined): [string, string] {
	if (to === undefined) throw new BuildError("bad_month", "give two months, the older first, or none");
	if (from >= to)
		throw new BuildError("bad_month", `${from} is not before ${to}; give the older month first`);
	return [from, to];
}

function neighbouringMonths(data: string): [string, string][] {
	const months = publishedMonths(data).reverse();
	return months.slice(1).map((month, i) => [months[i], month]);
}
