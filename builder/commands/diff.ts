/** `builder diff`: the changes from one published month to another. */

import { Command, Option } from "commander";
import { diffMonths, type LicenseChange, type MonthDiff } from "../changes/diff-months.js";
import { formatTable, outputFile, printJson } from "../command-line.js";
import { openHeld } from "../months/held-months.js";
import { type Output, openOutput } from "../output.js";
import { openPublished } from "../published-months.js";
import { spreadsheetCell } from "../spreadsheet-csv.js";
import { monthName } from "./month-arguments.js";

const FLUSH_LINES = 20_000;
const CSV_HEADER = "change,state,member_state_license_number,field,from,to\n";

interface Flags {
	data: string;
	format: "table" | "json" | "csv";
	out?: string;
	held: boolean;
	json: boolean;
}

export function diffCommand(): Command {
	return new Command("diff")
		.description("show new, gone and changed licenses from one month to another, by state and field")
		.argument("<from>", "month, YYYY-MM", monthName)
		.argument("<to>", "month, YYYY-MM", monthName)
		.requiredOption("--data <dir>", "data folder")
		.addOption(
			new Option("--format <format>", "table, json, or csv: one line per changed field of a license")
				.choices(["table", "json", "csv"])
				.default("table"),
		)
		.option("--out <file>", "file to write the CSV to; - or by default standard output")
		.option("--held", "take the second month from those that wait for their release", false)
		.option("--json", "print one JSON document: as --format json", false)
		.action(diff);
}

async function diff(fromMonth: string, toMonth: string, flags: Flags, command: Command): Promise<void> {
	const out = outputFile(flags.out);
	if (out !== null && (flags.json || flags.format !== "csv"))
		command.error("error: --out needs --format csv");
	const from = openPublished(flags.data, fromMonth);
	const to = flags.held ? openHeld(flags.data, toMonth) : openPublished(flags.data, toMonth);
	if (flags.json || flags.format === "json") printJson(diffMonths(from, to));
	else if (flags.format === "table") process.stdout.write(formatDiff(diffMonths(from, to)));
	else {
		const lines: string[] = [CSV_HEADER];
		diffMonths(from, to, (change) => lines.push(csvLine(change)));
		await writeLines(openOutput(out), lines);
	}
}

async function writeLines(output: Output, lines: readonly string[]): Promise<void> {
	try {
		for (let i = 0; i < lines.length; i += FLUSH_LINES) {
			await output.write(Buffer.from(lines.slice(i, i + FLUSH_LINES).join("")));
		}
		output.finish();
	} catch (error) {
		output.abandon();
		throw error;
	}
}

function csvLine({ change, state, license_number, field, from, to }: LicenseChange): string {
	const cells = [change, state, license_number, field ?? "", from ?? "", to ?? ""];
	return `${cells.map(spreadsheetCell).join(",")}\n`;
}

function formatDiff(diff: MonthDiff): string {
	const states = diff.states
		.filter((s) => s.new + s.gone + s.changed > 0 || s.rows_from !== s.rows_to)
		.map((s) => [s.state, s.rows_from, s.rows_to, s.new, s.gone, s.changed, mostChanged(s.fields)]);
	const fields = diff.fields.filter((f) => f.changed > 0).map((f) => [f.field, f.changed]);
	const n = (value: number) => value.toLocaleString("en-US");
	const parts = [
		`${diff.from} to ${diff.to}: ${n(diff.new)} new, ${n(diff.gone)} gone, ${n(diff.changed)} changed licenses`,
	];
	if (states.length > 0) {
		const header = ["state", diff.from, diff.to, "new", "gone", "changed", "most in"];
		parts.push(formatTable(header, states));
	}
	if (fields.length > 0) parts.push(formatTable(["field", "changed"], fields));
	const { from, to } = diff.not_compared;
	if (from + to > 0) {
		parts.push(
			`not compared (repeated license or no license number): ${n(from)} rows of ${diff.from}, ${n(to)} of ${diff.to}`,
		);
	}
	return `${parts.join("\n\n")}\n`;
}

function mostChanged(fields: Readonly<Record<string, number>>): string {
	const [most] = Object.entries(fields).sort((a, b) => b[1] - a[1]);
	return most === undefined ? "" : `${most[0]} ${most[1].toLocaleString("en-US")}`;
}
