/** Day numbers of a workbook are read by the system that it counts days by, or not at all. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ParsedMonth, parseMonth } from "../../builder/csv/index.js";
import { remediedRejects } from "../../builder/gates/reject-remedies.js";
import { rowsOf } from "./parsed-rows.js";
import { makeScratch } from "./scratch.js";
import { textCell, workbookOfSheets } from "./zip-bytes.js";

const scratch = makeScratch();
const HEADER = ["state", "member_state_license_number", "member_license_expires"].map(textCell);

/** Parses a workbook with a day number that has no date format. */
function parse(
	is1904: boolean,
	map: Readonly<Record<string, unknown>>,
	header = HEADER,
): Promise<ParsedMonth> {
	const rows = [header, [textCell("TX"), textCell("1"), "<c><v>44591</v></c>"]];
	const book = workbookOfSheets([{ name: "A", rows }], true, { is1904 });
	const file = scratch.write("book.xlsx", book);
	const maps = [scratch.write("map.json", JSON.stringify(map))];
	return parseMonth({ files: [file], maps, rejectFile: scratch.rejectFile, threads: 1 });
}

for (const [is1904, own, other, date] of [
	[false, "excel", "excel1904", "2022-01-30"],
	[true, "excel1904", "excel", "2026-01-31"],
] as const) {
	test(`day numbers of a workbook that counts from ${is1904 ? 1904 : 1900} are read by ${own} alone`, async () => {
		const { reasons } = remediedRejects((await parse(is1904, {})).rejects);
		assert.match(reasons[0].remedy ?? "", new RegExp(`probably to "${own}"`));
		assert.equal(rowsOf(await parse(is1904, { dateFormat: own }))[0].member_license_expires, date);
		await assert.rejects(parse(is1904, { dateFormats: ["MM/DD/YYYY", other] }), {
			code: "bad_date_format",
			message: new RegExp(
				`counts days from ${is1904 ? 1904 : 1900}: set "dateFormat" to "${own}" in .*map\\.json`,
			),
		});
		const dateless = await parse(is1904, { dateFormat: other }, [
			...HEADER.slice(0, 2),
			textCell("office_name"),
		]);
		assert.equal(dateless.rows, 1);
		const footed = parse(is1904, { dateFormat: other, skipFooter: 1 });
		await assert.rejects(footed, { code: "bad_date_format" });
	});
}
