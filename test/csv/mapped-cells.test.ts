/** What a map's steps make of cells, byte by byte and a block at a time, is what a model on texts makes of them. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { BLOCK_RECORDS } from "../../builder/csv/chunk-memory.js";
import { parseMonth } from "../../builder/csv/index.js";
import { parseSplitPattern } from "../../builder/input/split-pattern.js";
import { openPool } from "../../builder/open-pool.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { naiveChange, naiveSplit } from "./naive-steps.js";
import { type PlainRow, rowsOf } from "./parsed-rows.js";

const scratch = mkdtempSync(join(tmpdir(), "rollcall-mapped-"));
const pool = openPool(null, 0);
after(async () => {
	await pool.close();
	rmSync(scratch, { recursive: true });
});

const PATTERNS = [
	"FIRST MIDDLE LAST",
	"LAST, FIRST MIDDLE",
	"LAST FIRST",
	"LAST FIRST MIDDLE",
	"FIRST LAST SUFFIX",
	"LAST, FIRST MIDDLE, SUFFIX",
	"LAST, SUFFIX, FIRST",
	"LAST SUFFIX, FIRST MIDDLE",
	"FIRST LAST MIDDLE",
	"MIDDLE LAST",
	"CITY, STATE ZIP",
	"FIRST MIDDLE, CITY",
	"UNIT A1 - REST",
	"LAST / OTHER",
	"LAST - FIRST MIDDLE",
	"PREFIX FIRST MIDDLE LAST",
	"LAST, PREFIX FIRST",
	"OFFICE - CITY / STATE",
];
/** The columns that parts are split into, in the order of the parts. */
const INTO = [
	"member_last_name",
	"member_first_name",
	"member_city",
	"office_name",
	"office_broker_name",
] as const;

const VALUES = { Active: "ACTIVE", A: "Active", é: "", "007": "seven", "Probation, 2nd": "x".repeat(300) };
const PAD = 5;

const word = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.constantFrom("Ana", "KING", "O'Neil", "Peña", "Jo-Ann", "X", "Li,", ",", "(Al)", "1"),
	},
	{
		weight: 3,
		arbitrary: fc.constantFrom(
			"de",
			"LA",
			"Van",
			"st.",
			"d'",
			"santa",
			"De,",
			"le",
			"vanderbiltson",
			"D",
			"d.",
			"Mc",
			"MAC",
			"Donald",
			"O'",
			"d.e.",
			"Do",
			"NGUYEN",
			"&",
			"A&B",
			"21",
			"555-1",
		),
	},
	{ weight: 1, arbitrary: fc.constantFrom("A1B 2C3", "k1a", "0B1", "K1A0B1", "x9x 9x9,") },
	{
		weight: 2,
		arbitrary: fc.constantFrom("Jr.", "III", "2ND", "esq", "md,", "(sr)", "j.r", "iiii", "jré", "V"),
	},
	{ weight: 1, arbitrary: fc.constantFrom("GRI", "PREC*", "MAI", "P.A.", "broker", "mai,", "Realtor") },
	{ weight: 1, arbitrary: fc.constantFrom("Dr.", "MR", "d.r.", "Mme", "Drs", "prof..") },
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			"LLC",
			"Inc.",
			"REALTY",
			"Incorporated",
			"i.n.c.o.r.p",
			"L-t-d",
			"corporations",
		),
	},
);
const between = fc.constantFrom(
	" ",
	" ",
	" ",
	", ",
	",",
	"  ",
	"\t",
	" - ",
	"-",
	"- ",
	" / ",
	"/",
	"\u00a0",
	"\u2003\t",
);
const name = fc
	.array(fc.tuple(word, between), { maxLength: 7 })
	.map((pieces) => pieces.flat().join("").trim());
const status = fc.constantFrom(
	...Object.keys(VALUES),
	"",
	"B",
	"active",
	"Activ",
	"Active2",
	"x".repeat(40),
	"7",
);
const zip = fc.constantFrom(
	"",
	"1",
	"00",
	"98101",
	"981.0",
	"12.00",
	".0",
	"3.",
	"1.50",
	"98101-1",
	"12a",
	"7.0",
	"1234567",
	'="0123"',
	'="7.0"',
	'=" 7 "',
	'=""',
	'="',
	'="1"2"',
	"=7",
	'"1"',
);
const record = fc.tuple(name, status, zip);
/** Also more than a block of records. */
const cells = fc.oneof(
	{ weight: 3, arbitrary: fc.array(record, { minLength: 1, maxLength: 40 }) },
	{ weight: 1, arbitrary: fc.array(record, { minLength: 2 * BLOCK_RECORDS, maxLength: 3 * BLOCK_RECORDS }) },
);

const quoted = (cell: string) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const present = (cell: string) => cell !== "";

test("names split, values replaced, numbers padded and cells combined are those of a model on texts", async (t) => {
	const file = join(scratch, "drop.csv");
	const map = join(scratch, "map.json");
	await checkAsyncProperty(
		t,
		60,
		fc.asyncProperty(cells, fc.constantFrom(...PATTERNS), async (records, pattern) => {
			const segments = parseSplitPattern(pattern, null);
			const isName = segments.every((segment) => segment.isName);
			const parts = [
				...new Set([...segments.flatMap((segment) => segment.parts), ...(isName ? ["SUFFIX"] : [])]),
			];
			const into = Object.fromEntries(parts.map((part, i) => [part, INTO[i]]));
			writeFileSync(
				map,
				JSON.stringify({
					columns: {
						State: "state",
						No: "member_state_license_number",
						Status: "member_license_status",
						member_postal_code: "member_postal_code",
					},
					join: {
						member_address: { columns: ["Name", "Status"], separator: " \u2013 " },
						member_full_name: ["Status", "member_postal_code"],
					},
					coalesce: { member_type: ["Status", "member_postal_code", "No"] },
					split: { Name: { pattern, into } },
					values: { member_license_status: VALUES },
					pad: { member_postal_code: PAD },
					trimFormula: ["member_postal_code"],
					trimDecimal: ["member_postal_code"],
				}),
			);
			const lines = records.map((record, i) => ["TX", String(i), ...record].map(quoted).join(","));
			writeFileSync(file, ["State,No,Name,Status,member_postal_code", ...lines, ""].join("\n"));
			const month = await parseMonth({ files: [file], maps: [map], rejectFile: `${file}.rejects`, pool });
			const counted = (kind: string) => month.oddities.find((oddity) => oddity.kind === kind)?.count ?? 0;
			const expected = records.map(([cell]) => (cell === "" ? new Map() : naiveSplit(cell, segments)));
			assert.equal(counted("unsplit_cell"), expected.filter((split) => split === null).length);
			assert.equal(
				counted("replaced_value"),
				records.filter(([, cell]) => Object.hasOwn(VALUES, cell)).length,
			);
			const rows = rowsOf(month);
			assert.equal(rows.length, records.length);
			for (const [i, [cell, wasStatus, wasZip]] of records.entries()) {
				const split = new Map([...(expected[i] ?? [])].map(([part, words]) => [part, wordsOf(words)]));
				assert.deepEqual(splitOf(rows[i], into), split, `${pattern} of ${cell}`);
				for (const column of INTO) assert.ok(cell.includes(rows[i][column] ?? ""), "a range of the cell");
				assert.equal(rows[i].member_license_status ?? "", naiveChange(wasStatus, false, false, 0, VALUES));
				assert.equal(rows[i].member_postal_code ?? "", naiveChange(wasZip, true, true, PAD, {}));
				assert.equal(rows[i].member_address ?? "", [cell, wasStatus].filter(present).join(" \u2013 "));
				assert.equal(rows[i].member_full_name ?? "", [wasStatus, wasZip].filter(present).join(" "));
				assert.equal(rows[i].member_type, [wasStatus, wasZip, String(i)].find(present));
			}
		}),
	);
});

/** The words of a part, joined by one space. */
function wordsOf(part: string): string {
	return part
		.split(/[\s,]+/)
		.filter(present)
		.join(" ");
}

/** The parts of a row, in words. */
function splitOf(row: PlainRow, into: Readonly<Record<string, (typeof INTO)[number]>>): Map<string, string> {
	const found = Object.entries(into).map(([part, column]) => [part, wordsOf(row[column] ?? "")] as const);
	return new Map(found.filter(([, cell]) => present(cell)));
}
