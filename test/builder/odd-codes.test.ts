/** Rows that are no licenses, and license numbers that a spreadsheet took for dates or kept in quotes, are counted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { BuildReport } from "../../builder/report/build-report.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { builderFolder } from "./builder-process.js";
import { oddIn } from "./odd-in.js";

/** A row of its own status, so that no column is constant and no row is bare. */
function row(number: string, i: number): RawRow {
	return {
		state: "CA",
		member_state_license_number: number,
		member_last_name: `N${i}`,
		member_license_status: `S${i}`,
	};
}

/** The license numbers of which a kind is found, each judged alone. */
async function numbersOf(kind: string, numbers: readonly string[]): Promise<string[]> {
	const found: string[] = [];
	for (const number of numbers) {
		const odd = await oddIn([row(number, 1), row("12345", 2), row("12346", 3)]);
		if (odd.some((each) => each.kind === kind && each.samples[0] === number)) found.push(number);
		assert.deepEqual(
			odd.filter((each) => each.kind === "bare_row"),
			[],
		);
	}
	return found;
}

test("numbers with a word of a line that ends a report are counted", async () => {
	const odd = [
		"Total records: 300",
		"Run date: 11/01/2026",
		"300 rows selected.",
		"PAGE 1 of 3",
		"2 Enregistrements",
	];
	const sound = ["BROKER123", "RECORDER1", "TOTALLY-5", "Total", "UPDATE12", "12345", "ROW1"];
	assert.deepEqual(await numbersOf("number_with_word", [...odd, ...sound]), odd);
});

test("license numbers that are dates are counted", async () => {
	const odd = [
		"2-Jan",
		"12-Dec-05",
		"02-janv.",
		"3-ao\u00fbt",
		"Jan-05",
		"MAR-1998",
		"1/2/2020",
		"01/02/99",
		"1/2/2020 0:00",
	];
	const iso = ["2020-01-02 00:00:00", "2026-02-02", "2026-02-02T12:30:00"];
	const sound = [
		"01-123456",
		"2026-13-02",
		"2026-0202",
		"12-ABC",
		"JAN-123",
		"MAR-1234",
		"1/2",
		"12/345/67",
		"ABC-12",
		"2-Janx-1",
	];
	assert.deepEqual(await numbersOf("date_number", [...odd, ...iso, ...sound]), [...odd, ...iso]);
});

test("texts in quotes are counted by column, and codes after an apostrophe", async () => {
	const quoted = (number: string, name: string, city: string, i: number) => ({
		...row(number, i),
		member_last_name: name,
		member_city: city,
	});
	const found = await oddIn([
		quoted("'0001", "'t Hooft", '"Fresno"', 1),
		quoted("'2'", "'Bob'", "Fresno", 2),
		quoted("3'", 'Ann "Bo"', '"', 3),
		quoted('"4"', '"Bo" Ann', "'", 4),
	]);
	assert.deepEqual(
		found.map(({ kind, column, rows, samples }) => [kind, column, rows, samples]),
		[
			["quoted_text", "member_last_name", 1, ["'Bob'"]],
			["quoted_text", "member_city", 1, ['"Fresno"']],
			["quoted_text", "member_state_license_number", 3, ['"4"', "'0001", "'2'"]],
		],
	);
});

test("rows with a number or a name alone are counted by state, besides what all rows of the state share", async () => {
	const full = (state: string, i: number): RawRow => ({ ...row(String(i), i), state, member_type: "Broker" });
	const bare = (state: string, number: string, name: string): RawRow => ({
		state,
		member_state_license_number: number,
		member_full_name: name,
		member_type: "Broker",
	});
	const bareIn = async (rows: readonly RawRow[]) =>
		(await oddIn(rows))
			.filter(({ kind }) => kind === "bare_row")
			.map(({ column, state, rows, samples }) => [column, state, rows, samples]);
	const texas = [1, 2, 3, 4, 5].map((i) => full("TX", i));
	const ohio = [6, 7, 8].map((i) => full("OH", i));
	const footer = [bare("TX", "5 brokers", ""), bare("TX", "", "As of May")];
	assert.deepEqual(await bareIn([...texas, ...ohio, ...footer]), [
		["member_state_license_number", "TX", 2, ["5 brokers", "As of May"]],
	]);
	// Half of a state's rows, and one with an address.
	assert.deepEqual(await bareIn([...ohio, ...[1, 2, 3].map((i) => bare("OH", `${i}`, "N"))]), []);
	assert.deepEqual(await bareIn([...ohio, { ...bare("OH", "9", "N"), member_address: "1 Main St" }]), []);
	// The e-mail addresses of others, and of the rows found three samples.
	const mailed = [...texas, ...ohio].map((each, i) => ({ ...each, member_email: `a${i}@b.example` }));
	const ends = [1, 2, 3, 4].map((i) => bare("TX", `End ${i}`, ""));
	assert.deepEqual(await bareIn([...mailed, ...ends]), [
		["member_state_license_number", "TX", 4, ["End 1", "End 2", "End 3"]],
	]);
	// Where all have a number and a name alone, those without a name.
	const named = [1, 2, 3].map((i) => bare("NV", `${i}`, `N${i}`));
	assert.deepEqual(await bareIn(named), []);
	assert.deepEqual(await bareIn([...named, bare("NV", "End", "")]), [
		["member_state_license_number", "NV", 1, ["End"]],
	]);
	assert.deepEqual(await bareIn([bare("NV", "1", ""), bare("NV", "2", "")]), []);
});

test("lines that end a report are named with the settings that skip them", async (t) => {
	const builder = builderFolder(t);
	const rows = [1, 2, 3].map((i) => `${i},N${i},S${i}`);
	const drop = ["License,Name,Status", ...rows, "Total records: 3,,", ""].join("\n");
	const map = {
		columns: {
			License: "member_state_license_number",
			Name: "member_last_name",
			Status: "member_license_status",
		},
		constants: { state: "TX", member_type: "Broker" },
	};
	const args = [
		builder.write("a-2026-10.csv", drop),
		"--map",
		builder.write("map.json", JSON.stringify(map)),
	];
	const { oddValues, oddityRemedies } = await builder.json<BuildReport>("build", ...args, "--dry-run");
	assert.deepEqual(
		oddValues.map(({ kind, state, rows, samples }) => [kind, state, rows, samples]),
		[
			["bare_row", "TX", 1, ["Total records: 3"]],
			["number_with_word", null, 1, ["Total records: 3"]],
		],
	);
	assert.deepEqual(
		oddityRemedies.map(({ kind }) => kind),
		["bare_row", "number_with_word"],
	);
	assert.match(oddityRemedies[0].remedy, /skipMatching/);
});

test("postal codes without a digit, as of rows that are shifted by a cell, are counted", async () => {
	const codes = ["CT", "CT", "_____", "06460", "K1A 0B1", "SW1A", "####", ""];
	const rows = codes.map((code, i) => ({
		state: "CT",
		member_state_license_number: String(i),
		member_last_name: "N",
		member_postal_code: code,
	}));
	const found = (await oddIn(rows)).filter(({ kind }) => kind === "odd_postal_code");
	assert.deepEqual(found, [
		{
			kind: "odd_postal_code",
			column: "member_postal_code",
			state: null,
			rows: 3,
			samples: ["_____", "CT"],
		},
	]);
});
