/** Sources of drops: files, folders, standard input; and invalid map files. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type ParseProgress, parseMonth } from "../../builder/csv/index.js";
import { BuildError, type BuildErrorCode } from "../../builder/errors.js";
import { NO_MAP } from "../../builder/input/map-file.js";
import { openBytes } from "../../builder/input/open-bytes.js";
import { rowsOf } from "./parsed-rows.js";
import { makeScratch } from "./scratch.js";
import { zipBytes } from "./zip-bytes.js";
import { zstdFrame } from "./zstd-bytes.js";

const scratch = makeScratch();
const { folder, rejectFile } = scratch;
const HEADER = "state,member_state_license_number\n";
const csv = (...numbers: number[]) => HEADER + numbers.map((number) => `TX,${number}\n`).join("");

async function parse(files: readonly string[], maps: readonly string[] = [], dateFormat?: string) {
	return parseMonth({ files, maps, dateFormat, rejectFile, threads: 1 });
}

/** Asserts that parsing ends with one line of the given code that contains all of `parts`. */
async function assertRefused(
	files: readonly string[],
	maps: readonly string[],
	code: BuildErrorCode,
	...parts: string[]
): Promise<void> {
	await assert.rejects(parse(files, maps), (error: unknown) => {
		assert.ok(error instanceof BuildError, String(error));
		assert.equal(error.code, code, error.message);
		assert.ok(!error.message.includes("\n"), error.message);
		for (const part of parts) assert.ok(error.message.includes(part), `${error.message} names ${part}`);
		return true;
	});
}

test("a file whose size changes while it is read is refused", async () => {
	const content = Buffer.from(csv(...Array(100_000).keys()));
	for (const sizeBytes of [content.length + 100, content.length - 100]) {
		const file = scratch.write("changing.csv", content);
		const reader = await openBytes({ path: file, bytes: null, inside: null }, NO_MAP);
		const target = new Uint8Array(1 << 16);
		assert.equal(await reader.read(target), target.length);
		truncateSync(file, sizeBytes);
		await assert.rejects(
			async () => {
				while ((await reader.read(target)) === target.length);
			},
			(error: unknown) => error instanceof BuildError && error.message.includes("still being written"),
		);
		await reader.close();
	}
});

test("the name of a file is matched in bounded time, for any pattern", async () => {
	const file = scratch.write(`${"a".repeat(200)}.csv`, csv(1, 2));
	const map = scratch.write("stars.json", JSON.stringify({ match: `${"*a".repeat(40)}*b`, nulls: ["1"] }));
	assert.equal((await parse([file], [map])).rows, 2);
	const fitting = { match: `${"*a".repeat(40)}*.c?v`, columns: { state: null } };
	await assertRefused(
		[file],
		[scratch.write("fits.json", JSON.stringify(fitting))],
		"missing_column",
		"state",
	);
});

test("errors for operators are one line without terminal control sequences", async () => {
	const map = scratch.write("escapes.json", '{"encoding": \u001b[31m}');
	await assert.rejects(parse([scratch.write("plain.csv", csv(1))], [map]), (error: Error) => {
		// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
		assert.doesNotMatch(error.message, /[\u0000-\u001f]/);
		assert.match(error.message, /escapes\.json: not JSON: .*\\u001b/);
		return true;
	});
});

test("a map may be UTF-8 or UTF-16 with a byte-order mark, as programs of Windows save it", async () => {
	const file = scratch.write("marked.csv", csv(1, 2));
	const map = '\ufeff{"nulls": ["1"]}';
	const swapped = Buffer.from(map, "utf16le").swap16();
	for (const bytes of [Buffer.from(map), Buffer.from(map, "utf16le"), swapped])
		assert.equal((await parse([file], [scratch.write("marked.json", bytes)])).rows, 2);
});

test("a map with a name twice in one object is refused, since only one of them can apply", async () => {
	const file = scratch.write("twice.csv", csv(1));
	const map = (text: string) => [scratch.write("twice.json", text)];
	await assertRefused([file], map('{"columns": {"A": null}, "columns": {}}'), "bad_map", '"columns"');
	await assertRefused([file], map('{"columns": {"A\\"": null, "A\\u0022" : null}}'), "bad_map", "A");
	// Long enough to exhaust the stack of a pattern that backtracks.
	await assertRefused([file], map(JSON.stringify({ nul: "x".repeat(1 << 24) })), "bad_map", "nul");
	const same = { nulls: ["nulls", ":"], columns: { nulls: null }, constants: { member_type: '"x": {' } };
	assert.equal((await parse([file], map(JSON.stringify({ files: [same, same] })))).rows, 1);
});

test("several files and folders are one month, in the order given and by name within a folder", async () => {
	const drops = join(folder, "drops");
	mkdirSync(join(drops, "nested.csv"), { recursive: true });
	const first = scratch.write("first.csv", csv(1, 2));
	scratch.write("drops/b.csv", csv(5));
	scratch.write("drops/a.csv.gz", gzipSync(csv(3, 4)));
	scratch.write("drops/notes.md", "nothing to read");
	scratch.write("drops/.a.csv", csv(6));
	scratch.write("drops/._b.csv", "resource fork");
	scratch.write("drops/~$roster.xlsx", "name of whoever has it open");
	const month = await parse([first, drops]);
	assert.deepEqual(
		rowsOf(month).map((row) => row.member_state_license_number),
		["1", "2", "3", "4", "5"],
	);
	assert.deepEqual(
		month.sources.map(({ file, rows, rejects }) => [file, rows, rejects]),
		[
			[first, 2, 0],
			[join(drops, "a.csv.gz"), 2, 0],
			[join(drops, "b.csv"), 1, 0],
		],
	);
	assert.equal(month.sources[1].bytes, gzipSync(csv(3, 4)).length);
	assert.deepEqual(
		month.oddities.map(({ kind, file }) => [kind, file]),
		[
			["skipped_file", join(drops, "._b.csv")],
			["skipped_file", join(drops, ".a.csv")],
			["skipped_file", join(drops, "nested.csv")],
			["skipped_file", join(drops, "notes.md")],
			["skipped_file", join(drops, "~$roster.xlsx")],
		],
	);
});

test("columns are the union of the sources', and a part has its source's alone", async () => {
	const plain = scratch.write("plain.csv", csv(1));
	const dated = scratch.write(
		"dated.csv",
		"state,member_state_license_number,last_refreshed,member_email\nTX,2,2026-11-01,a@b.c\n",
	);
	const month = await parse([plain, dated]);
	assert.deepEqual(month.columns, [
		"country",
		"state",
		"member_state_license_number",
		"member_email",
		"last_refreshed",
	]);
	assert.equal(month.parts[0].codes.get("last_refreshed"), undefined);
	assert.equal(month.parts[0].text.get("member_email"), undefined);
	assert.equal(rowsOf(month)[1].member_email, "a@b.c");
});

test("unreadable sources are named in one line", async () => {
	const good = scratch.write("good.csv", csv(1));
	const empty = join(folder, "empty");
	mkdirSync(empty);
	symlinkSync(good, join(folder, "again.csv"));
	await assertRefused([join(folder, "absent.csv")], [], "missing_file", "absent.csv", "no such file");
	await assertRefused([empty], [], "no_files", "empty");
	await assertRefused([], [], "no_files");
	await assertRefused([good, join(folder, "again.csv")], [], "duplicate_file", "again.csv");
	await assertRefused(["-", "-"], [], "duplicate_file");
	await assertRefused([good], [join(folder, "absent.json")], "missing_file", "absent.json");
	await assertRefused([good], [folder], "unreadable_file", folder);
	await assert.rejects(parseMonth({ files: [good], rejectFile: folder, threads: 1 }), {
		code: "unwritable_file",
	});
});

test("UTF-16 without a mark and archives without entries are named as such", async () => {
	for (const encoding of ["utf-16le", "utf-16be"]) {
		const bytes = Buffer.from(csv(1, 2), "utf16le");
		const file = scratch.write("wide.csv", encoding === "utf-16le" ? bytes : bytes.swap16());
		await assertRefused([file], [], "malformed_header", `looks like UTF-16; set "encoding" to "${encoding}"`);
		const map = scratch.write("wide.json", JSON.stringify({ encoding }));
		assert.equal((await parse([file], [map])).rows, 2);
		const mark = encoding === "utf-16le" ? [0xff, 0xfe] : [0xfe, 0xff];
		await assertRefused([scratch.write("mark.csv", Buffer.from(mark))], [map], "empty_file");
	}
	await assertRefused([scratch.write("none.zip", zipBytes())], [], "no_files", "the archive is empty");
});

test("an invalid map file is refused with the place and the rule", async () => {
	const good = scratch.write("mapped.csv", csv(1));
	const refused: readonly (readonly [map: unknown, ...parts: string[]])[] = [
		[{ colums: {} }, "colums"],
		[{ columns: { a: "member_nme" } }, "columns.a"],
		[{ columns: { a: "id" } }, "columns.a"],
		[{ columns: { a: [] } }, "columns.a"],
		[{ columns: { a: "state", " a": "country" } }, '"a" is mapped twice'],
		[{ constants: { stat: "TX" } }, "constants"],
		[{ constants: { state: "Texas" } }, "column state", '"Texas"', 'write "TX"'],
		[{ constants: { state: "" } }, "column state"],
		[{ constants: { office_name: "" } }, "column office_name", "is empty"],
		[{ constants: { member_type: " Broker" } }, "column member_type", "white space"],
		[{ split: { a: { pattern: "LAST, FIRST)", into: {} } } }, "must begin and end with a part"],
		[{ constants: { country: "USA" } }, "column country", 'write "US"'],
		[{ constants: { last_refreshed: "2026-02-30" } }, "column last_refreshed", "ISO date"],
		[{ constants: { agent_count: "1.5" } }, "column agent_count"],
		[{ constants: { member_type: "A" }, values: { member_type: { A: "B" } } }, "member_type", '"values"'],
		[{ constants: { member_type: "1" }, pad: { member_type: 3 } }, "column member_type", '"pad"'],
		[{ constants: { member_type: "1" }, trimDecimal: ["member_type"] }, '"trimDecimal"'],
		[{ dateFormat: "MM/DD/YYYY", dateFormats: ["YYYYMMDD"] }, "dateFormat"],
		[{ encoding: "ebcdic" }, "encoding"],
		[{ delimiter: ";;" }, "delimiter"],
		[{ delimiter: '"' }, "delimiter"],
		[
			{ header: false },
			"header: expected true, or a list of at least one name if the file has no header line",
		],
		[{ invalidDates: "drop" }, "invalidDates"],
		[{ files: [] }, "files"],
		[{ files: [{ match: "" }] }, "files.0.match"],
		[[], "expected an object, not a list"],
		[{ files: [] }, "files: expected at least 1 value"],
		[{ files: [{}], match: "*" }, '"match" is beside "files"; settings are written in each of its maps'],
		[
			{ constants: { office_name: "é".repeat(2049) } },
			"column office_name: the constant has more than 4096 b",
		],
		[{ skipLines: 1.5 }, "skipLines: expected a whole number, not the number 1.5"],
		[{ skipLines: -1 }, "skipLines: expected at least 0"],
		[{ skipFooter: "2" }, "skipFooter: expected a number, not a text"],
		[{ nulls: "-" }, "nulls: expected a list, not a text"],
		[{ invalidDates: "drop" }, 'invalidDates: expected "reject" or "null"'],
		[{ split: { a: { into: {} } } }, "split.a.pattern: is missing; expected a text"],
		[
			{ split: { a: { pattern: "FIRST PREFIX LAST", into: {} } } },
			'PREFIX directly before a name, such as "P',
		],
		[{ columns: { a: "member_status" } }, 'no column "member_status"; did you mean "member_license_status"?'],
		[{ columns: { a: "lic_no" } }, 'no column "lic_no"; did you mean "member_state_license_number"?'],
		[{ columns: { a: "colour" } }, 'no column "colour". The columns are country, state,'],
		[
			{ columns: { state: "State" } },
			`columns.state: columns has names of the file's header before ours; write "State": "state"`,
		],
	];
	for (const [map, ...parts] of refused) {
		const path = scratch.write("wrong.json", JSON.stringify(map));
		await assertRefused([good], [path], "bad_map", "wrong.json", ...parts);
	}
	const years = scratch.write("years.json", JSON.stringify({ dateFormat: "DD/MM/YY" }));
	await assertRefused(
		[good],
		[years],
		"bad_date_format",
		'date format "DD/MM/YY": YY needs the first year that it can be: write "DD/MM/YY from 1950" for 1950 to 2049',
	);
	const latin1 = Buffer.from('{"constants":{"member_type":"Agr\u00e9\u00e9"}}', "latin1");
	await assertRefused(
		[good],
		[scratch.write("latin1.json", latin1)],
		"bad_map",
		"latin1.json",
		"save it as UTF-8",
	);
	const footer = scratch.write("footer.json", JSON.stringify({ skipFooter: 99 }));
	await assertRefused(
		[good],
		[footer],
		"empty_file",
		'"skipFooter" is 99, the lines to skip at the end, but the file has only 2 that are not blank',
	);
	await assertRefused([good], [scratch.write("wrong.json", "{")], "bad_map", "wrong.json", "JSON");
	const ambiguous = scratch.write(
		"dates.json",
		JSON.stringify({ dateFormats: ["MM/DD/YYYY", "DD/MM/YYYY"] }),
	);
	await assertRefused([good], [ambiguous], "bad_date_format", "dates.json", "DD/MM/YYYY");
});

test("the first map that matches a file applies to it, and none is required", async () => {
	const texas = scratch.write("tx-1.csv", "no\n1\n");
	const other = scratch.write("other.csv", csv(2));
	const columns = { no: "member_state_license_number" };
	const maps = [
		scratch.write("map1.json", JSON.stringify({ match: "tx-?.csv", columns, constants: { state: "TX" } })),
		scratch.write("map2.json", JSON.stringify({ match: "tx-*", columns, constants: { state: "OK" } })),
	];
	const month = await parse([texas, other], maps);
	assert.deepEqual(
		rowsOf(month).map((row) => [row.state, row.member_state_license_number]),
		[
			["TX", "1"],
			["TX", "2"],
		],
	);
});

test("progress reports bytes and rows, and ends at their totals", async () => {
	const files = [scratch.write("p1.csv", csv(1, 2, 3)), scratch.write("p2.csv", csv(4, 5))];
	const told: ParseProgress[] = [];
	const month = await parseMonth({
		files,
		rejectFile,
		threads: 1,
		chunkBytes: 8,
		onProgress: (progress) => told.push(progress),
	});
	const total = csv(1, 2, 3).length + csv(4, 5).length;
	assert.deepEqual(told.at(-1), { bytes: total, totalBytes: total, rows: 5 });
	for (let i = 1; i < told.length; i++) {
		assert.ok(told[i].bytes >= told[i - 1].bytes && told[i].rows >= told[i - 1].rows);
	}
	assert.equal(month.rows, 5);
});

/** Parses standard input in a process of its own and prints rows and bytes. */
const STDIN_PARSER = `
	const { parseMonth } = await import(${JSON.stringify(new URL("../../builder/csv/index.js", import.meta.url).href)});
	let total;
	const month = await parseMonth({ files: ["-"], rejectFile: process.argv[2], threads: 1, onProgress: (p) => { total = p.totalBytes; } });
	console.log(JSON.stringify([month.rows, month.sources[0].file, month.sources[0].bytes, total]));
`;

test("standard input is read, compressed or not, and in small pieces", async () => {
	const args = [scratch.write("parse.mjs", STDIN_PARSER), rejectFile];
	for (const input of [Buffer.from(csv(1, 2, 3)), gzipSync(csv(1, 2, 3)), zstdFrame(20, csv(1, 2, 3))]) {
		const printed = execFileSync(process.execPath, args, { input });
		assert.deepEqual(JSON.parse(printed.toString()), [3, "-", input.length, null]);
	}
	for (const input of [gzipSync(csv(1, 2)), zstdFrame(20, csv(1, 2))]) {
		const child = spawn(process.execPath, args);
		const printed: Buffer[] = [];
		child.stdout.on("data", (piece: Buffer) => printed.push(piece));
		for (const byte of input) {
			child.stdin.write(Uint8Array.of(byte));
			await new Promise((resolve) => setImmediate(resolve));
		}
		child.stdin.end();
		await new Promise((resolve) => child.on("close", resolve));
		assert.equal(JSON.parse(Buffer.concat(printed).toString())[0], 2);
	}
});

test("a named pipe is read as a stream", async () => {
	const pipe = join(folder, "pipe.csv");
	execFileSync("mkfifo", [pipe]);
	const writer = spawn("sh", ["-c", `printf '${csv(1, 2).replaceAll("\n", "\\n")}' > "${pipe}"`]);
	const month = await parse([pipe]);
	assert.equal(month.rows, 2);
	await new Promise((resolve) => (writer.exitCode === null ? writer.on("close", resolve) : resolve(0)));
});
