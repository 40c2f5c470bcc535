/**
 * Months that are built but not yet published: `held/2026-11/` with its manifest beside it. A held month is
 * complete, so its release is a rename. No server reads it.
 *
 * Invariant: a folder under `held/` with its manifest is complete; any other is a leftover.
 */

import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder, removeFile, removeFolder, replaceFile } from "../formats/durable.js";
import {
	HELD_FOLDER,
	isMonth,
	type Manifest,
	manifestSchema,
	publishRetainingRows,
	SnapshotFiles,
} from "../formats/index.js";
import { makeChangesAround, removeStaleChanges } from "./changes/keep-changes.js";
import { BuildError } from "./errors.js";
import { publishStaged, requirePublishable, whileLocked } from "./publish.js";
import { description, type PublishedMonth } from "./published-months.js";

const heldSchema = z.strictObject({
	/** Whether the release replaces the published month. */
	replace: z.boolean(),
	/** Whether an older month keeps its stored rows at the release. */
	keep_older_rows: z.boolean().default(false),
	manifest: manifestSchema,
});

export type Held = z.infer<typeof heldSchema>;

/** Folder of the held snapshot of `month`. */
function heldFolder(dataFolder: string, month: string): string {
	return join(dataFolder, HELD_FOLDER, month);
}

function heldFile(dataFolder: string, month: string): string {
	return join(dataFolder, HELD_FOLDER, `${month}.json`);
}

/** Held months, newest first. */
export function heldMonths(dataFolder: string): string[] {
	const folder = join(dataFolder, HELD_FOLDER);
	if (!existsSync(folder)) return [];
	return readdirSync(folder)
		.filter((name) => isMonth(name) && existsSync(heldFile(dataFolder, name)))
		.sort()
		.reverse();
}

/** Holds the finished snapshot in `folder`, in place of one held before. REQUIRES: the builder's lock is held. */
export function holdMonth(dataFolder: string, folder: string, held: Held): void {
	const { month } = held.manifest;
	const target = heldFolder(dataFolder, month);
	const file = heldFile(dataFolder, month);
	makeFolder(join(dataFolder, HELD_FOLDER));
	// A folder without its manifest is ignored, so a crash does not mix two held months.
	removeFile(file);
	removeFolder(target);
	renameSync(folder, target);
	replaceFile(file, `${JSON.stringify(held, null, "\t")}\n`);
}

/** What is held of `month`; null if nothing is. */
export function readHeld(dataFolder: string, month: string): Held | null {
	const file = heldFile(dataFolder, month);
	if (!isMonth(month) || !existsSync(file) || !existsSync(heldFolder(dataFolder, month))) return null;
	const parsed = heldSchema.safeParse(jsonOf(readFileSync(file, "utf8")));
	if (!parsed.success) {
		const rule = `the held month's manifest is damaged: build it again, or remove it with release ${month} --discard`;
		throw new BuildError("not_held", rule, { file });
	}
	return parsed.data;
}

/** The value of a JSON text; undefined for any other text. */
function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Opens a held month. Throws {@link BuildError} `not_held`, or FormatError for a damaged one. */
export function openHeld(dataFolder: string, month: string): SnapshotFiles {
	requireHeld(dataFolder, month);
	return SnapshotFiles.open(heldFolder(dataFolder, month));
}

/** A held month as listed by `builder list --held`. */
export function describeHeld(dataFolder: string, month: string): PublishedMonth {
	return description(openHeld(dataFolder, month), requireHeld(dataFolder, month).manifest);
}

/** Publishes a held month. Throws {@link BuildError} `not_held`, `already_published` or `not_published`. */
export async function releaseMonth(dataFolder: string, month: string): Promise<Manifest> {
	return whileLocked(dataFolder, async () => {
		const { replace, keep_older_rows, manifest } = requireHeld(dataFolder, month);
		const folder = heldFolder(dataFolder, month);
		requirePublishable(dataFolder, month, replace);
		await makeChangesAround(dataFolder, month, folder);
		publishRetainingRows(dataFolder, keep_older_rows, () =>
			publishStaged(dataFolder, folder, manifest, replace),
		);
		removeFile(heldFile(dataFolder, month));
		removeStaleChanges(dataFolder);
		return manifest;
	});
}

/** Deletes a held month, also a damaged one. Throws {@link BuildError} `not_held`. */
export async function discardHeld(dataFolder: string, month: string): Promise<void> {
	await whileLocked(dataFolder, () => {
		if (!heldMonths(dataFolder).includes(month)) throw notHeld(dataFolder, month);
		removeFile(heldFile(dataFolder, month));
		removeFolder(heldFolder(dataFolder, month));
	});
}

function requireHeld(dataFolder: string, month: string): Held {
	const held = readHeld(dataFolder, month);
	if (held === null) throw notHeld(dataFolder, month);
	return held;
}

function notHeld(dataFolder: string, month: string): BuildError {
	return new BuildError("not_held", `${month} is not held in ${dataFolder}`);
}
