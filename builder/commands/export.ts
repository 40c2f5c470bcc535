/** `builder export`: files of a month for whoever wants all of it: Parquet, CSV and NDJSON. */

import { Command, InvalidArgumentError, Option } from "commander";
import {
	exportFormat,
	exportName,
	exportsFolder,
	FILE_FORMATS,
	type FileFormat,
	findJurisdiction,
	PROFILES,
	type Profile,
} from "../../formats/index.js";
import { formatBytes, formatTable, printJson } from "../command-line.js";
import { exportMonth } from "../export/export-month.js";
import { whileLocked } from "../months/publish.js";
import { openPool, ROW_BYTES } from "../open-pool.js";
import { openPublished } from "../published-months.js";
import { monthName } from "./month-arguments.js";
import { THREADS_HELP, threadCount } from "./threads.js";

interface Flags {
	readonly data: string;
	readonly state?: readonly string[];
	readonly format: readonly FileFormat[];
	readonly profile?: Profile;
	readonly threads?: number;
	readonly json: boolean;
}

export function exportCommand(): Command {
	return new Command("export")
		.description("write a published month to files that keys with the bulk entitlement may download")
		.argument("<month>", "month, YYYY-MM", monthName)
		.requiredOption("--data <dir>", "data folder")
		.option("--state <codes>", "states, comma-separated; by default every state, and the whole month", states)
		.option("--format <formats>", `of ${FILE_FORMATS.join(", ")}, comma-separated`, formats, FILE_FORMATS)
		.addOption(new Option("--profile <name>", "names of the columns: RESO's").choices(PROFILES))
		.option("--threads <n>", THREADS_HELP, threadCount)
		.option("--json", "print one JSON document", false)
		.action(run);
}

async function run(month: string, flags: Flags): Promise<void> {
	const began = performance.now();
	const manifest = await whileLocked(flags.data, async () => {
		const { catalog } = openPublished(flags.data, month);
		const pool = openPool(flags.threads ?? null, ROW_BYTES * catalog.rows);
		return exportMonth({
			dataFolder: flags.data,
			month,
			states: flags.state ?? null,
			formats: flags.format.map((file) => exportFormat(file, flags.profile ?? null)),
			now: () => new Date(),
			run: (kind, input) => pool.run(kind, input),
		}).finally(() => pool.close());
	});
	const folder = exportsFolder(flags.data, manifest);
	if (flags.json) {
		printJson({ ...manifest, folder, seconds: Math.round(performance.now() - began) / 1_000 });
		return;
	}
	const rows = manifest.files.map((file) => [exportName(file), file.rows, formatBytes(file.bytes)]);
	process.stdout.write(`${formatTable(["file", "rows", "size"], rows)}\nin ${folder}\n`);
}

function states(value: string, before: readonly string[] = []): string[] {
	return listOf(value, before, (code) => {
		const upper = code.toUpperCase();
		if (findJurisdiction(upper) === undefined)
			throw new InvalidArgumentError(`no jurisdiction has the code ${code}`);
		return upper;
	});
}

/** `before`: those of earlier flags, or the default. */
function formats(value: string, before: readonly FileFormat[]): FileFormat[] {
	return listOf(value, before === FILE_FORMATS ? [] : before, (name) => {
		const format = FILE_FORMATS.find((each) => each === name);
		if (format === undefined)
			throw new InvalidArgumentError(`no format is called ${name}: ${FILE_FORMATS.join(", ")}`);
		return format;
	});
}

/** The items of a comma-separated list after those of earlier flags, each once. */
function listOf<T>(value: string, before: readonly T[], read: (item: string) => T): T[] {
	return [...new Set([...before, ...value.split(",").map((item) => read(item.trim()))])];
}
