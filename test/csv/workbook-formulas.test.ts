/** Formulas that no program calculated are counted by column; those whose value is an empty text are not among them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMonth } from "../../builder/csv/index.js";
import { makeScratch } from "./scratch.js";
import { textCell, workbookOfSheets } from "./zip-bytes.js";

const scratch = makeScratch();
const HEADER = ["state", "member_state_license_number", " Status ", ""].map(textCell);

async function oddities(cells: readonly string[], name = "Status") {
	const rows = cells.map((cell, i) => [textCell("TX"), textCell(`N${i}`), cell]);
	const file = scratch.write("book.xlsx", workbookOfSheets([{ name: "A", rows: [HEADER, ...rows] }]));
	const map = scratch.write("map.json", JSON.stringify({ columns: { Status: "member_license_status" } }));
	const month = await parseMonth({
		files: [file],
		maps: [map],
		rejectFile: scratch.rejectFile,
		threads: 1,
	});
	assert.equal(month.rows, cells.length, name);
	return month.oddities
		.filter(({ kind }) => kind.endsWith("formula") || kind === "formula_error")
		.map(({ kind, column, count, samples }) => ({ kind, column, count, samples }));
}

/** What libraries write, as openpyxl, exceljs and the Open XML SDK do. */
const UNCALCULATED = [
	'<c t="str"><f>IF(1,"Active","x")</f></c>',
	"<c><f>DATE(2027,5,31)</f></c>",
	"<c><f>A1</f><v></v></c>",
	"<c><f>A2</f><v/></c>",
	'<c><f t="shared" si="0"/></c>',
	'<c t="str"><f>A3</f></c>',
	'<c t="e"><f>A4</f></c>',
];

test("each form of a formula without a value is counted, with the first formulas", async () => {
	for (const cell of UNCALCULATED) assert.equal((await oddities([cell]))[0]?.count, 1, cell);
	assert.deepEqual(await oddities(UNCALCULATED), [
		{
			kind: "uncalculated_formula",
			column: "Status",
			count: 7,
			samples: [
				{ line: 2, text: '=IF(1,"Active","x")' },
				{ line: 3, text: "=DATE(2027,5,31)" },
				{ line: 4, text: "=A1" },
				{ line: 5, text: "=A2" },
				{ line: 6, text: "=" },
			],
		},
	]);
});

test("a formula with a value, an empty one included, and an empty cell are not counted", async () => {
	assert.deepEqual(
		await oddities([
			'<c t="str"><f>IF(1,"Active","x")</f><v>Active</v></c>',
			'<c t="str"><f>""</f><v></v></c>',
			'<c t="str"><f>""</f><v/></c>',
			"<c><f>1+1</f><v>2</v></c>",
			"<c/>",
			"<c><v></v></c>",
			"<c><v>0</v></c>",
		]),
		[],
	);
	const [failed, ...others] = await oddities(['<c t="e"><f>NA()</f><v>#N/A</v></c>']);
	assert.deepEqual([failed.kind, failed.count, others.length], ["formula_error", 1, 0]);
});

test("a long formula is cut, and one in a column without a name is counted without a column", async () => {
	const [{ samples }] = await oddities([`<c><f>${"A1+".repeat(1000)}A1</f></c>`]);
	assert.equal(samples?.[0].text.length, 120);
	const [{ column }] = await oddities([`<c/><c><f>A1</f></c>`]);
	assert.equal(column, null);
});
