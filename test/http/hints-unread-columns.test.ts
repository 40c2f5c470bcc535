/** Hints recommend no filter that the key is refused, since it does not read the filter's column (docs/API.md §3.2, §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS, type ColumnName } from "../../formats/index.js";
import { overBothTransports } from "./served.js";

/** Requests whose hints recommend a filter on another column: that column, and the filter. */
const RECOMMENDED: readonly (readonly [path: string, column: ColumnName, filter: RegExp])[] = [
	["/v1/licenses?license_status=active&state=TX", "license_status_group", /\bstatus_group\b/],
	["/v1/licenses?license_status=Active", "license_status_group", /\bstatus_group\b/],
	["/v1/licenses?status_not=Active", "license_status_group", /\bstatus_group\b/],
	["/v1/aggregate?by=state&license_status=Active", "license_status_group", /\bstatus_group\b/],
	[
		"/v1/aggregate?by=state&compare=2026-10&license_status=Active",
		"license_status_group",
		/\bstatus_group\b/,
	],
	["/v1/changes?license_status=active", "license_status_group", /\bstatus_group\b/],
	["/v1/licenses?member_type=broker&state=TX", "member_type_group", /\btype_group\b/],
	["/v1/licenses?type_not=Salesperson", "member_type_group", /\btype_group\b/],
	["/v1/licenses?last_name=Zabriskie+Jan", "member_full_name", /\bname takes whole names\b/],
	[
		"/v1/licenses?state=QC&first_name=Given0&last_name=Smithson",
		"member_full_name",
		/\bname takes both names\b/,
	],
];

overBothTransports("hints and the columns of a key", (served) => {
	test("recommend the filters of the columns that it reads alone", async () => {
		const history = { mode: "all" } as const;
		const whole = await served().key({ scope: { history } });
		for (const [path, column, filter] of RECOMMENDED) {
			const columns = COLUMNS.map(({ name }) => name).filter((name) => name !== column);
			const narrow = await served().key({ scope: { columns, history } });
			// The whole key first: its hints must not be those of the other.
			for (const [key, isRecommended] of [
				[whole, true],
				[narrow, false],
				[whole, true],
			] as const) {
				const { status, text } = await served().request(path, key);
				assert.equal(status, 200, text);
				const { hints } = JSON.parse(text).meta;
				assert.ok(hints?.length > 0, path);
				assert.equal(filter.test(JSON.stringify(hints)), isRecommended, `${path}: ${JSON.stringify(hints)}`);
			}
		}
	});
});
