/**
 * The published snapshots of a data folder, open. A month appears here by the renaming of its
 * folder into `snapshots/` and goes when the folder does; `reload` follows.
 *
 * Invariant: a snapshot handed out stays readable for as long as it is referenced, whether or not
 * its folder is still there: mappings outlive their files. (Where files cannot be mapped, what was
 * read of it stays readable.)
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
	FormatError,
	isMonth,
	type MappingMode,
	mappingMode,
	SNAPSHOTS_FOLDER,
	SnapshotFiles,
	snapshotFolder,
} from "../formats/index.js";
import { EngineError } from "./errors.js";
import { Scratch } from "./scratch.js";
import { Snapshot } from "./snapshot.js";

export interface LibraryOptions {
	/** Folder with `snapshots/` in it. */
	readonly dataFolder: string;
	/** How files are got at. Default: mapped where the machine can, else read into shared memory. */
	readonly mapping?: MappingMode;
}

/** What a reload found. Months that fail to open are left as they were. */
export interface ReloadReport {
	readonly opened: readonly string[];
	readonly closed: readonly string[];
	readonly failed: readonly { readonly month: string; readonly error: FormatError }[];
}

interface OpenMonth {
	readonly snapshot: Snapshot;
	/** Tells one publication of a month from the next. */
	readonly stamp: string;
}

/**
 * Opens every published month. Cost O(months × columns); no byte past the headers is read until it is asked for.
 * Throws {@link EngineError} where the data folder does not exist. Months that fail to open are
 * told by `failed`.
 */
export function openLibrary(options: LibraryOptions): Library {
	if (!existsSync(options.dataFolder)) {
		throw new EngineError("no_such_folder", `data folder ${options.dataFolder} does not exist`);
	}
	const library = new Library(options.dataFolder, options.mapping);
	library.reload();
	return library;
}

export class Library {
	private readonly scratch = new Scratch();
	private readonly open = new Map<string, OpenMonth>();
	private newestFirst: readonly Snapshot[] = [];
	private failures: ReloadReport["failed"] = [];

	constructor(
		private readonly dataFolder: string,
		private readonly mapping: MappingMode = mappingMode(),
	) {}

	/** Open snapshots, newest month first. */
	get snapshots(): readonly Snapshot[] {
		return this.newestFirst;
	}

	/** The newest snapshot; null where none is open. */
	get latest(): Snapshot | null {
		return this.newestFirst[0] ?? null;
	}

	/** Months that did not open at the last reload, and why. */
	get failed(): ReloadReport["failed"] {
		return this.failures;
	}

	/** The snapshot of `month`. */
	find(month: string): Snapshot | undefined {
		return this.open.get(month)?.snapshot;
	}

	/** Opens months that appeared, drops those that went. Cost O(months) where nothing changed. */
	reload(): ReloadReport {
		const published = this.publishedMonths();
		const closed = [...this.open.keys()].filter((month) => !published.has(month));
		for (const month of closed) this.open.delete(month);
		const opened: string[] = [];
		const failed: { month: string; error: FormatError }[] = [];
		for (const [month, stamp] of published) {
			if (this.open.get(month)?.stamp === stamp) continue;
			try {
				const files = SnapshotFiles.open(snapshotFolder(this.dataFolder, month), this.mapping);
				this.open.set(month, { snapshot: new Snapshot(files, this.scratch), stamp });
				opened.push(month);
			} catch (error) {
				if (!(error instanceof FormatError)) throw error;
				failed.push({ month, error });
			}
		}
		this.failures = failed;
		this.newestFirst = [...this.open.values()]
			.map((entry) => entry.snapshot)
			.sort((a, b) => (a.month < b.month ? 1 : -1));
		return { opened, closed, failed };
	}

	/** Lets go of all snapshots. Their memory goes when the last reference does. */
	close(): void {
		this.open.clear();
		this.newestFirst = [];
	}

	/** Published months, with what tells one publication from the next: the folder's inode and the row store's. */
	private publishedMonths(): Map<string, string> {
		const folder = join(this.dataFolder, SNAPSHOTS_FOLDER);
		const months = new Map<string, string>();
		if (!existsSync(folder)) return months;
		for (const name of readdirSync(folder)) {
			if (!isMonth(name)) continue;
			const month = join(folder, name);
			const stat = statSync(month, { throwIfNoEntry: false, bigint: true });
			if (stat === undefined) continue;
			months.set(name, `${stat.ino}:${stat.mtimeNs}`);
		}
		return months;
	}
}
