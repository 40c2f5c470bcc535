/** Values that are odd for their column are reported, with counts and samples, and stop nothing. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { OddValues } from "../../builder/profile/odd-rows.js";
import { columnText } from "../../builder/report/build-report.js";
import { columnNamed, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";
import { oddIn } from "./odd-in.js";

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
			["null_text", "member_preferred_phone", null, 1],
			["odd_email", "member_email", null, 5],
			["odd_phone", "member_preferred_phone", null, 4],
		],
	);
	assert.deepEqual(oddValues[0].samples, ["Fresno"]);
	assert.deepEqual(
		[...oddValues[4].samples].sort(),
		oddValues[4].samples.filter((s) => phones.includes(s)).sort(),
	);
	const markdown = readFileSync(reportFile.replace(/json$/, "md"), "utf8");
	assert.match(markdown, /^\*\*2026-10: not published\*\* \u2013 123 rows, 0 rejected/);
	assert.match(markdown, /\| odd\\_email \| member\\_email \| {2}\| 5 \|/);
	const page = readFileSync(reportFile.replace(/json$/, "html"), "utf8");
	assert.match(page, /@media print/);
	assert.match(page, /<td>no_last_names<\/td>/);
});

/** Each case alone, so that a judgement of one does not stand in for another's. */
test("e-mail addresses and phone numbers are judged one by one", async () => {
	const sound = {
		member_email: ["a@b.c", "a.b@c.d", "a@b.c.d", "a@b..c", "a+b@c-d.e"],
		member_preferred_phone: [
			"1234567",
			"1111112",
			"(559) 555-0110",
			"12345678901234567890",
			"tel 5550110 x5",
			"5.551.234.567",
		],
	};
	const odd = {
		member_email: [
			"a",
			"a.b",
			"@",
			"@b.c",
			"a@",
			"a@b",
			"a@.b",
			"a@b.",
			"a@@b.c",
			"a@b.c@d.e",
			"'a@b.c",
			'"a@b.c"',
			"a b@c.d",
			"a@b .c",
		],
		member_preferred_phone: [
			"123456",
			"11111111",
			"123456789012345678901",
			"call",
			"000-000-0000",
			"5.551234567E9",
			"1.555123E+10",
		],
	};
	for (const column of ["member_email", "member_preferred_phone"] as const) {
		const rowsOf = (values: readonly string[]) =>
			values.map((value, i) => ({
				state: "CA",
				member_state_license_number: String(i),
				member_last_name: `N${i}`,
				[column]: value,
			}));
		assert.deepEqual(await oddIn(rowsOf(sound[column])), [], column);
		const [found, ...others] = await oddIn(rowsOf(odd[column]));
		assert.deepEqual([found.column, found.rows, found.samples.length], [column, odd[column].length, 3]);
		assert.ok(found.samples.every((sample) => odd[column].includes(sample)));
		assert.deepEqual(others, []);
	}
});

test("rows without a license number and codes written as formulas are counted", async () => {
	const row = (state: string, number: string, zip: string) => ({
		state,
		member_state_license_number: number,
		member_postal_code: zip,
		member_last_name: "N",
	});
	const rows = [
		row("CA", "", "1"),
		row("CA", "", '="02139"'),
		row("TX", "", "2"),
		row("NY", '="1"', '="02139"'),
	];
	const found = await oddIn([...rows, row("NY", "=2", '"3'), row("NV", '="0"', "=")]);
	assert.deepEqual(
		found.map(({ kind, column, state, rows, samples }) => [kind, column, state, rows, samples]),
		[
			["no_license_number", "member_state_license_number", "CA", 2, []],
			["no_license_number", "member_state_license_number", "TX", 1, []],
			["formula_text", "member_state_license_number", null, 2, ['="0"', '="1"']],
			["formula_text", "member_postal_code", null, 2, ['="02139"']],
			["odd_postal_code", "member_postal_code", null, 1, ["="]],
		],
	);
});

test("codes that a spreadsheet damaged are counted", async () => {
	const row = (number: string, zip: string) => ({
		state: "CA",
		member_state_license_number: number,
		member_postal_code: zip,
		member_last_name: "N",
	});
	const found = await oddIn([
		...[row("1.23457E+11", "####"), row("1.23457E+11", "90210"), row("2e+9", "#REF!"), row("#N/A", "9")],
		...[
			row("#12", "E+9"),
			row("12E5", "9+10"),
			row("A1.2E+11", "1.5E+"),
			row("1.5E7", "9.9E1"),
			row("+1", "#NA"),
			row("+", "1"),
		],
	]);
	assert.deepEqual(
		found.map(({ kind, column, rows, samples }) => [kind, column, rows, samples]),
		[
			["number_without_digit", "member_state_license_number", 1, ["+"]],
			["damaged_code", "member_state_license_number", 5, ["#N/A", "1.23457E+11", "1.5E7"]],
			["damaged_code", "member_postal_code", 3, ["####", "#REF!", "9.9E1"]],
		],
	);
});

test("license numbers without a digit, as of totals and legends, are counted", async () => {
	const numbers = ["Total", "Total", "A", "(number)", "\u0663", "T1", "12", "x\u00e90", "#N/A", ""];
	const rows = numbers.map((number) => ({
		state: "CA",
		member_state_license_number: number,
		member_last_name: "N",
	}));
	const found = (await oddIn(rows)).filter(({ kind }) => kind === "number_without_digit");
	assert.deepEqual(found, [
		{
			kind: "number_without_digit",
			column: "member_state_license_number",
			state: null,
			rows: 5,
			samples: ["(number)", "A", "Total"],
		},
	]);
});

test("licenses that expire before they were issued, or were issued before they first were, are counted by state", async () => {
	const row = (state: string, first: string, issued: string, expires: string) => ({
		state,
		member_state_license_number: "1",
		member_last_name: "N",
		member_license_first_issued: first,
		member_license_issued: issued,
		member_license_expires: expires,
	});
	const found = await oddIn([
		...[
			row("TX", "2010-01-01", "2020-01-01", "2026-01-01"),
			row("TX", "2010-01-01", "2010-01-01", "2010-01-01"),
		],
		...[row("TX", "", "2020-01-01", ""), row("TX", "", "", "2010-01-01"), row("TX", "2030-01-01", "", "")],
		...[row("CA", "2010-01-01", "2026-01-01", "2020-01-01"), row("CA", "2026-01-01", "", "2020-01-01")],
		...[
			row("CA", "2026-01-01", "2026-01-02", "2020-01-01"),
			row("NY", "2010-01-02", "2010-01-01", "2020-01-01"),
		],
	]);
	assert.deepEqual(
		found.map(({ kind, column, state, rows, samples }) => [kind, column, state, rows, [...samples].sort()]),
		[
			[
				...["dates_out_of_order", "member_license_expires", "CA", 3],
				["2020-01-01 < 2026-01-01", "2020-01-01 < 2026-01-02"],
			],
			["dates_out_of_order", "member_license_issued", "NY", 1, ["2010-01-01 < 2010-01-02"]],
		],
	);
});

test("samples of contacts are different texts", async () => {
	const [row] = stateRows("CA", 1);
	const emails = ["no", "no", "no", "?", "no", "unknown"];
	const [{ rows, samples }] = await oddIn(emails.map((member_email) => ({ ...row, member_email })));
	assert.equal(rows, emails.length);
	assert.deepEqual([...samples].sort(), ["?", "no", "unknown"]);
});

test("long samples are shortened", async () => {
	const long = "x".repeat(81);
	const row = { state: "CA", member_state_license_number: "1", member_last_name: "N" };
	const [{ samples }] = await oddIn([{ ...row, member_email: long }]);
	assert.deepEqual(samples, [`${long.slice(0, 80)}\u2026`]);
	const [kept] = await oddIn([{ ...row, member_email: long.slice(1) }]);
	assert.deepEqual(kept.samples, [long.slice(1)]);
});

test("a name that only looks like another is shown with an escape", () => {
	const odd = { kind: "mapped_header_absent", file: "a.csv", count: 1 } as const;
	assert.equal(
		columnText({ ...odd, column: "City Name", likely: "City\u00a0Name" }),
		"City Name (probably City\\u00a0Name)",
	);
	assert.equal(columnText({ ...odd, column: "Ville\u202f" }), "Ville\\u202f");
});

test("matched contacts of Canadian rows are reported and kept, those of US rows are not odd", async (t) => {
	const contacts = { matched_email: "ann@mail.example.org", matched_phone: "(416) 555-0134" };
	const rows = [
		...stateRows("CA", 3).map((row) => ({ ...row, ...contacts })),
		...stateRows("ON", 2).map((row) => ({ ...row, ...contacts })),
		...stateRows("BC", 1).map((row) => ({ ...row, matched_email: "", matched_phone: "(604) 555-0178" })),
	];
	const builder = builderFolder(t);
	const drop = builder.write("a-2026-10.csv", csv(rows, Object.keys(rows[0])));
	const { oddValues } = await builder.json<{ oddValues: OddValues[] }>("build", drop);
	assert.deepEqual(
		oddValues
			.filter(({ kind }) => kind === "matched_outside_us")
			.map(({ column, state, rows, samples }) => [column, state, rows, [...samples].sort()]),
		[
			["matched_email", null, 2, ["ann@mail.example.org"]],
			["matched_phone", null, 3, ["(416) 555-0134", "(604) 555-0178"]],
		],
	);
	const files = SnapshotFiles.open(snapshotFolder(builder.data, "2026-10"), "shared-memory");
	const { offsets } = files.text(columnNamed("matched_phone"));
	assert.equal(offsets[6] - offsets[0], 6 * "(416) 555-0134".length, "the values stay");
});
