/** The peers' table as a CSV file that DuckDB and PostgreSQL load: values quoted, null an empty cell. */

import { closeSync, existsSync, openSync, renameSync, writeSync } from "node:fs";
import type { Snapshot } from "../../engine/index.js";
import { ALL_COLUMNS, tableRows } from "./peer-table.js";

/** Size of the write buffer, in characters. */
const CHUNK_CHARACTERS = 1 << 20;

/** Writes the table of `snapshot` to `file`, unless the file exists. */
export function writeTableFile(file: string, snapshot: Snapshot): void {
	if (existsSync(file)) return;
	const unfinished = `${file}.writing`;
	const descriptor = openSync(unfinished, "w", 0o644);
	let text = `${ALL_COLUMNS.join(",")}\n`;
	for (const row of tableRows(snapshot)) {
		for (let i = 0; i < row.length; i++) {
			if (i > 0) text += ",";
			const value = row[i];
			if (typeof value === "number") text += value;
			else if (value !== null) text += `"${value.includes('"') ? value.replaceAll('"', '""') : value}"`;
		}
		text += "\n";
		if (text.length < CHUNK_CHARACTERS) continue;
		writeSync(descriptor, text);
		text = "";
	}
	writeSync(descriptor, text);
	closeSync(descriptor);
	renameSync(unfinished, file);
}
