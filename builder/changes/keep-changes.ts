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
import { makeFolder, removeFolder, syncPath } from "../../formats/files/durable.js";
import {
	areOlderRowsStored,
	CATALOG_FILE,
	CHANGES_FOLDER,
	changesFolder,
	hex,
	type MonthOfDigest,
	ROW_STORE_FOLDER,
	SnapshotFiles,
	STAGING_FOLDER,
	snapshotFolder,
} from "../../formats/index.js";
import { publishedMonths } from "../published-months.js";
import type { TaskHandlers } from "../workers/task-table.js";
import { CHANGES_TASK_HANDLERS, type ChangesTasks, type RunChangesTask } from "./tasks.js";

/** Compares months in the calling thread. */
const inThisThread: RunChangesTask = async (kind, input) => {
	const handlers: TaskHandlers<ChangesTasks> = CHANGES_TASK_HANDLERS;
	return handlers[kind](input);
};

/**
 * Computes the changes between `month`, stored in `folder`, and the published months before and after it.
 * `storesRows`: whether the month has, or is about to have, stored rows, beside which those of the month before are
 * stored with the changes.
 */
export async function makeChangesAround(
	dataFolder: string,
	month: string,
	folder: string,
	storesRows = hasRowsIn(folder),
	run: RunChangesTask = inThisThread,
): Promise<void> {
	const { before, after } = neighbours(dataFolder, month);
	if (before !== null) {
		const older = snapshotFolder(dataFolder, before);
		await makeChanges(dataFolder, older, folder, run);
		if (storesRows) await addOlderRows(dataFolder, older, folder, run);
	}
	if (after !== null) await makeWholeChanges(dataFolder, folder, snapshotFolder(dataFolder, after), run);
}

/** Computes the changes between the published months before and after `month`, which is about to be removed. */
export async function makeChangesWithout(dataFolder: string, month: string): Promise<void> {
	const { before, after } = neighbours(dataFolder, month);
	if (before === null || after === null) return;
	await makeWholeChanges(dataFolder, snapshotFolder(dataFolder, before), snapshotFolder(dataFolder, after));
}

/** As {@link makeChanges}, with rows of the older month if the newer has stored rows. */
export async function makeWholeChanges(
	dataFolder: string,
	from: string,
	to: string,
	run: RunChangesTask = inThisThread,
): Promise<string> {
	const folder = await makeChanges(dataFolder, from, to, run);
	if (hasRowsIn(to)) await addOlderRows(dataFolder, from, to, run);
	return folder;
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
	await placeFolder(dataFolder, target, async (aside) => {
		await run("compare-months", { from, to, target: aside });
		return true;
	});
	return target;
}

/** Adds the rows of the older month that entries contain to the stored changes between the months in two folders, unless they have them. */
async function addOlderRows(
	dataFolder: string,
	from: string,
	to: string,
	run: RunChangesTask,
): Promise<void> {
	const changes = changesFolder(dataFolder, digestOf(from), digestOf(to));
	if (areOlderRowsStored(changes)) return;
	await placeFolder(dataFolder, join(changes, ROW_STORE_FOLDER), (target) =>
		run("write-older-rows", { from, to, changes, target }),
	);
}

/** Adds older rows to the changes to a published month that got stored rows, from the month before. */
export async function addOlderRowsBefore(dataFolder: string, month: string): Promise<void> {
	const { before } = neighbours(dataFolder, month);
	if (before === null) return;
	const [from, to] = [snapshotFolder(dataFolder, before), snapshotFolder(dataFolder, month)];
	await makeWholeChanges(dataFolder, from, to);
}

/** Places a folder that `write` fills, whole and durably, at `target`; nothing if `write` resolves to false. */
async function placeFolder(
	dataFolder: string,
	target: string,
	write: (aside: string) => Promise<boolean>,
): Promise<void> {
	const aside = join(dataFolder, STAGING_FOLDER, `changes-${process.pid}`);
	rmSync(aside, { recursive: true, force: true });
	mkdirSync(aside, { recursive: true });
	try {
		if (!(await write(aside))) return;
		for (const name of readdirSync(aside)) {
			syncPath(join(aside, name));
		}
		syncPath(aside);
		makeFolder(dirname(target));
		// Without a catalog it is not a valid folder of changes or rows.
		rmSync(target, { recursive: true, force: true });
		renameSync(aside, target);
		syncPath(dirname(target));
	} finally {
		rmSync(aside, { recursive: true, force: true });
	}
}

function hasRowsIn(folder: string): boolean {
	return existsSync(join(folder, ROW_STORE_FOLDER, CATALOG_FILE));
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
