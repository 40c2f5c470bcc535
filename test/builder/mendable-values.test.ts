/** Values that a setting of a map mends are counted by column, and the report names the setting, which then mends them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { BuildReport } from "../../builder/report/build-report.js";
import { reportText } from "../../builder/report/report-text.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";

const MENDABLE: ReadonlySet<string> = new Set(["null_text", "decimal_code", "short_zip"]);

test("texts that mean null, codes as decimals and short ZIP codes are counted until a map mends them", async (t) => {
	const builder = builderFolder(t);
	const nulls = ["NULL", "None", "nan", "\\N", "N/A", "Null", "Nan", "NA", "Nonesuch", "n/a "];
	const numbers = ["12.0", "13.00", "14.5", "A.0", ".0", "15.", "1.2.0", "90", "100", "17.0"];
	const zips = ["7001", "601", "90001.0", "07001", "70", "7001-1234", "K1A 0B1", "A123", "999", "2139"];
	const rows = stateRows("NJ", 10).map((row, i) => ({
		...row,
		member_first_name: nulls[i],
		member_state_license_number: numbers[i],
		member_postal_code: zips[i],
		member_city: i === 0 ? "NULL" : "Newark",
		member_address: ["1 Main St", "NULL", "N/A"][i % 3],
		member_preferred_phone: ["2015550123.0", "201-555-0123", "NULL"][i % 3],
	}));
	const canadian = { ...stateRows("ON", 1)[0], member_postal_code: "1234", member_first_name: "Ann" };
	const drop = builder.write("a-2026-10.csv", csv([...rows, canadian], Object.keys(rows[0])));
	const report = await builder.json<BuildReport>("build", drop, "--dry-run");
	const found = report.oddValues.filter(({ kind }) => MENDABLE.has(kind));
	assert.deepEqual(
		found.map(({ kind, column, rows: odd, samples }) => [kind, column, odd, samples]),
		[
			["null_text", "member_first_name", 6, ["\\N", "N/A", "n/a"]],
			["null_text", "member_city", 1, ["NULL"]],
			["null_text", "member_address", 6, ["NULL", "N/A"]],
			["null_text", "member_preferred_phone", 3, ["NULL"]],
			["decimal_code", "member_state_license_number", 3, ["12.0", "13.00", "17.0"]],
			["decimal_code", "member_postal_code", 1, ["90001.0"]],
			["short_zip", "member_postal_code", 4, ["2139", "601", "7001"]],
			["decimal_code", "member_preferred_phone", 4, ["2015550123.0"]],
		],
	);
	assert.ok(found.every(({ state }) => state === null));
	const text = reportText(report);
	for (const [kind, setting] of [
		["null_text", "nulls"],
		["decimal_code", "trimDecimal"],
		["short_zip", "pad"],
	])
		assert.match(text, new RegExp(`^${kind}: "${setting}"`, "m"));

	const map = {
		nulls: ["NULL", "None", "nan", "\\N", "N/A", "n/a"],
		trimDecimal: ["member_state_license_number", "member_postal_code", "member_preferred_phone"],
		pad: { member_postal_code: 5 },
	};
	const args = ["--map", builder.write("map.json", JSON.stringify(map)), "--dry-run"];
	const mended = await builder.json<BuildReport>("build", drop, ...args);
	assert.deepEqual(
		mended.oddValues.filter(({ kind }) => MENDABLE.has(kind)),
		[],
	);
	assert.deepEqual(mended.oddityRemedies, []);
});
