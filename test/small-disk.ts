/** A disk that can be filled up. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A disk of 16 MiB in memory; null where none can be mounted. */
export function smallDisk(t: TestContext): string | null {
	const disk = mkdtempSync(join(tmpdir(), "rollcall-disk-"));
	t.after(() => {
		// Lazily: the server may have it open for a moment more.
		spawnSync("umount", ["-l", disk]);
		rmSync(disk, { recursive: true, force: true });
	});
	return spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "none", disk]).status === 0 ? disk : null;
}

/** Fills a disk to the last byte with `file`, so that no page of the database fits either. */
export function fillUp(file: string): void {
	const filler = openSync(file, "w");
	for (const bytes of [1 << 20, 4_096, 1]) {
		try {
			for (;;) writeSync(filler, Buffer.alloc(bytes));
		} catch (error) {
			assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
		}
	}
	closeSync(filler);
}
