/** `builder build`: CSV files to a published month. */

import { availableParallelism } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import { type BuildProgress, type BuildReport, buildMonth } from "../build-month.js";
import { formatBytes, formatTable, printJson } from "../command-line.js";
import { GATES, type GateName, parseAccepted } from "../gates/gate.js";

interface BuildFlags {
	data: string;
	month?: string;
	map: string[];
	dateFormat?: string;
	accept: ReadonlySet<GateName>;
	dryRun: boolean;
	rowStore: boolean;
	threads: number;
	json: boolean;
}

export function buildCommand(): Command {
	return new Command("build")
		.description("compile CSV files into a published month; files given together are one month's")
		.argument("<files...>", "CSV files")
		.requiredOption("--data <dir>", "data folder")
		.option("--month <YYYY-MM>", "month of the files; by default from their names")
		.option("--map <file>", "map file: header names, constants, date format; may be repeated", collect, [])
		.option("--date-format <format>", "date format read beside ISO dates, such as MM/DD/YYYY")
		.addOption(
			new Option("--accept <gates>", `publish although these gates fail: ${GATES.join(", ")}, or all`)
				.argParser(acceptedGates)
				.default(new Set(), "none"),
		)
		.option("--dry-run", "do all but publish", false)
		.option("--no-row-store", "leave out the store of rows pre-rendered as JSON")
		.option("--threads <n>", "worker threads", positiveInteger, availableParallelism())
		.option("--json", "print one JSON document", false)
		.action(async (files: string[], flags: BuildFlags) => {
			const report = await buildMonth({
				files,
				dataFolder: flags.data,
				month: flags.month ?? null,
				maps: flags.map,
				dateFormat: flags.dateFormat ?? null,
				accept: flags.accept,
				dryRun: flags.dryRun,
				rowStore: flags.rowStore,
				threads: flags.threads,
				now: () => new Date(),
				onProgress: flags.json ? undefined : plainProgress(),
			});
			if (flags.json) printJson(report);
			else process.stdout.write(formatReport(report));
		});
}

function collect(value: string, previous: string[]): string[] {
	return [...previous, value];
}

/** A whole number of at least 1, for commander. */
export function positiveInteger(value: string): number {
	const number = Number(value);
	if (!Number.isInteger(number) || number < 1)
		throw new InvalidArgumentError("expected a whole number from 1 on");
	return number;
}

function acceptedGates(value: string): ReadonlySet<GateName> {
	const parsed = parseAccepted(value);
	if ("unknown" in parsed)
		throw new InvalidArgumentError(`no gate is named ${parsed.unknown}: ${GATES.join(", ")}, all`);
	return parsed.accepted;
}

/** One line on stderr as each stage begins. */
function plainProgress(): (progress: BuildProgress) => void {
	let stage = "";
	return (progress) => {
		if (progress.stage === stage) return;
		stage = progress.stage;
		process.stderr.write(`${stage} …\n`);
	};
}

function formatReport(report: BuildReport): string {
	const lines = [
		`${report.month}: ${report.rows.toLocaleString("en-US")} rows, ${formatBytes(report.bytes)}, ` +
			(report.published ? "published" : "not published (dry run)"),
	];
	const sources = report.sources.map((s) => [s.file, s.rows, s.rejects, formatBytes(s.bytes)]);
	lines.push("", formatTable(["source", "rows", "rejects", "size"], sources));
	if (report.rejects.rows > 0) {
		const reasons = report.rejects.reasons.map((r) => {
			const [sample] = r.samples;
			return [
				r.reason,
				r.rows,
				`${sample.file}:${sample.line}${sample.column === null ? "" : ` ${sample.column}`}`,
			];
		});
		lines.push(
			"",
			formatTable(["rejected for", "rows", "first at"], reasons),
			`reject file: ${report.rejectFile}`,
		);
	}
	if (report.oddities.length > 0) {
		const oddities = report.oddities.map((o) => [o.kind, o.column ?? "", o.count, o.file]);
		lines.push("", formatTable(["oddity", "column", "count", "file"], oddities));
	}
	for (const failure of report.accepted) lines.push("", `accepted gate ${failure.gate}: ${failure.finding}`);
	const stages = Object.entries(report.seconds).map(([stage, seconds]) => `${stage} ${seconds.toFixed(1)} s`);
	lines.push("", stages.join(", "), "");
	return lines.join("\n");
}
