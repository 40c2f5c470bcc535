/** `builder dump`: writes a query's rows as a CSV drop. */

import { Command, Option } from "commander";
import { ByteSink, openSnapshot } from "../../engine/index.js";
import { PROFILES, type Profile } from "../../formats/index.js";
import { outputFile, printJson } from "../command-line.js";
import { ExactCsv } from "../dump/exact-csv.js";
import { openOutput } from "../output.js";
import { openPublished } from "../published-months.js";
import { parseQueryText } from "./query-text.js";

/** Rows per query of the engine, whose maximum is 65,536. */
const ROWS_AT_A_TIME = 65_536;
const FLUSH_BYTES = 4 * 1024 * 1024;

interface Flags {
	data: string;
	out?: string;
	profile?: Profile;
	json: boolean;
}

export function dumpCommand(): Command {
	return new Command("dump")
		.description("write all rows of a query as CSV that builds to the same rows")
		.argument("[query]", "query string of /v1/licenses, such as 'snapshot=2026-11&state=CA'", "")
		.requiredOption("--data <dir>", "data folder")
		.option("--out <file>", "file to write; - or by default standard output")
		.addOption(new Option("--profile <name>", "names of the columns: RESO's").choices(PROFILES))
		.option("--json", "print one JSON document; needs --out", false)
		.action(dump);
}

async function dump(text: string, flags: Flags, command: Command): Promise<void> {
	const out = outputFile(flags.out);
	if (flags.json && out === null) command.error("error: --json needs --out with a file");
	const { month, query } = parseQueryText(text);
	const files = openPublished(flags.data, month);
	const snapshot = openSnapshot(files);
	const csv = new ExactCsv(files);
	const sink = new ByteSink(FLUSH_BYTES + (1 << 20));
	const output = openOutput(out);
	let written = 0;
	try {
		csv.header(sink, flags.profile ?? null);
		for (let page = 1; ; page++) {
			const { rows } = snapshot.query({ ...query, page, limit: ROWS_AT_A_TIME, count: false });
			for (const row of rows) {
				csv.row(row, sink);
				if (sink.length < FLUSH_BYTES) continue;
				await output.write(sink.view());
				sink.reset();
			}
			written += rows.length;
			if (rows.length < ROWS_AT_A_TIME) break;
		}
		await output.write(sink.view());
		output.finish();
	} catch (error) {
		output.abandon();
		throw error;
	}
	if (flags.json) printJson({ month: snapshot.month, rows: written, file: out });
	else if (out !== null) process.stdout.write(`${written} rows of ${snapshot.month} in ${out}\n`);
}
