/** Licenses among the lines that a map skips are counted with their lines, however the file is divided; other lines are not. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMonth } from "../../builder/csv/index.js";
import { rowsOf } from "./parsed-rows.js";
import { makeScratch } from "./scratch.js";

const scratch = makeScratch();
const HEADER = "state,member_state_license_number,office_name";

/** The numbers of the licenses of `lines`, and the count, lines and texts of the skipped ones. */
async function parsed(settings: object, lines: readonly string[], chunkBytes?: number) {
	const file = scratch.write("drop.csv", lines.map((line) => `${line}\n`).join(""));
	const map = scratch.write("map.json", JSON.stringify(settings));
	const options = { files: [file], maps: [map], rejectFile: scratch.rejectFile, threads: 1 };
	const month = await parseMonth({ ...options, chunkBytes });
	const skipped = month.oddities.filter(({ kind }) => kind === "skipped_record");
	return {
		numbers: rowsOf(month).map((row) => row.member_state_license_number),
		skipped: skipped.map(({ count, samples }) => [count, samples?.map(({ line, text }) => [line, text])]),
	};
}

test("licenses that skipMatching and skipFooter drop are counted", async () => {
	const lines = [HEADER, "CA,1,Ann", "CA,2,Total Realty Inc", "CA,3,Zoe"];
	for (const chunkBytes of [undefined, 16])
		assert.deepEqual(await parsed({ skipMatching: "Total", skipFooter: 1 }, lines, chunkBytes), {
			numbers: ["1"],
			skipped: [
				[
					2,
					[
						[3, "CA,2,Total Realty Inc"],
						[4, "CA,3,Zoe"],
					],
				],
			],
		});
});

test("licenses that skipLines and headerMatch drop are counted", async () => {
	const first = ["CA,1,Ann", 'California,2,"Zoe, Inc"', "CA,3,Bea"];
	const header = HEADER.split(",");
	assert.deepEqual(await parsed({ skipLines: 2, header }, first), {
		numbers: ["3"],
		skipped: [
			[
				2,
				[
					[1, first[0]],
					[2, first[1]],
				],
			],
		],
	});
	assert.deepEqual(await parsed({ headerMatch: true }, ["\ufeffCA,1,Ann", HEADER, "CA,2,Zoe"]), {
		numbers: ["2"],
		skipped: [[1, [[1, "CA,1,Ann"]]]],
	});
});

test("totals, legends, repeated headers and lines with other columns are not counted", async () => {
	const others = ["Total,2,", "CA,Total,", "CA,,", "CA,4", "CA,5,a,b", HEADER, "", ",,", '"CA,6'];
	const skipMatching = 'Total|^CA,,|^CA,[456]|^state|^,|^"';
	const { numbers, skipped } = await parsed({ skipMatching }, [HEADER, "CA,1,Ann", ...others, "CA,9,Zoe"]);
	assert.deepEqual([numbers, skipped], [["1", "9"], []]);
	const noise = ["Total,2,", "Roster,,", ""];
	const settings = { skipLines: 3, skipFooter: 2 };
	assert.deepEqual((await parsed(settings, [...noise, HEADER, "CA,1,Ann", ...noise])).skipped, []);
	const report = ["Report of 11/01/2026,", "member_state_license_number,office_name", "1,Ann", "Total: 1,"];
	const constant = { constants: { state: "TX" }, headerMatch: true, skipFooter: 1 };
	assert.deepEqual((await parsed(constant, report)).skipped, []);
});

test("where a constant is the state, a license number tells; samples are few and short", async () => {
	const lines = ["member_state_license_number,office_name", "1,Ann", "Total,2", ",3"];
	const rest = Array.from({ length: 7 }, (_, i) => `${i},Total ${"x".repeat(200)}`);
	const settings = { constants: { state: "TX" }, skipMatching: "Total|^," };
	const { skipped } = await parsed(settings, [...lines, ...rest]);
	assert.deepEqual(skipped, [[7, [5, 6, 7, 8, 9].map((line, i) => [line, rest[i].slice(0, 120)])]]);
});
