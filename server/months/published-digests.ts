/** Digests of the snapshots that are published in a data folder, read again when a folder changes. */

import { statSync } from "node:fs";
import { snapshotDigest, snapshotFolder } from "../../formats/index.js";

export class PublishedDigests {
	/** By month, each with a stamp of its folder. */
	private readonly known = new Map<string, { readonly stamp: string; readonly digest: string | null }>();

	constructor(private readonly dataFolder: string) {}

	/** The digest of a month; null: it is not published, or cannot be opened. Cost: a stat if it is cached. */
	of(month: string): string | null {
		const folder = snapshotFolder(this.dataFolder, month);
		const stat = statSync(folder, { throwIfNoEntry: false, bigint: true });
		if (stat === undefined) return null;
		const stamp = `${stat.ino}:${stat.mtimeNs}`;
		const known = this.known.get(month);
		if (known?.stamp === stamp) return known.digest;
		const digest = snapshotDigest(folder);
		this.known.set(month, { stamp, digest });
		return digest;
	}
}
