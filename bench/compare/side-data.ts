/** The months that the sides of a comparison read, and reading their files anew so that both lie alike in memory. */

import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { snapshotFolder } from "../../formats/index.js";
import { DEFAULT_MONTH, prepareDrop } from "../data/bench-month.js";
import { filesBelow, readFiles } from "../data/read-files.js";
import type { Checkout } from "./checkout.js";
import type { SideText } from "./side-text.js";

export interface MonthOptions {
	readonly work: string;
	readonly rows: number;
	readonly seed: number;
}

/**
 * Data folder of a side: the one it names, or one with a month that its own builder made from the synthetic drop. A
 * commit's month is kept; a folder's is built anew, since its code may have changed. `built` has the folders that this
 * run has built, which sides of one checkout share.
 */
export async function prepareMonth(
	{ dataFolder, rowStore, node }: SideText,
	checkout: Checkout,
	options: MonthOptions,
	built: Map<string, string>,
	told: (message: string) => void,
): Promise<string> {
	if (dataFolder !== null) return dataFolder;
	const key = `${checkout.folder} ${rowStore}`;
	const known = built.get(key);
	if (known !== undefined) return known;
	const name = checkout.commit ?? `folder-${built.size}`;
	const made = join(
		options.work,
		"compare",
		`${name}-${options.rows}-${options.seed}${rowStore ? "" : "-no-row-store"}`,
	);
	if (checkout.commit === null) rmSync(made, { recursive: true, force: true });
	if (!existsSync(snapshotFolder(made, DEFAULT_MONTH))) {
		const drop = await prepareDrop(options, DEFAULT_MONTH, told);
		told(`building ${DEFAULT_MONTH} by ${checkout.commit ?? checkout.folder}`);
		const builder = join(checkout.folder, "dist", "builder", "main.js");
		const args = [builder, "build", drop, "--data", made, "--month", DEFAULT_MONTH, "--accept", "rejects"];
		// Where it fails, its error is in the message of what is thrown.
		execFileSync(node, rowStore ? args : [...args, "--no-row-store"], { stdio: "pipe" });
	}
	built.set(key, made);
	return made;
}

/**
 * Removes the month's files from the page cache and reads them, first to last. A file that was just written lies in
 * smaller pages than one that was read, which makes it up to a tenth slower. Files that another process has mapped stay
 * as they are. Returns whether files could be removed (GNU dd).
 */
export function readAnew(folders: readonly string[]): boolean {
	const files = [...new Set(folders)].flatMap(filesBelow);
	let dropped = true;
	for (const file of files) {
		const descriptor = openSync(file, "r");
		// Only clean pages are dropped.
		fsyncSync(descriptor);
		closeSync(descriptor);
		const dd = spawnSync("dd", [`if=${file}`, "iflag=nocache", "count=0", "status=none"], {
			stdio: "ignore",
		});
		dropped &&= dd.status === 0;
	}
	readFiles(files);
	return dropped;
}
