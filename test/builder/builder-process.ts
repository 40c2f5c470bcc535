/** Runs the builder's command line, as an operator does, over a folder of its own. */

import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type Ended, runCommandLine } from "../command-line.js";
import type { DropRow } from "../http/drop-rows.js";
import { MEMORY_FOLDER } from "../memory-folder.js";

export type { Ended };

/** The compiled command line. */
export const BUILDER = fileURLToPath(new URL("../../builder/main.js", import.meta.url));

export interface BuilderFolder {
	/** Folder of the inputs. */
	readonly folder: string;
	/** Data folder; not made yet. */
	readonly data: string;
	/** Writes an input; returns its path. */
	write(name: string, content: string | Uint8Array): string;
	/** Runs a command and waits for its end; `--data` is added. */
	run(...args: string[]): Promise<Ended>;
	/** As {@link run}, `--json` added: the one document on stdout of a command that must succeed. */
	json<T = Record<string, unknown>>(...args: string[]): Promise<T>;
}

/** A folder for one test, removed when the test ends. */
export function builderFolder(t: TestContext): BuilderFolder {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-builder-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const data = join(folder, "data");
	const run = (...args: string[]) => runBuilder([...args, "--data", data]);
	return {
		folder,
		data,
		write(name, content) {
			const path = join(folder, name);
			mkdirSync(join(path, ".."), { recursive: true });
			writeFileSync(path, content);
			return path;
		},
		run,
		async json<T>(...args: string[]) {
			const { code, stdout, stderr } = await run(...args, "--json");
			if (code !== 0) throw new Error(`builder ${args.join(" ")} exited with ${code}: ${stderr}`);
			if (stderr !== "") throw new Error(`builder ${args.join(" ")} --json is not silent: ${stderr}`);
			return JSON.parse(stdout) as T;
		},
	};
}

/** Runs a command to its end. `environment`: variables besides those of this process. */
export function runBuilder(
	args: readonly string[],
	environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
	return runCommandLine("builder", args, environment);
}

/** Rows as the bytes of a drop; the header is `columns`, or the names in the first row. */
export function csv(rows: readonly DropRow[], columns = Object.keys(rows[0] ?? {})): string {
	const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
	const line = (cells: readonly string[]) => `${cells.map(cell).join(",")}\n`;
	return line(columns) + rows.map((row) => line(columns.map((c) => row[c as keyof DropRow] ?? ""))).join("");
}

/** Plain rows of a state, numbered from `first`. */
export function stateRows(state: string, count: number, first = 0): DropRow[] {
	return Array.from({ length: count }, (_, i) => ({
		state,
		member_full_name: `Given Name${first + i}`,
		member_last_name: `Name${first + i}`,
		member_type: i % 3 === 0 ? "Broker" : "Salesperson",
		member_city: `City${i % 7}`,
		office_name: `Office ${i % 5}`,
		member_state_license_number: `${state}-${first + i}`,
		member_license_status: i % 4 === 0 ? "Inactive" : "Active",
		member_license_expires: `2027-0${1 + (i % 9)}-15`,
		matched_email: i % 4 === 3 ? "" : `name${first + i}@example.org`,
	}));
}

/** Months published in a data folder, oldest first. */
export function published(data: string): string[] {
	const folder = join(data, "snapshots");
	return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Every file below a folder with its bytes, by relative path. */
export function folderBytes(folder: string): Map<string, Buffer> {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	return new Map(files.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path)]));
}
