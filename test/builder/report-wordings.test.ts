/** A build's report lists a bounded number of statuses and types, and says how many more there are. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type BuildReport, WORDINGS_LISTED_MAX } from "../../builder/report/build-report.js";
import { reportText } from "../../builder/report/report-text.js";
import { builderFolder } from "./builder-process.js";

const ROWS = 1_500;

test("of a column of numbers that is mapped as the status, the most frequent wordings are listed", async (t) => {
	const builder = builderFolder(t);
	const dropOf = (month: string, status: string) => {
		const rows = Array.from(
			{ length: ROWS },
			(_, i) => `CA,${i},${i === ROWS - 1 ? "Frequent" : status}${i}`,
		);
		const header = "state,member_state_license_number,member_license_status";
		return builder.write(`a-${month}.csv`, [header, ...rows, `CA,x,Frequent${ROWS - 1}`, ""].join("\n"));
	};
	const build = (drop: string) =>
		builder.json<BuildReport & { reportFile: string }>("build", drop, "--accept", "all");
	await build(dropOf("2026-10", "A"));
	const report = await build(dropOf("2026-11", "B"));
	assert.equal(report.unmapped.length, WORDINGS_LISTED_MAX);
	assert.deepEqual([report.unmapped[0].text, report.unmapped[0].rows], [`Frequent${ROWS - 1}`, 2]);
	assert.equal(report.unlistedUnmapped, ROWS - WORDINGS_LISTED_MAX);
	const { comparison } = report;
	assert.equal(comparison?.vocabulary.length, WORDINGS_LISTED_MAX);
	const changed = 2 * (ROWS - 1);
	assert.equal(comparison?.unlisted_vocabulary, changed - WORDINGS_LISTED_MAX);
	const text = reportText(report);
	for (const more of ["1,490", "2,988"]) assert.match(text, new RegExp(`^and ${more} more$`, "m"));
	const page = readFileSync(report.reportFile.replace(/json$/, "html"), "utf8");
	assert.match(page, /<p>and 500 more with fewer rows<\/p>/);
	assert.ok(page.length < 200_000, `${page.length} characters`);
});
