/**
 * Months that are built but not yet published: `held/2026-11/` with its manifest beside it. A held month is
 * complete, so its release is a rename. No server reads it.
 *
 * Invariant: a folder under `held/` with its manifest is complete; any other is a leftover.
 */

import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder, removeFile, removeFolder, replaceFile } from "../../formats/files/durable.js";
import {
	HELD_FOLDER,
	hex,
	isMonth,
	type Manifest,
	manifestSchema,
	publishRetainingRows,
	RETIRED_FOLDER,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import { makeChangesAround, removeStaleChanges } from "../changes/keep-changes.js";
import { BuildError } from "../errors.js";
import { description, openPublished, type PublishedMonth, publishedMonths } from "../published-months.js";
import { publishStaged, requirePublishable, whileLocked } from "./publish.js";

const buildBaseSchema = z.strictObject({
	month: z.string().refine(isMonth),
	/** Digest of the snapshot, from its catalog. */
	digest: z.string().regex(/^[0-9a-f]{8}$/),
});

const heldSchema = z.strictObject({
	/** Whether the release replaces the published month. */
	replace: z.boolean(),
	/**
	 * The published months that it was merged with, carried from or compared with, as they were then; empty if there
	 * were none. Months held by earlier versions have none recorded.
	 */
	built_on: z.array(buildBaseSchema).default([]),
	/** Whether an older month keeps its stored rows at the release. */
	keep_older_rows: z.boolean().default(false),
	manifest: manifestSchema,
});

/** A published month that a held one was built on. */
export type BuildBase = z.infer<typeof buildBaseSchema>;
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

/**
 * Publishes a held month. Throws {@link BuildError} `not_held`, `already_published` or `not_published`, and
 * `held_outdated` if a month that it was built on is not live any more: publishing would undo its replacement, or
 * publish rows that were compared with, or copied from, rows that are out of service.
 */
export async function releaseMonth(dataFolder: string, month: string): Promise<Manifest> {
	return whileLocked(dataFolder, async () => {
		const { replace, keep_older_rows, built_on, manifest } = requireHeld(dataFolder, month);
		const folder = heldFolder(dataFolder, month);
		requireReleasable(dataFolder, month, replace);
		for (const base of built_on) requireLive(dataFolder, base);
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

/** Throws {@link BuildError} if a held month cannot be published as it was meant to be, with what can be done. */
function requireReleasable(dataFolder: string, month: string, replace: boolean): void {
	const isPublished = existsSync(snapshotFolder(dataFolder, month));
	const isRetired = existsSync(join(dataFolder, RETIRED_FOLDER, month));
	if (replace && !isPublished) {
		const remedy = isRetired ? "restore it first" : "build it again without --replace";
		const rule = `${month} was ${isRetired ? "retired" : "removed"} after its replacement was held`;
		throw new BuildError("not_published", `${rule}; ${remedy}, or --discard the replacement`);
	}
	if (!replace && isPublished) {
		const rule = `another ${month} was published after this one was held`;
		throw new BuildError("already_published", `${rule}; build it again with --replace, or --discard it`);
	}
	if (!replace && isRetired) {
		const rule = `another ${month} is retired; prune it first, which deletes it for good`;
		throw new BuildError("already_published", `${rule}, or --discard the held one`);
	}
	requirePublishable(dataFolder, month, replace);
}

/** Throws {@link BuildError} `held_outdated` unless the snapshot that a held month was built on is live. */
function requireLive(dataFolder: string, { month, digest }: BuildBase): void {
	const isPublished = publishedMonths(dataFolder).includes(month);
	if (isPublished && hex(openPublished(dataFolder, month).crc) === digest) return;
	const what = isPublished ? "replaced" : "retired";
	throw new BuildError(
		"held_outdated",
		`${month} was ${what} after this month was held; build it again, or --discard it`,
	);
}
