/**
 * The publications that the next reload of a library opens, prepared in slices while others are served.
 *
 * Invariant: preparing changes no answer, and what was prepared is used for the same publication alone.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
	CATALOG_FILE,
	type FilesInMemory,
	type MappingMode,
	type Residency,
	ROW_STORE_FOLDER,
	SnapshotFiles,
	snapshotFolder,
} from "../formats/index.js";
import { finishWork, type SlicedWork } from "./sliced-work.js";
import type { Snapshot } from "./snapshot.js";

/** A month that is served. */
export interface OpenMonth {
	readonly files: SnapshotFiles;
	readonly snapshot: Snapshot;
	/** Distinguishes publications of one month. */
	readonly stamp: string;
}

/** Work that yields after each slice what to wait for, if anything, before the next one. */
export type Preparation<T = void> = Generator<Promise<void> | undefined, T, undefined>;

interface PreparedMonth {
	readonly stamp: string;
	readonly files: SnapshotFiles;
	/** Of the month that will be the newest, else null. */
	snapshot: Snapshot | null;
}

export class PreparedMonths {
	/** By month. */
	private readonly prepared = new Map<string, PreparedMonth>();

	constructor(
		private readonly dataFolder: string,
		private readonly mapping: MappingMode,
		/** The months that are served, by month. */
		private readonly open: ReadonlyMap<string, OpenMonth>,
		/** What becomes resident of the newest month's files. */
		private readonly ofNewest: Residency,
		private readonly snapshotOf: (files: SnapshotFiles) => Snapshot,
	) {}

	/**
	 * Opens the files of a publication, and makes those of the month that will be the newest accessible and resident.
	 * Returns the snapshot if it is served already or will be the newest. Throws FormatError.
	 */
	*prepare(month: string, stamp: string, willBeNewest: boolean): Preparation<Snapshot | null> {
		const open = this.open.get(month);
		if (open?.stamp === stamp) {
			if (willBeNewest) yield* this.makeResident(open.files.memory);
			return open.snapshot;
		}
		const known = this.prepared.get(month);
		if (known?.stamp === stamp) return known.snapshot;
		const files = yield* this.openFiles(month, stamp);
		const prepared: PreparedMonth = { stamp, files, snapshot: null };
		this.prepared.set(month, prepared);
		yield* files.prepareRowsInSlices();
		if (!willBeNewest) return null;
		yield* this.makeResident(files.memory);
		prepared.snapshot = this.snapshotOf(files);
		return prepared.snapshot;
	}

	private *makeResident(memory: FilesInMemory): Preparation {
		memory.keepOnUse(this.ofNewest);
		yield* memory.makeAccessibleInSlices();
		yield* memory.keepUsedInSlices();
	}

	/** The files of a publication and its snapshot, prepared or opened now. Throws FormatError. */
	take(month: string, stamp: string): Omit<OpenMonth, "stamp"> {
		const prepared = this.prepared.get(month);
		const files = prepared?.stamp === stamp ? prepared.files : finishWork(this.openFiles(month, stamp));
		const known = prepared?.files === files ? prepared.snapshot : null;
		// Rows may have been dropped or added since it was prepared.
		const isAsPrepared = known?.hasRowStore === hasRows(files.folder);
		const snapshot = isAsPrepared ? known : this.snapshotOf(files);
		if (prepared?.files === files) this.prepared.delete(month);
		return { files, snapshot };
	}

	/** Forgets what was prepared and not taken. */
	clear(): void {
		// Those of a month that is served are as they were where what was to be served instead did not open.
		for (const [month, { files }] of this.prepared)
			if (files !== this.open.get(month)?.files) files.memory.keepOnUse("as-read");
		this.prepared.clear();
	}

	/**
	 * The files of a publication: those that are open where only stored rows were dropped or added, so that
	 * what is accessible of them, and in huge pages, stays so.
	 */
	private *openFiles(month: string, stamp: string): SlicedWork<SnapshotFiles> {
		const folder = snapshotFolder(this.dataFolder, month);
		const before = this.open.get(month);
		if (
			before !== undefined &&
			before.files.folder === folder &&
			folderOf(before.stamp) === folderOf(stamp)
		) {
			const isOtherwise = hasRows(folder) !== before.snapshot.hasRowStore;
			if (isOtherwise && before.files.isUnchanged()) return before.files;
		}
		return yield* SnapshotFiles.openInSlices(folder, this.mapping, month);
	}
}

/** Whether a month's folder has stored rows. */
function hasRows(folder: string): boolean {
	return existsSync(join(folder, ROW_STORE_FOLDER, CATALOG_FILE));
}

/** The part of a publication's stamp that identifies its folder. */
function folderOf(stamp: string): string {
	return stamp.slice(0, stamp.indexOf(":"));
}
