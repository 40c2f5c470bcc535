/** Values that are odd for their column are reported, with counts and samples, and stop nothing. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { OddValues } from "../../builder/profile/odd-values.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";

test("constant columns, states without last names, and contacts that are none are reported", async (t) => {
	const builder = builderFolder(t);
	const emails = ["a b@example.org", "nobody", "a@b@example.org", "a@localhost", "@example.org"];
	const phones = ["000-000-0000", "N/A", "12345", "call me"];
	const sound = stateRows("CA", 120).map((row, i) => ({
		...row,
		member_city: "Fresno",
		member_email: emails[i] ?? `name${i}@mail.example.org`,
		member_preferred_phone: phones[i] ?? `(559) 555-01${10 + (i % 90)} ext. 4`,
	}));
	const nameless = stateRows("TX", 3).map((row) => ({ ...row, member_last_name: "", member_city: "Fresno" }));
	const columns = Object.keys(sound[0]);
	const { oddValues, reportFile } = await builder.json<{ oddValues: OddValues[]; reportFile: string }>(
		...["build", builder.write("a-2026-10.csv", csv([...sound, ...nameless], columns)), "--dry-run"],
	);
	assert.deepEqual(
		oddValues.map(({ kind, column, state, rows }) => [kind, column, state, rows]),
		[
			["constant_column", "member_city", null, 123],
			["no_last_names", "member_last_name", "TX", 3],
			["odd_email", "member_email", null, 5],
			["odd_phone", "member_preferred_phone", null, 4],
		],
	);
	assert.deepEqual(oddValues[0].samples, ["Fresno"]);
	assert.deepEqual(
		[...oddValues[3].samples].sort(),
		oddValues[3].samples.filter((s) => phones.includes(s)).sort(),
	);
	const markdown = readFileSync(reportFile.replace(/json$/, "md"), "utf8");
	assert.match(markdown, /^\*\*2026-10: not published\*\* \u2013 123 rows, 0 rejected/);
	assert.match(markdown, /\| odd\\_email \| member\\_email \| {2}\| 5 \|/);
	const page = readFileSync(reportFile.replace(/json$/, "html"), "utf8");
	assert.match(page, /@media print/);
	assert.match(page, /<td>no_last_names<\/td>/);
});
