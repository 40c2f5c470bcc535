/** A build's report says what mends the oddities of its drop, and shows samples of them, in every form. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { BuildReport } from "../../builder/report/build-report.js";
import { reportText } from "../../builder/report/report-text.js";
import { textCell, workbookOfSheets } from "../csv/zip-bytes.js";
import { builderFolder } from "./builder-process.js";

test("formulas without a value are shown with what mends them", async (t) => {
	const builder = builderFolder(t);
	const header = ["state", "member_state_license_number", "member_license_status"].map(textCell);
	const row = [textCell("TX"), textCell("1"), '<c><f>IF(1,"Active","x")</f></c>'];
	const drop = builder.write("a-2026-10.xlsx", workbookOfSheets([{ name: "A", rows: [header, row] }]));
	const report = await builder.json<BuildReport & { reportFile: string }>("build", drop);
	assert.deepEqual(
		report.oddityRemedies.map(({ kind }) => kind),
		["uncalculated_formula"],
	);
	const remedy = "open it in a spreadsheet program and save it";
	const text = reportText(report);
	assert.match(text, /^uncalculated_formula, .*a-2026-10\.xlsx, line 2: =IF\(1,"Active","x"\)$/m);
	assert.match(text, new RegExp(`^uncalculated_formula: .*${remedy}$`, "m"));
	const other = (ending: string) => readFileSync(report.reportFile.replace(/json$/, ending), "utf8");
	assert.match(other("md"), new RegExp(`^- uncalculated\\\\_formula: .*${remedy}$`, "m"));
	assert.match(other("html"), /<td>2<\/td><td>=IF\(1,&quot;Active&quot;,&quot;x&quot;\)<\/td>/);
	assert.match(other("html"), new RegExp(`<td>uncalculated_formula</td><td>.*${remedy}</td>`));
});

test("states of addresses and sheets that are not read are shown with what mends them", async (t) => {
	const builder = builderFolder(t);
	const header = ["state", "member_state_license_number"].map(textCell);
	const states = ["CT", "CT", "CT", "CT", "NY", "MA", "FL"];
	const rows = [header, ...states.map((state, i) => [textCell(state), textCell(`${i}`)])];
	const drop = builder.write(
		"a-2026-10.xlsx",
		workbookOfSheets([
			{ name: "A-L", rows },
			{ name: "M-Z", rows },
		]),
	);
	const { stdout } = await builder.run("build", drop);
	assert.match(stdout, /^address_state: .*member_state_or_province.*"constants" of a --map file$/m);
	assert.match(
		stdout,
		/^unread_sheet: "sheet" in a --map file names the sheet to read; save each .* several$/m,
	);
});

test("dates that stand for none are shown with what mends them, and it does", async (t) => {
	const builder = builderFolder(t);
	const columns = ["state", "member_state_license_number", "member_license_issued", "member_license_expires"];
	const line = (i: number) =>
		`CA,${i},${i % 9 === 0 ? "1/1/1900" : "1/31/2020"},${i % 7 === 0 ? "12/31/9999" : "1/31/2027"}`;
	const drop = builder.write(
		"a-2026-10.csv",
		`${[columns.join(","), ...Array.from({ length: 63 }, (_, i) => line(i))].join("\n")}\n`,
	);
	const oddDates = async (map: object) => {
		const path = builder.write("map.json", JSON.stringify({ dateFormat: "MM/DD/YYYY", ...map }));
		const report = await builder.json<BuildReport>("build", drop, "--map", path, "--dry-run");
		const odd = report.oddValues.filter(({ kind }) => kind === "odd_date" || kind === "dates_out_of_order");
		return { report, odd: odd.map(({ column, rows, samples }) => [column, rows, samples]) };
	};
	const { report, odd } = await oddDates({});
	assert.deepEqual(odd, [
		["member_license_issued", 7, ["1900-01-01"]],
		["member_license_expires", 9, ["9999-12-31"]],
	]);
	assert.match(
		reportText(report),
		/^odd_date: "nulls" in a --map file .* such as 12\/31\/9999 or 1900-01-01;/m,
	);
	assert.deepEqual((await oddDates({ nulls: ["12/31/9999", "1/1/1900"] })).odd, []);
});
