/**
 * What of the files of a month is in memory, and of those of its row store once rows are read.
 *
 * Invariant: a row store that is no longer referenced elsewhere is collected while its month stays open.
 */

import type { Residency, SectionFile } from "./section-file.js";

export class FilesInMemory {
	private residency: Residency = "as-read";
	/** Of the row store in use. */
	private rows: WeakRef<FilesInMemory> | null = null;

	constructor(private readonly files: readonly SectionFile[]) {}

	/** What becomes resident of files at their first use, of those of a row store when rows are first read. Cost O(files). */
	keepOnUse(residency: Residency): void {
		if (residency === this.residency) return;
		this.residency = residency;
		for (const file of this.files) file.keepOnUse(residency);
		this.rows?.deref()?.keepOnUse(residency);
	}

	/**
	 * Makes the files that are in use resident as {@link keepOnUse} said since, as far as memory suffices now, and yields after
	 * each, a fraction of a millisecond.
	 */
	*keepUsedInSlices(): Generator<undefined, void, undefined> {
		for (const file of this.files) if (file.keepIfUsed()) yield;
		const rows = this.rows?.deref();
		if (rows !== undefined) yield* rows.keepUsedInSlices();
	}

	/** Reads rows in the files of a row store from now on, which become resident as these are. Cost O(files). */
	useRows(rows: FilesInMemory): void {
		this.rows = new WeakRef(rows);
		rows.residency = this.residency;
		for (const file of rows.files) file.keep(this.residency);
	}

	/**
	 * Makes the memory of the files accessible and resident before it is used, and yields after each until when it is to
	 * wait: V8 may collect garbage meanwhile, for some milliseconds at most, where it would hold the thread for each file
	 * that is used. Throws FormatError.
	 */
	*makeAccessibleInSlices(): Generator<Promise<void>, void, undefined> {
		for (const file of this.files) {
			const resident = file.makeAccessible();
			if (resident !== null) yield resident;
		}
	}
}
