/**
 * Public rosters of three states through their map files, which double as examples. The rosters are not
 * part of the project; where they are missing, the test reports it and skips.
 */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseMonth } from "../../builder/csv/index.js";
import { rowsOf } from "./parsed-rows.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const rosters = join(root, "../shared/data/real");

test("three states' rosters build to one month by their maps, without rejects", async (t) => {
	if (!existsSync(rosters)) return t.skip(`the rosters are not at ${rosters}`);
	const scratch = mkdtempSync(join(tmpdir(), "rollcall-rosters-"));
	const rejectFile = join(scratch, "rejects.csv");
	const maps = ["ct", "il", "tx"].map((state) => join(root, "test/maps", `${state}.json`));
	const month = await parseMonth({ files: [rosters], maps, rejectFile, threads: 2 });
	rmSync(scratch, { recursive: true });
	const rows = rowsOf(month);

	const counts = new Map(month.sources.map((source) => [source.file.slice(rosters.length + 1), source.rows]));
	assert.deepEqual(Object.fromEntries(counts), {
		"ct-brokers.csv": 25_513,
		"il-home-inspector.csv": 1_450,
		"il-real-estate-appraiser.csv": 2_491,
		"il-real-estate-brokerage.csv": 4_760,
		"tx-inspectors.csv": 8_514,
	});
	assert.equal(month.rejects.rows, 0);
	assert.deepEqual(rows[0], {
		country: "US",
		state: "CT",
		member_full_name: "CARLA JEAN ZIMMERMAN",
		member_type: "LICENSED REAL ESTATE BROKER",
		member_city: "CHEPACHET",
		member_state_or_province: "RI",
		member_postal_code: "028142516",
		member_state_license_number: "795026",
		member_license_first_issued: "2012-05-10",
		member_license_expires: "2026-05-31",
	});
	assert.ok(rows.some((row) => row.state === "CT" && row.member_city?.endsWith(", USA")));
	assert.ok(rows.every((row) => row.last_refreshed === undefined));
	assert.deepEqual(
		month.oddities.map(({ kind, file }) => [kind, file.slice(rosters.length + 1)]),
		[["skipped_file", "README.md"]],
	);
});
