/** Archives and workbooks: a damaged entry is refused, never read as other bytes. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { parseMonth } from "../../builder/csv/index.js";
import { makeScratch } from "./scratch.js";
import { textCell, workbookBytes, workbookOfSheets, zipBytes } from "./zip-bytes.js";

const scratch = makeScratch();
const ROWS = Array.from({ length: 200 }, (_, i) => ["TX", `N${10_000 + i}`]);
const CSV = `state,member_state_license_number\n${ROWS.map((row) => `${row.join(",")}\n`).join("")}`;

async function parse(file: string, maps: readonly string[] = []) {
	return parseMonth({ files: [file], maps, rejectFile: scratch.rejectFile, threads: 1 });
}

/** `bytes` with one bit of the byte at `at` inverted. */
function damaged(bytes: Buffer, at: number): Buffer {
	const copy = Buffer.from(bytes);
	copy[at] ^= 1;
	return copy;
}

async function assertDamaged(name: string, bytes: Buffer): Promise<void> {
	await assert.rejects(parse(scratch.write(name, bytes)), {
		code: "corrupt_compression",
		text: "its compressed data is damaged or cut short",
	});
}

test("an entry whose bytes differ from its CRC-32 is refused, stored or deflated", async () => {
	const stored = zipBytes({ name: "a.csv", content: CSV });
	assert.equal((await parse(scratch.write("sound.zip", stored))).rows, 200);
	await assertDamaged("stored.zip", damaged(stored, stored.indexOf("N10007") + 3));
	const deflated = zipBytes({ name: "a.csv", content: CSV, deflated: true });
	assert.equal((await parse(scratch.write("sound.zip", deflated))).rows, 200);
	const begin = deflated.indexOf("a.csv") + "a.csv".length;
	const end = deflated.indexOf("PK\u0001\u0002");
	for (let at = begin; at < end; at += 7) await assertDamaged("deflated.zip", damaged(deflated, at));
	const several = zipBytes(
		{ name: "a.csv", content: CSV },
		{ name: "b.csv", content: CSV.replaceAll("N", "M") },
	);
	await assertDamaged("several.zip", damaged(several, several.indexOf("M10007") + 3));
});

test("a workbook whose part differs from its CRC-32 is refused", async () => {
	const rows = [["state", "member_state_license_number"], ...ROWS];
	assert.equal((await parse(scratch.write("sound.xlsx", workbookBytes(rows)))).rows, 200);
	const stored = workbookBytes(rows, false);
	assert.equal((await parse(scratch.write("sound.xlsx", stored))).rows, 200);
	await assertDamaged("stored.xlsx", damaged(stored, stored.indexOf("N10007") + 3));
	// The name of the sheet, in a part that is read whole before the sheet.
	await assertDamaged("named.xlsx", damaged(stored, stored.indexOf('name="A"') + 6));
});

test("an encrypted entry is refused with what mends it", async () => {
	const bytes = zipBytes({ name: "a.csv", content: CSV, deflated: true });
	bytes[6] |= 1;
	bytes[bytes.indexOf("PK\u0001\u0002") + 8] |= 1;
	await assert.rejects(parse(scratch.write("secret.zip", bytes)), {
		code: "unreadable_file",
		text: '"a.csv" is encrypted: unpack it, with its password',
	});
});

test("files of an archive that are not read are reported as those of a folder are", async () => {
	const file = scratch.write(
		"several.zip",
		zipBytes(
			{ name: "out/a.csv", content: CSV },
			{ name: "out/", content: "" },
			{ name: "out/inactive.xlsx", content: "x" },
			{ name: "__MACOSX/out/._a.csv", content: "x" },
		),
	);
	const { oddities } = await parse(file);
	assert.deepEqual(oddities, [
		{ kind: "skipped_file", file: `${file}/out/inactive.xlsx`, column: null, count: 1 },
	]);
});

test("a map matches the name of a drop in an archive or of the archive, also where the drop is the only one", async () => {
	const content = "Number\nN1\n";
	const columns = { Number: "member_state_license_number" };
	for (const match of ["brokers-*", "drop-*"]) {
		const map = scratch.write("map.json", JSON.stringify({ match, columns, constants: { state: "TX" } }));
		for (const others of [[], [{ name: "out/brokers-2.csv", content }]]) {
			const bytes = zipBytes({ name: "out/brokers-1.csv", content }, ...others);
			const { rows } = await parse(scratch.write("drop-1.zip", bytes), [map]);
			assert.equal(rows, 1 + others.length, match);
		}
	}
});

const HEADER = ["state", "member_state_license_number"];

test("workbooks in an archive without other drops are read, and beside drops they are not", async () => {
	const one = { name: "out/1.xlsx", content: workbookBytes([HEADER, ...ROWS]) };
	const two = { name: "out/2.XLSX", content: workbookBytes([HEADER, ["NY", "M1"]]), deflated: true };
	const file = scratch.write(
		"workbooks.zip",
		zipBytes(two, one, { name: "out/a.pdf", content: "x" }, { name: "out/~$1.xlsx", content: "x" }),
	);
	const { sources, oddities, rows } = await parse(file);
	assert.equal(rows, 201);
	assert.deepEqual(
		sources.map((source) => [source.file, source.rows]),
		[
			[`${file}/out/1.xlsx`, 200],
			[`${file}/out/2.XLSX`, 1],
		],
	);
	assert.deepEqual(
		oddities.map(({ kind, file: path }) => [kind, path]),
		[
			["skipped_file", `${file}/out/a.pdf`],
			["skipped_file", `${file}/out/~$1.xlsx`],
		],
	);
	const single = scratch.write("workbook.zip", zipBytes(one));
	const parsed = await parse(single);
	assert.deepEqual(
		parsed.sources.map((source) => [source.file, source.rows, source.bytes]),
		[[single, 200, zipBytes(one).length]],
	);
	const mixed = await parse(scratch.write("mixed.zip", zipBytes(one, { name: "a.csv", content: CSV })));
	assert.deepEqual([mixed.rows, mixed.oddities.map(({ kind }) => kind)], [200, ["skipped_file"]]);
});

test("a workbook in an archive that is none, is damaged or is too large is refused with its name", async () => {
	const file = scratch.write("none.zip", zipBytes({ name: "a.xlsx", content: CSV }));
	await assert.rejects(parse(file), {
		code: "unreadable_file",
		text: '"a.xlsx" is no workbook: unpack it, to see what it is',
	});
	const content = workbookBytes([HEADER, ...ROWS], false);
	const outer = zipBytes({ name: "a.xlsx", content });
	await assertDamaged("outer.zip", damaged(outer, outer.indexOf("N10007") + 3));
	const inner = damaged(content, content.indexOf("N10007") + 3);
	await assertDamaged("inner.zip", zipBytes({ name: "a.xlsx", content: inner }));
	const large = zipBytes({ name: "a.xlsx", content: randomBytes(4 << 20), deflated: true });
	large.writeUInt32LE((512 << 20) + 1, large.indexOf("PK\u0001\u0002") + 24);
	await assert.rejects(parse(scratch.write("large.zip", large)), {
		code: "limit_exceeded",
		text: '"a.xlsx" has more than 512 MiB: unpack it',
	});
	const rows = Array.from({ length: 40_000 }, () => ["TX", "0".repeat(100)]);
	const bomb = zipBytes({ name: "a.xlsx", content: workbookBytes([HEADER, ...rows], false), deflated: true });
	await assert.rejects(parse(scratch.write("bomb.zip", bomb)), { code: "limit_exceeded" });
});

test("entries that overlap are refused where they decompress to too much together", async () => {
	const row = (i: number) => `TX,N${i},${"x".repeat(100 + (i % 7))}\n`;
	const content = `state,member_state_license_number,office_name\n${Array.from({ length: 5_000 }, (_, i) => row(i)).join("")}`;
	const entry = { name: "0.csv", content, deflated: true };
	assert.equal((await parse(scratch.write("single.zip", zipBytes(entry)))).rows, 5_000);
	const others = Array.from({ length: 20 }, (_, i) => ({
		...entry,
		name: `${i + 1}.csv`,
		overlapping: true,
	}));
	await assert.rejects(parse(scratch.write("overlapping.zip", zipBytes(entry, ...others))), {
		code: "limit_exceeded",
		text: "its entries decompress to more than 200 times the archive's size",
	});
});

test("an entry that is no roster is named, with what to do", async () => {
	const readme = { name: "out/readme.txt", content: "Licensees of Texas\n" };
	const workbook = { name: "out/roster.xlsx", content: workbookBytes([HEADER, ...ROWS]) };
	for (const roster of [workbook, { name: "out/roster.csv", content: CSV }]) {
		const file = scratch.write("described.zip", zipBytes(readme, roster));
		await assert.rejects(parse(file), {
			code: "no_header",
			text: /^required column state is missing .*; if "out\/readme.txt" is no roster, skip it by a map with "match" and "skip": true$/,
		});
	}
});

test("an entry of another compression is refused with what mends it", async () => {
	const bytes = zipBytes({ name: "a.csv", content: CSV });
	bytes.writeUInt16LE(12, 8);
	bytes.writeUInt16LE(12, bytes.indexOf("PK\u0001\u0002") + 10);
	await assert.rejects(parse(scratch.write("bzip2.zip", bytes)), {
		code: "unreadable_file",
		text: '"a.csv": unsupported compression method: 12: unpack it',
	});
});

/** A workbook with one row in each sheet, whose number is the sheet's, and the states of the sheets. */
function workbookOf(states: readonly string[]): Buffer {
	const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
	const sheets = states.map((state, i) => `<sheet name="S${i}" r:id="r${i}" state="${state}"/>`);
	const relations = states.map((_, i) => `<Relationship Id="r${i}" Type="${type}" Target="sheet${i}.xml"/>`);
	const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
	const rows = [HEADER, ["TX", "N"]].map((row) => row.map(cell).join(""));
	return zipBytes(
		{ name: "xl/workbook.xml", content: `<workbook><sheets>${sheets.join("")}</sheets></workbook>` },
		{ name: "xl/_rels/workbook.xml.rels", content: `<Relationships>${relations.join("")}</Relationships>` },
		...states.map((_, i) => ({
			name: `xl/sheet${i}.xml`,
			content: `<worksheet><sheetData>${rows.map((row) => `<row>${row}</row>`).join("")}</sheetData></worksheet>`,
		})),
	);
}

test("the first sheet that is not hidden is read, or a hidden one if there is no other", async () => {
	const unread = async (...states: readonly string[]) =>
		(await parse(scratch.write("hidden.xlsx", workbookOf(states)))).oddities.map(({ column }) => column);
	assert.deepEqual(await unread("hidden", "veryHidden", "visible", "visible"), ["S0", "S1", "S3"]);
	assert.deepEqual(await unread("visible", "hidden"), ["S1"]);
	assert.deepEqual(await unread("hidden", "veryHidden"), ["S1"]);
});

test("an error of a workbook's first sheet, such as a cover, names the others and the setting that chooses one", async () => {
	const sheets = (...rosters: string[]) => [
		{ name: "About", rows: [["Roster of Texas"], ["As of", "November"]].map((row) => row.map(textCell)) },
		...rosters.map((name) => ({ name, rows: [HEADER, ...ROWS].map((row) => row.map(textCell)) })),
	];
	const book = scratch.write("cover.xlsx", workbookOfSheets(sheets("Licences", "Old")));
	await assert.rejects(parse(book), {
		code: "no_header",
		message: /; the workbook also has "Licences", "Old": "sheet" in a --map file names the sheet to read$/,
	});
	const map = scratch.write("sheet.json", JSON.stringify({ sheet: "Licences" }));
	assert.equal((await parse(book, [map])).rows, 200);
	const many = Array.from({ length: 22 }, (_, i) => `S${i}`);
	await assert.rejects(parse(scratch.write("many.xlsx", workbookOfSheets(sheets(...many)))), {
		message: /"S19", and 2 more: "sheet"/,
	});
	const empty = [{ name: "About", rows: [] }, ...sheets("Licences").slice(1)];
	await assert.rejects(parse(scratch.write("empty.xlsx", workbookOfSheets(empty))), {
		code: "empty_file",
		message: /the file is empty; the workbook also has "Licences": "sheet"/,
	});
	await assert.rejects(parse(scratch.write("alone.xlsx", workbookOfSheets(sheets()))), {
		code: "no_header",
		message: /^(?!.*"sheet")/,
	});
});
