/** Makes synthetic drops for the tests of this folder and reads them. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SYNTH_COLUMNS, type SynthesizeOptions, synthesize } from "../../builder/synth/index.js";
import type { ColumnName } from "../../formats/index.js";

/** Runs `work` with an empty folder that is removed afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-synth-"));
	try {
		return await work(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** The bytes of each month's drop. */
export function dropBytes(options: Omit<SynthesizeOptions, "out">): Promise<Buffer[]> {
	return inFolder(async (out) => {
		const { files } = await synthesize({ ...options, out });
		return files.map(({ path }) => readFileSync(path));
	});
}

/** The records of a CSV text by RFC 4180, the header's included. */
export function parseCsv(text: string): string[][] {
	const records: string[][] = [];
	let record: string[] = [];
	const cell = /("(?:[^"]|"")*"|[^",\n]*)(,|\n)/gy;
	while (cell.lastIndex < text.length) {
		const at = cell.lastIndex;
		const match = cell.exec(text);
		if (match === null) throw new Error(`no CSV at byte ${at}: ${text.slice(at, at + 80)}`);
		const [, value, end] = match;
		record.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
		if (end !== "\n") continue;
		records.push(record);
		record = [];
	}
	return records;
}

export type Row = Readonly<Record<ColumnName, string>>;

/** The rows of a drop with all columns. */
export function rowsOf(bytes: Buffer): Row[] {
	const [header, ...records] = parseCsv(bytes.toString("utf8"));
	if (header.join() !== SYNTH_COLUMNS.join()) throw new Error(`unexpected header ${header.join()}`);
	return records.map((record) => Object.fromEntries(record.map((value, i) => [header[i], value])) as Row);
}

/** The identity of a license. */
export function licenseKey(row: Row): string {
	return `${row.state} ${row.member_state_license_number}`;
}
