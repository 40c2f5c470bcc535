/** What a sheet has that its rows do not show is counted: merged cells, hidden rows, numbers read without their format. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ParsedMonth, parseMonth } from "../../builder/csv/index.js";
import { rowsOf } from "./parsed-rows.js";
import { makeScratch } from "./scratch.js";
import { type Sheet, textCell, type WorkbookParts, workbookOfSheets, zipBytes } from "./zip-bytes.js";

const scratch = makeScratch();
const HEADER = ["state", "member_state_license_number", "member_license_status"].map(textCell);

function parse(
	sheet: Omit<Sheet, "name">,
	map: Readonly<Record<string, unknown>> = {},
	parts: WorkbookParts = {},
): Promise<ParsedMonth> {
	const file = scratch.write("book.xlsx", workbookOfSheets([{ name: "A", ...sheet }], true, parts));
	const maps = [scratch.write("map.json", JSON.stringify(map))];
	return parseMonth({ files: [file], maps, rejectFile: scratch.rejectFile, threads: 1 });
}

function oddities({ oddities }: ParsedMonth) {
	return oddities
		.filter(({ kind }) => ["merged_cell", "hidden_row", "bare_number"].includes(kind))
		.map(({ kind, column, count, samples }) => ({ kind, column, count, samples }));
}

const rows = [1, 2, 3, 4].map((i) => [textCell("TX"), textCell(`N${i}`), textCell("Active")]);
const merged = (...ranges: readonly string[]) =>
	`<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;

test("cells that a merged one covers are counted below the header, by column", async () => {
	const after = merged("C2:C4", "C5:D6", "A3:C3", "A1:A1", "B4", "$B$4:$B$5", "nothing", "C9:C7");
	assert.deepEqual(oddities(await parse({ rows: [HEADER, ...rows], after })), [
		{
			kind: "merged_cell",
			column: "member_state_license_number",
			count: 1,
			samples: [{ line: 4, text: "$B$4:$B$5" }],
		},
		{
			kind: "merged_cell",
			column: "member_license_status",
			count: 3,
			samples: [
				{ line: 2, text: "C2:C4" },
				{ line: 5, text: "C5:D6" },
			],
		},
	]);
	const titled = [[textCell("Roster")], [], HEADER, ...rows];
	const above = await parse({ rows: titled, after: merged("A1:C2", "B2:B3") }, { skipLines: 2 });
	assert.deepEqual(oddities(above), []);
	const far = merged("C200:C202", "C300:C301");
	const [{ count }] = oddities(await parse({ rows: [HEADER, ...rows], after: far }));
	assert.equal(count, 3);
});

test("hidden rows are read and counted, except above the header and without cells", async () => {
	const titled = [[textCell("Roster")], HEADER, ...rows, [], []];
	const month = await parse({ rows: titled, hidden: [1, 2, 4, 6, 7] }, { skipLines: 1 });
	assert.equal(month.rows, 4);
	assert.deepEqual(oddities(month), [{ kind: "hidden_row", column: null, count: 2, samples: undefined }]);
});

test("numbers are read with the zeros and text of their format, or counted where they are not", async () => {
	const number = (style: number) => [textCell("TX"), `<c s="${style}"><v>1234</v></c>`];
	const month = await parse(
		{ rows: [HEADER, number(0), number(1)] },
		{},
		{ formats: ['"RE"000000', "00000.0"] },
	);
	assert.deepEqual(
		rowsOf(month).map((row) => row.member_state_license_number),
		["RE001234", "1234"],
	);
	const samples = [{ line: 3, text: "1234" }];
	assert.deepEqual(oddities(month), [
		{ kind: "bare_number", column: "member_state_license_number", count: 1, samples },
	]);
});

test("rows of an extension of the sheet are not read", async () => {
	const data = `<sheetData><row r="9">${textCell("TX")}${textCell("N9")}</row></sheetData>`;
	const extension = `<extLst><ext>${data}</ext></extLst>`;
	for (const around of [{ before: extension }, { after: extension }, { after: data }]) {
		const month = await parse({ rows: [HEADER, ...rows], ...around });
		assert.deepEqual([month.rows, month.rejects.rows], [4, 0], JSON.stringify(around));
	}
});

test("cells of truth values are read as the sheet shows them", async () => {
	const cell = (value: string, i: number) => [
		textCell("TX"),
		textCell(`N${i}`),
		`<c t="b"><v>${value}</v></c>`,
	];
	const month = await parse({ rows: [HEADER, ...["0", "1", "false", "true"].map(cell)] });
	assert.deepEqual(
		rowsOf(month).map((row) => row.member_license_status),
		["FALSE", "TRUE", "FALSE", "TRUE"],
	);
});

test("parts of a workbook are found by their path and in any case, as spreadsheet programs find them", async () => {
	const sheet = [HEADER, [textCell("TX"), textCell("N1"), `<c t="s"><v>0</v></c>`]];
	const data = sheet.map((row) => `<row>${row.join("")}</row>`).join("");
	for (const target of ["sheets/a.xml", "./sheets/a.xml", "../xl/sheets/a.xml", "/xl/sheets/a.xml"]) {
		const related = (id: string, to: string) => `<Relationship Id="${id}" Type="t/${id}" Target="${to}"/>`;
		const bytes = zipBytes(
			{
				name: "xl/workbook.xml",
				content: '<workbook><sheets><sheet name="A" r:id="worksheet"/></sheets></workbook>',
			},
			{
				name: "xl/_rels/workbook.xml.rels",
				content: `<Relationships>${related("worksheet", target)}${related("sharedStrings", "sharedStrings.xml")}</Relationships>`,
			},
			{ name: "xl/SharedStrings.xml", content: "<sst><si><t>Active</t></si></sst>" },
			{ name: "xl/sheets/A.xml", content: `<worksheet><sheetData>${data}</sheetData></worksheet>` },
		);
		const files = [scratch.write("parts.xlsx", bytes)];
		const month = await parseMonth({ files, maps: [], rejectFile: scratch.rejectFile, threads: 1 });
		assert.equal(rowsOf(month)[0].member_license_status, "Active", target);
	}
});
