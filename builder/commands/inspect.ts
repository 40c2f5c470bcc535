/** `builder inspect`: what a published month is made of. */

import { Command } from "commander";
import { type SnapshotFiles, sectionName } from "../../formats/index.js";
import { formatBytes, formatTable, printJson } from "../command-line.js";
import { describeMonth, openPublished } from "../published.js";

export function inspectCommand(): Command {
	return new Command("inspect")
		.description("show a published month's columns, sections and states")
		.argument("<month>", "month, YYYY-MM")
		.requiredOption("--data <dir>", "data folder")
		.option("--json", "print one JSON document", false)
		.action((month: string, flags: { data: string; json: boolean }) => {
			const files = openPublished(flags.data, month);
			const inspection = { ...describeMonth(flags.data, month), ...inspectFiles(files) };
			if (flags.json) printJson(inspection);
			else process.stdout.write(formatInspection(inspection));
		});
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
