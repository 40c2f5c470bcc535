/**
 * The exported files of loaded snapshots. A manifest is read at its first use and again after it was replaced,
 * so an export or its removal takes effect at the next request. Cost: a stat per month.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import {
	EXPORT_MANIFEST_FILE,
	type ExportedFile,
	type ExportManifest,
	exportsFolder,
	type MonthOfDigest,
	readExportManifest,
	storedExportName,
} from "../../formats/index.js";

interface Known {
	/** Identifies a version of the manifest's file. */
	readonly stamp: string;
	readonly manifest: ExportManifest | null;
}

export class ExportCatalog {
	private readonly known = new Map<string, Known>();

	constructor(private readonly dataFolder: string) {}

	/** The exports of a snapshot; null: none. Throws FormatError for a damaged manifest. */
	of(snapshot: MonthOfDigest): ExportManifest | null {
		const folder = exportsFolder(this.dataFolder, snapshot);
		const stamp = stampOf(join(folder, EXPORT_MANIFEST_FILE));
		if (stamp === null) {
			this.known.delete(folder);
			return null;
		}
		const known = this.known.get(folder);
		if (known?.stamp === stamp) return known.manifest;
		const manifest = readExportManifest(folder);
		this.known.set(folder, { stamp, manifest });
		return manifest;
	}

	/** Path of one of a manifest's files. */
	pathOf(manifest: ExportManifest, file: ExportedFile): string {
		return join(exportsFolder(this.dataFolder, manifest), storedExportName(file));
	}
}

function stampOf(path: string): string | null {
	const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
	return stat === undefined ? null : `${stat.ino}:${stat.mtimeNs}`;
}
