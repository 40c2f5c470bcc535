/**
 * Maintains a data folder's change files: the changes between two adjacent months are computed before the months
 * become adjacent by a publication, restoration or removal, so that no reader sees adjacent months without their
 * changes.
 *
 * A folder of changes is written under `staging/`, synced, and renamed into `changes/`. Its name contains the
 * digests of both months, so stale changes are never used.
 *
 * REQUIRES throughout: the builder's lock is held.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, removeFolder, syncPath } from "../../formats/durable.js";
import {
	CATALOG_FILE,
	CHANGES_FOLDER,
	changesFolder,
	hex,
	type MonthOfDigest,
	SnapshotFiles,
	STAGING_FOLDER,
	snapshotFolder,
} from "../../formats/index.js";
import { publishedMonths } from "../published-months.js";
import { CHANGES_TASK_HANDLERS, type RunChangesTask } from "./tasks.js";

/** Compares months in the calling thread. */
const inThisThread: RunChangesTask = (kind, input) => CHANGES_TASK_HANDLERS[kind](input);

/** Computes the changes between `month`, stored in `folder`, and the published months before and after it. */
export async function makeChangesAround(
	dataFolder: string,
	month: string,
	folder: string,
	run: RunChangesTask = inThisThread,
): Promise<void> {
	const { before, after } = neighbours(dataFolder, month);
	if (before !== null) await makeChanges(dataFolder, snapshotFolder(dataFolder, before), folder, run);
	if (after !== null) await makeChanges(dataFolder, folder, snapshotFolder(dataFolder, after), run);
}

/** Computes the changes between the published months before and after `month`, which is about to be removed. */
export async function makeChangesWithout(dataFolder: string, month: string): Promise<void> {
	const { before, after } = neighbours(dataFolder, month);
	if (before === null || after === null) return;
	await makeChanges(dataFolder, snapshotFolder(dataFolder, before), snapshotFolder(dataFolder, after));
}

/**
 * Computes the changes between the months in two folders, unless they exist. Returns their folder. Throws
 * FormatError for a damaged month.
 */
export async function makeChanges(
	dataFolder: string,
	from: string,
	to: string,
	run: RunChangesTask = inThisThread,
): Promise<string> {
	const target = changesFolder(dataFolder, digestOf(from), digestOf(to));
	if (existsSync(join(target, CATALOG_FILE))) return target;
	const aside = join(dataFolder, STAGING_FOLDER, `changes-${process.pid}`);
	rmSync(aside, { recursive: true, force: true });
	mkdirSync(aside, { recursive: true });
	try {
		await run("compare-months", { from, to, target: aside });
		for (const name of readdirSync(aside)) {
			syncPath(join(aside, name));
		}
		syncPath(aside);
		makeFolder(dirname(target));
		// Without a catalog it is not a valid folder of changes.
		rmSync(target, { recursive: true, force: true });
		renameSync(aside, target);
		syncPath(dirname(target));
	} finally {
		rmSync(aside, { recursive: true, force: true });
	}
	return target;
}

/** Removes the changes of snapshots that are no longer published. */
export function removeStaleChanges(dataFolder: string): void {
	const folder = join(dataFolder, CHANGES_FOLDER);
	if (!existsSync(folder)) return;
	const months = publishedMonths(dataFolder).map((month) => readDigest(snapshotFolder(dataFolder, month)));
	const named = new Set<string>();
	for (const from of months) {
		for (const to of months) if (from !== null && to !== null) named.add(changesFolder(dataFolder, from, to));
	}
	// A month that does not open may be repaired by replacing its files, so nothing is removed until then.
	if (months.includes(null)) return;
	for (const name of readdirSync(folder)) {
		if (!named.has(join(folder, name))) removeFolder(join(folder, name));
	}
}

function neighbours(dataFolder: string, month: string): { before: string | null; after: string | null } {
	const others = publishedMonths(dataFolder).filter((other) => other !== month);
	return {
		before: others.find((other) => other < month) ?? null,
		after: others.findLast((other) => other > month) ?? null,
	};
}

function digestOf(folder: string): MonthOfDigest {
	const { catalog, crc } = SnapshotFiles.open(folder);
	return { month: catalog.month, digest: hex(crc) };
}

/** Like {@link digestOf}; null for a month that does not open. */
function readDigest(folder: string): MonthOfDigest | null {
	try {
		return digestOf(folder);
	} catch {
		return null;
	}
}
