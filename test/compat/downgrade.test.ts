/**
 * An older program beside newer data: months of a newer format are reported as such, and other months
 * are served.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openLibrary } from "../../engine/index.js";
import { CATALOG_FILE, FORMAT_VERSION, snapshotFolder } from "../../formats/index.js";
import { scratchFolder } from "../formats/hand-made-snapshot.js";

const COMPAT = fileURLToPath(new URL("../../../test/compat", import.meta.url));
const BUILDER = fileURLToPath(new URL("../../builder/main.js", import.meta.url));
const MONTH = "2026-11";
/** Offset of the version in every file (formats/SNAPSHOT.md). */
const VERSION_OFFSET = 8;

for (const file of [CATALOG_FILE, "member_city.col", `rows/${CATALOG_FILE}`]) {
	test(`a month whose ${file} is of a newer format is refused, saying what to do`, (t) => {
		const data = scratchFolder(t);
		assert.ok(existsSync(join(COMPAT, `v${FORMAT_VERSION}`)), `test/compat has no v${FORMAT_VERSION}`);
		cpSync(join(COMPAT, `v${FORMAT_VERSION}`), data, { recursive: true });
		const path = join(snapshotFolder(data, MONTH), file);
		const bytes = readFileSync(path);
		bytes.writeUInt32LE(FORMAT_VERSION + 1, VERSION_OFFSET);
		writeFileSync(path, bytes);
		const { latest, failed } = openLibrary({ dataFolder: data });
		assert.equal(latest, null);
		assert.equal(failed[0].error.code, "unsupported_version");
		assert.match(
			failed[0].error.message,
			new RegExp(
				`got ${FORMAT_VERSION + 1}: written by a newer version; update this program or rebuild the month$`,
			),
		);
		const verified = spawnSync(process.execPath, [BUILDER, "verify", "--data", data], { encoding: "utf8" });
		assert.equal(verified.status, 1);
		assert.match(verified.stderr, /^builder: .*written by a newer version.*\n$/);
	});
}
