/**
 * Data folders that many test files begin with: built once in a run of the tests, by the first file that needs
 * them, and copied by the others. So is what is found out about the machine.
 */

import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Variable that names the run's folder of what has been built; without it every file builds its own. */
export const PREBUILT_VARIABLE = "PREBUILT_FOR_ROLLCALL_TESTS";

/** A folder of the caller's own with what `build` puts into an empty one; `name` stands for the same in all files. */
export async function prebuilt(name: string, build: (folder: string) => Promise<void>): Promise<string> {
	const own = mkdtempSync(join(tmpdir(), `rollcall-${name}-`));
	const shared = process.env[PREBUILT_VARIABLE];
	if (shared === undefined) {
		await build(own);
		return own;
	}
	const built = join(shared, name);
	if (!existsSync(built)) await buildShared(built, build);
	cpSync(built, own, { recursive: true });
	return own;
}

/** What `find` finds, asked once in a run; null is asked for again. */
export function foundOnce(name: string, find: () => string | null): string | null {
	const shared = process.env[PREBUILT_VARIABLE];
	if (shared === undefined) return find();
	const file = join(shared, name);
	if (existsSync(file)) return readFileSync(file, "utf8");
	const found = find();
	if (found === null) return null;
	writeFileSync(`${file}.${process.pid}`, found);
	renameSync(`${file}.${process.pid}`, file);
	return found;
}

/** Builds aside, so that `built` is there whole or not at all. Of several files at once one is kept. */
async function buildShared(built: string, build: (folder: string) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(`${built}-`);
	await build(folder);
	try {
		renameSync(folder, built);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
		rmSync(folder, { recursive: true, force: true });
	}
}
