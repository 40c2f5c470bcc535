/**
 * A random month compiled and opened, in this process: rows go straight to the compiler, whose
 * tasks run here instead of in workers.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { compileMonth, writeRowStore } from "../../builder/compile/compile-month.js";
import { COMPILE_TASK_HANDLERS, type RunCompileTask } from "../../builder/compile/tasks.js";
import { openLibrary, type Snapshot } from "../../engine/index.js";
import { type MappingMode, snapshotFolder } from "../../formats/index.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows, type RawRow } from "../oracle/naive-rows.js";
import { parsedMonth } from "../oracle/parsed-month.js";

/** Runs compile tasks in this process, one after the other. */
export const runHere: RunCompileTask = async (kind, input) => COMPILE_TASK_HANDLERS[kind](input);

/**
 * Compiles `raw` into the data folder `dataFolder` as `month`. `cut` draws how rows are divided into
 * parts and workers.
 */
export async function compileRows(
	raw: readonly RawRow[],
	month: string,
	dataFolder: string,
	rowStore: boolean,
	cut: Draw,
): Promise<void> {
	const folder = snapshotFolder(dataFolder, month);
	mkdirSync(folder, { recursive: true });
	await compileMonth(parsedMonth(raw, cut), { month, folder, run: runHere });
	if (rowStore) await writeRowStore(folder, raw.length, runHere);
}

export interface TwinsOptions {
	/** Whether rows are also stored whole. */
	readonly rowStore: boolean;
	/** Whether the month is too large for a memory folder of 64 MiB. */
	readonly large?: boolean;
}

/** A month as the engine answers it, mapped and in shared memory, and as the naive scan does. */
export interface Twins {
	readonly mapped: Snapshot;
	readonly shared: Snapshot;
	readonly naive: NaiveMonth;
}

/** Compiles `raw` into a folder of its own, runs `work` on it and removes it. */
export async function withTwins(
	raw: readonly RawRow[],
	month: string,
	options: TwinsOptions,
	work: (twins: Twins) => void | Promise<void>,
): Promise<void> {
	const parent = options.large === true ? tmpdir() : MEMORY_FOLDER;
	const folder = mkdtempSync(join(parent, "rollcall-test-"));
	try {
		await compileRows(raw, month, folder, options.rowStore, new Draw(raw.length, 7));
		const mapped = openMonth(folder, "mmap");
		const shared = openMonth(folder, "shared-memory");
		await work({ mapped, shared, naive: new NaiveMonth(month, makeRows(raw, month)) });
	} finally {
		rmSync(folder, { recursive: true });
		// Collected mappings are released in a later turn of the event loop.
		await setImmediate();
	}
}

/** The only month in the folder, open. */
export function openMonth(dataFolder: string, mapping: MappingMode): Snapshot {
	const library = openLibrary({ dataFolder, mapping });
	for (const { error } of library.failed) throw error;
	assert.ok(library.latest !== null, `a month in ${dataFolder}`);
	return library.latest;
}
