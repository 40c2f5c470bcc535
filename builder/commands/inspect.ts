/** `builder inspect`: shows a published month's columns, sections and states. */

import { Command, InvalidArgumentError } from "commander";
import { type Column, type SnapshotFiles, STORED_COLUMNS, sectionName } from "../../formats/index.js";
import { formatBytes, formatTable, printJson } from "../command-line.js";
import { type ColumnHistogram, columnHistogram } from "../profile/column-histogram.js";
import { describeMonth, openPublished } from "../published-months.js";
import { monthName } from "./month-arguments.js";
import { positiveInteger } from "./threads.js";

const TOP_DEFAULT = 40;

export function inspectCommand(): Command {
	return new Command("inspect")
		.description("show a published month's columns, sections and states")
		.argument("<month>", "month, YYYY-MM", monthName)
		.requiredOption("--data <dir>", "data folder")
		.option(
			"--column <name>",
			"show a column's values: the most frequent ones, or a histogram of years, numbers or lengths",
			columnOf,
		)
		.option(
			"--top <n>",
			`number of a column's most frequent values to show; by default ${TOP_DEFAULT}`,
			positiveInteger,
		)
		.option("--json", "print one JSON document", false)
		.action((month: string, flags: Flags, command: Command) => {
			if (flags.top !== undefined && flags.column === undefined) command.error("error: --top needs --column");
			const files = openPublished(flags.data, month);
			if (flags.column !== undefined) {
				const histogram = columnHistogram(files, flags.column, flags.top ?? TOP_DEFAULT);
				if (flags.json) printJson({ month, rows: files.catalog.rows, ...histogram });
				else process.stdout.write(formatHistogram(histogram, files.catalog.rows));
				return;
			}
			const inspection = { ...describeMonth(flags.data, month), ...inspectFiles(files) };
			if (flags.json) printJson(inspection);
			else process.stdout.write(formatInspection(inspection));
		});
}

interface Flags {
	readonly data: string;
	readonly column?: Column;
	readonly top?: number;
	readonly json: boolean;
}

/** Characters of the longest bar. */
const BAR_WIDTH = 40;

function columnOf(name: string): Column {
	const column = STORED_COLUMNS.find((c) => c.name === name);
	if (column === undefined)
		throw new InvalidArgumentError(
			`no stored column is named ${name}: ${STORED_COLUMNS.map((c) => c.name).join(", ")}`,
		);
	return column;
}

function formatHistogram(histogram: ColumnHistogram, rows: number): string {
	const { column, kind, distinct, nulls, by, bars } = histogram;
	const most = Math.max(1, ...bars.map((bar) => bar.rows));
	const lines = bars.map((bar) => [
		bar.value,
		bar.rows,
		`${((100 * bar.rows) / rows).toFixed(1)} %`,
		"█".repeat(Math.round((BAR_WIDTH * bar.rows) / most)),
	]);
	const values = distinct === null ? "" : `${distinct.toLocaleString("en-US")} distinct values, `;
	const head = `${column} (${kind}): ${values}${nulls.toLocaleString("en-US")} nulls of ${rows.toLocaleString("en-US")} rows`;
	return `${head}\n\n${formatTable([by, "rows", "share", ""], lines)}\n`;
}

interface Inspection {
	readonly columns: readonly { name: string; distinct: number; folds: number; nulls: number }[];
	readonly sections: readonly { file: string; section: string; bytes: number; crc: string }[];
	readonly section_bytes: Readonly<Record<string, number>>;
	readonly states: readonly { country: string; state: string; first: number; rows: number }[];
}

function inspectFiles({ catalog }: SnapshotFiles): Inspection {
	const bytesBySection: Record<string, number> = {};
	const sections = catalog.sections.map((section) => {
		const name = sectionName(section.kind) ?? `kind ${section.kind}`;
		bytesBySection[name] = (bytesBySection[name] ?? 0) + section.bytes;
		const file = catalog.files[section.file].name;
		return { file, section: name, bytes: section.bytes, crc: section.crc.toString(16).padStart(8, "0") };
	});
	return {
		columns: catalog.columns.map(({ name, distinct, folds, nulls }) => ({ name, distinct, folds, nulls })),
		sections,
		section_bytes: bytesBySection,
		states: catalog.states,
	};
}

function formatInspection(inspection: Inspection & ReturnType<typeof describeMonth>): string {
	const { month, rows, bytes, row_store_bytes, built_at } = inspection;
	const store = row_store_bytes === 0 ? "no row store" : `row store ${formatBytes(row_store_bytes)}`;
	const bySection = Object.entries(inspection.section_bytes).sort((a, b) => b[1] - a[1]);
	return [
		`${month}: ${rows.toLocaleString("en-US")} rows, ${formatBytes(bytes)}, ${store}, built at ${built_at ?? "unknown"}`,
		"",
		formatTable(
			["column", "distinct", "folds", "nulls"],
			inspection.columns.map((c) => [c.name, c.distinct, c.folds, c.nulls]),
		),
		"",
		formatTable(["section", "bytes"], bySection),
		"",
		formatTable(
			["file", "section", "bytes", "crc"],
			inspection.sections.map((s) => [s.file, s.section, s.bytes, s.crc]),
		),
		"",
		formatTable(
			["state", "country", "rows"],
			inspection.states.map((s) => [s.state, s.country, s.rows]),
		),
		"",
	].join("\n");
}
