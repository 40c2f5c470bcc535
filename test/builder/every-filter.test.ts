/** `builder dump` and `builder explain` take every filter: the rows of the naive scan, and a plan that shows it. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { dumpCommand } from "../../builder/commands/dump.js";
import { explainCommand } from "../../builder/commands/explain.js";
import { parseQueryText } from "../../builder/commands/query-text.js";
import { countRows } from "../../engine/columns/runs.js";
import type { Plan } from "../../engine/plan/plan.js";
import { FILTERS } from "../../formats/index.js";

import { monthRows } from "../http/drop-rows.js";
import { EVERY_FILTER, misspelled } from "../http/every-filter.js";
import { publish } from "../http/served.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows, readCsv } from "../oracle/naive-rows.js";

const MONTH = "2026-11";
const naive = new NaiveMonth(MONTH, makeRows(monthRows(MONTH), MONTH));
const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-filters-"));

before(() => publish(folder, MONTH, monthRows(MONTH)));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const { param } of FILTERS) {
	const text = EVERY_FILTER[param];

	test(`dump takes ${param}`, async (t) => {
		const { query } = parseQueryText(text);
		const out = join(folder, `${param}.csv`);
		const written = t.mock.method(process.stdout, "write", () => true);
		await dumpCommand().parseAsync([text, "--data", folder, "--out", out], { from: "user" });
		written.mock.restore();
		const numbers = readCsv(readFileSync(out, "utf8")).map((row) => row.member_state_license_number ?? "");
		const expected = naive
			.query({ ...query, limit: 10_000 })
			.rows.map((row) => row.member_state_license_number ?? "");
		assert.deepEqual(numbers, expected);
		assert.ok(
			expected.length > 0 && expected.length < naive.rowCount,
			`${expected.length} of ${naive.rowCount} rows match ${text} (test/http/every-filter.ts)`,
		);
	});

	test(`explain takes ${param}`, async (t) => {
		const explain = async (...flags: string[]) => {
			const printed: string[] = [];
			const written = t.mock.method(process.stdout, "write", (text: string) => printed.push(text) > 0);
			await explainCommand().parseAsync([text, "--data", folder, ...flags], { from: "user" });
			written.mock.restore();
			return printed.join("");
		};
		const plan = JSON.parse(await explain("--json")) as Plan;
		const isPredicate = plan.predicates.some(({ filters }) => filters.includes(param));
		const isNarrowing = countRows(plan.runs) < naive.rowCount;
		assert.ok(isPredicate || isNarrowing || plan.name !== null, "the plan applies the filter");
		const lines = await explain();
		if (isPredicate) assert.match(lines, new RegExp(`^  (\\w+, )*${param}(, \\w+)*: `, "m"));
		assert.match(lines, new RegExp(`^  \\d+ runs?.*, ${countRows(plan.runs)} rows$`, "m"));
		assert.match(
			await explain("--analyze"),
			new RegExp(`, ${naive.count(parseQueryText(text).query.filters, null)} rows, `),
		);
	});

	test(`a misspelling of ${param} is refused with its name`, () => {
		const [, ...value] = text.split("&")[0].split("=");
		const asked = `${misspelled(param)}=${value.join("=")}`;
		const message = new RegExp(`^no parameter "${misspelled(param)}"; did you mean "${param}"\\?`);
		assert.throws(() => parseQueryText(asked), { text: message });
	});
}
