/** The odd values of a month of given rows. */

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { OddValues } from "../../builder/profile/odd-rows.js";
import { findOddValues } from "../../builder/profile/odd-values.js";
import { SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";

export async function oddIn(rows: readonly RawRow[]): Promise<OddValues[]> {
	const data = mkdtempSync(join(MEMORY_FOLDER, "rollcall-odd-"));
	try {
		await compileRows(rows, "2026-11", data, false, new Draw(1, 1));
		return findOddValues(SnapshotFiles.open(snapshotFolder(data, "2026-11"), "shared-memory"));
	} finally {
		rmSync(data, { recursive: true });
	}
}
