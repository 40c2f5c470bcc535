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
