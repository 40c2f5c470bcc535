/** The steps that cells pass through: trimming, dates, encodings, dictionaries. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { blockOfText, byteBlock, keyedHash, SLACK_BYTES } from "../../builder/csv/byte-block.js";
import { Interner } from "../../builder/csv/interner.js";
import { trimmedEnd, trimmedStart } from "../../builder/csv/trim.js";
import { BuildError } from "../../builder/errors.js";
import { compileDateFormats, readDate } from "../../builder/input/date-format.js";
import {
	RECODED_BYTES_PER_BYTE,
	recode,
	recodingTable,
	type SingleByteEncoding,
} from "../../builder/input/encodings.js";
import { checkProperty } from "../oracle/seeded.js";

/**
 * Every character that String.trim() removes, and similar ones that it does not: U+180E, U+200B, U+2060,
 * a soft hyphen.
 */
const SPACES =
	"\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";
const NEAR_MISSES = "\u180e\u200b\u2060\u00ad\u0085\u0000\u001c";

function trimmed(text: string): string {
	const bytes = Buffer.from(text, "utf8");
	const start = trimmedStart(bytes, 0, bytes.length);
	return bytes.toString("utf8", start, trimmedEnd(bytes, start, bytes.length));
}

test("trimming removes what String.trim() removes, character by character", () => {
	for (let code = 0; code < 0x10000; code++) {
		if (code >= 0xd800 && code <= 0xdfff) continue;
		const text = `${String.fromCharCode(code)}a${String.fromCharCode(code)}`;
		assert.equal(trimmed(text), text.trim(), `U+${code.toString(16)}`);
	}
});

test("trimming agrees with String.trim() on any mix of spaces and letters", (t) => {
	const characters = fc.constantFrom(...SPACES, ...NEAR_MISSES, "a", "é", "😀");
	checkProperty(
		t,
		2000,
		fc.property(fc.array(characters, { maxLength: 12 }), (pieces) => {
			assert.equal(trimmed(pieces.join("")), pieces.join("").trim());
		}),
	);
});

test("an interner numbers values as a map does, for any lengths and any number", (t) => {
	const value = fc.oneof(
		fc.string({ minLength: 1, maxLength: 40 }),
		fc.constantFrom("a", "aa", "aaa", "aaaa", "aaaaa", "aaaab", "\0", "\0\0", "aaa\0", "aaaa\0"),
		fc.integer({ min: 0, max: 5000 }).map(String),
	);
	checkProperty(
		t,
		100,
		fc.property(fc.array(value, { maxLength: 4000 }), (values) => {
			const interner = new Interner("test");
			const codes = new Map<string, number>();
			for (const text of values) {
				const { block, length } = blockOfText(text);
				// Bytes after a value must not matter.
				block.bytes.fill(0x5a, length);
				const expected = codes.get(text) ?? codes.size;
				codes.set(text, expected);
				assert.equal(interner.intern(block.words, 0, length), expected);
			}
			const { count, offsets, heap } = interner.dictionary();
			assert.equal(count, codes.size);
			for (const [text, code] of codes) {
				const bytes = heap.slice(offsets[code], offsets[code + 1]);
				assert.equal(Buffer.from(bytes).toString("utf8"), Buffer.from(text).toString("utf8"));
			}
		}),
	);
});

test("an interner of many values keeps them all and stays in order", () => {
	const interner = new Interner("test");
	const data = byteBlock(new ArrayBuffer(16 + SLACK_BYTES));
	for (let round = 0; round < 2; round++) {
		for (let i = 0; i < 400_000; i++) {
			data.words.setInt32(0, i);
			data.words.setInt32(4, i * 7);
			assert.equal(interner.intern(data.words, 0, 6), i);
		}
	}
	assert.equal(interner.count, 400_000);
});

/** Looks up eight-byte values, each a number, and returns the interner's count and whether every code has its value. */
function internNumbers(numbers: Iterable<number>, allowDuplicates: boolean) {
	const interner = new Interner("test", allowDuplicates);
	const data = byteBlock(new ArrayBuffer(8 + SLACK_BYTES));
	const given: (readonly [code: number, number: number])[] = [];
	for (const number of numbers) {
		data.words.setInt32(0, number);
		given.push([interner.intern(data.words, 0, 8), number]);
	}
	const { count, offsets, heap } = interner.dictionary();
	const view = new DataView(heap.buffer, heap.byteOffset);
	const isRight = given.every(([code, number]) => view.getInt32(offsets[code]) === number);
	return { count, isRight };
}

test("where duplicates are allowed, each code has its value, and duplicates occur only if nearly all values are distinct", () => {
	const distinct = 400_000;
	function* twice() {
		for (let i = 0; i < distinct; i++) yield i;
		for (let i = 0; i < distinct; i++) yield i;
	}
	assert.deepEqual(internNumbers(twice(), false), { count: distinct, isRight: true });
	const repeated = internNumbers(twice(), true);
	assert.ok(repeated.isRight && repeated.count > 1.5 * distinct, `${repeated.count} values`);
	function* oftenOld() {
		for (let i = 0; i < distinct; i++) yield* [i, i >> 1];
	}
	assert.deepEqual(internNumbers(oftenOld(), true), { count: distinct, isRight: true });
	function* oneOften() {
		for (let i = 0; i < distinct; i++) yield* [i, i, i, -1];
	}
	assert.deepEqual(internNumbers(oneOften(), true), { count: distinct + 1, isRight: true });
	function* oneRecent() {
		for (let i = 0; i < distinct; i++) yield i;
		for (let i = 0; i < distinct; i++) yield -1;
	}
	assert.deepEqual(internNumbers(oneRecent(), true), { count: distinct + 1, isRight: true });
});

test("hashes of near values differ in their low bits", () => {
	const low = new Set<number>();
	for (let i = 0; i < 65_536; i++) {
		const { block, length } = blockOfText(`TX${100_000 + i}`);
		low.add(keyedHash(block.words, 0, length) & 0xffff);
	}
	// Of 65,536 random values about 63 % fall on distinct slots.
	assert.ok(low.size > 65_536 * 0.6, `${low.size} slots`);
});

const DATES: readonly (readonly [format: string, text: string, reading: string])[] = [
	["MM/DD/YYYY", "09/05/2010", "2010-09-05"],
	["MM/DD/YYYY", "9/05/2010", "2010-09-05"],
	["MM/DD/YYYY", "1/5/2026", "2026-01-05"],
	["MM/DD/YYYY", "13/5/2026", "impossible_date"],
	["MM/DD/YYYY", "1/005/2026", "unreadable_date"],
	["DD.MM.YYYY", "5.1.2026", "2026-01-05"],
	["YYYY/MM/DD", "2026/1/5", "2026-01-05"],
	["MM/DD/YY from 1950", "1/5/49", "2049-01-05"],
	["DDMMMYYYY", "5jan2026", "2026-01-05"],
	["YYYYMMDD", "2026105", "unreadable_date"],
	["YYYYMMDD", "202615", "unreadable_date"],
	["MMDDYYYY", "1052026", "unreadable_date"],
	["MMDD/YYYY", "105/2026", "unreadable_date"],
	["YYYYMM/DD", "20261/05", "unreadable_date"],
	["MM/DD/YYYY", "02/29/2021", "impossible_date"],
	["M/D/YYYY", "9/5/2010", "2010-09-05"],
	["M/D/YYYY", "09/05/2010", "2010-09-05"],
	["M/D/YYYY", "9/5/2010 ", "unreadable_date"],
	["DD/MM/YYYY", "09/05/2010", "2010-05-09"],
	["DD.MM.YYYY", "09.05.2010", "2010-05-09"],
	["DD.MM.YYYY", "09/05/2010", "unreadable_date"],
	["YYYYMMDD", "20100905", "2010-09-05"],
	["YYYYMMDD", "20101305", "impossible_date"],
	["D-MMM-YYYY", "5-SEP-2010", "2010-09-05"],
	["MMM D, YYYY", "Sep 5, 2010", "2010-09-05"],
	["MMMM D, YYYY", "SEPTEMBER 5, 2010", "2010-09-05"],
	["MMMM D, YYYY", "Sep 5, 2010", "unreadable_date"],
	["D MMMM YYYY", "31 may 2010", "2010-05-31"],
	["D MMMM YYYY", "3 f\u00e9vrier 2010", "2010-02-03"],
	["D MMMM YYYY", "3 FE\u0301VRIER 2010", "2010-02-03"],
	["D MMMM YYYY", "1er aout 2010", "2010-08-01"],
	["D MMMM YYYY", "11er mai 2010", "unreadable_date"],
	["D MMMM YYYY", "30 f\u00e9vrier 2010", "impossible_date"],
	["D MMMM YYYY", "3 febrero 2010", "unreadable_date"],
	["dddd, MMMM D, YYYY", "Wednesday, September 5, 2010", "2010-09-05"],
	["dddd D MMMM YYYY", "MERCREDI 1er ao\u00fbt 2010", "2010-08-01"],
	["ddd MMM D YYYY", "Thu. Jan  2 2025", "2025-01-02"],
	["ddd D/M/YYYY", "mar. 7/9/2010", "2010-09-07"],
	["MMMM D, YYYY", "January 1st, 2027", "2027-01-01"],
	["MMM DD YYYY", "Feb 22nd 2027", "2027-02-22"],
	["D MMMM YYYY", "13th March 2027", "2027-03-13"],
	["D MMMM YYYY", "13rd March 2027", "unreadable_date"],
	["D MMMM YYYY", "11st March 2027", "unreadable_date"],
	["D MMMM YYYY", "31st March 2027", "2027-03-31"],
	["M/D/YYYY h:mm:ss AM", "1/2/2027 12:00:00 a.m.", "2027-01-02"],
	["ddd, DD MMM YYYY HH:mm:ss ZZZ", "Fri, 01 Jan 1960 00:00:00 GMT", "1960-01-01"],
	["ddd, DD MMM YYYY HH:mm:ss ZZZ", "Fri, 01 Jan 1960 00:00:00 +0000", "1960-01-01"],
	["ddd MMM D HH:mm:ss ZZZ YYYY", "Fri Jan 01 23:59:59 EST 1960", "1960-01-01"],
	["M/D/YYYY HH:mm ZZZ", "1/2/2027 01:00 GMT-5:00", "2027-01-02"],
	["M/D/YYYY HH:mm ZZZ", "1/2/2027 01:00", "unreadable_date"],
	["M/D/YYYY HH:mm ZZZ", "1/2/2027 01:00 5", "unreadable_date"],
	["ddd M/D/YYYY", "Xyz 9/7/2010", "unreadable_date"],
	["ddd M/D/YYYY", "9/7/2010", "unreadable_date"],
	["DD-MMM-YYYY", "03-D\u00c9C.-2010", "2010-12-03"],
	["D MMM YYYY", "3 mars 2010", "2010-03-03"],
	["D MMM YYYY", "3 juil. 2010", "2010-07-03"],
	["D MMM YYYY", "3 juin 2010", "2010-06-03"],
	["D MMM YYYY", "3 ao\u00fbt 2010", "2010-08-03"],
	["D MMM YYYY", "3 jui 2010", "unreadable_date"],
	["MMM D, YYYY", "Sept. 5, 2010", "2010-09-05"],
	["MMM D YYYY h:mmAM", "Sep  5 2010  1:30PM", "2010-09-05"],
	["MMM  D YYYY h:mmAM", "Sep 15 2010 12:00AM", "2010-09-15"],
	["MMM D YYYY", "Sep5 2010", "unreadable_date"],
	["MM/DD/YYYY hh:mm:ss AM", "09/05/2010 12:00:00 AM", "2010-09-05"],
	["MM/DD/YYYY hh:mm:ss AM", "09/05/2010 13:00:00 AM", "unreadable_date"],
	["MM/DD/YYYY hh:mm:ss AM", "09/05/2010", "unreadable_date"],
	["YYYY-MM-DDTHH:mm:ss.SSSZ", "2010-09-05T23:59:59.123Z", "2010-09-05"],
	["M/D/YYYY H:mm", "9/5/2010 0:00", "2010-09-05"],
	["MM/DD/YYYY", "2010-09-05", "2010-09-05"],
	["MM/DD/YYYY", "0000-09-05", "impossible_date"],
	["MM/DD/YY from 1950", "09/05/49", "2049-09-05"],
	["MM/DD/YY from 1950", "09/05/50", "1950-09-05"],
	["MM/DD/YY from 1950", "09/05/00", "2000-09-05"],
	["MM/DD/YY from 1937", "09/05/37", "1937-09-05"],
	["MM/DD/YY from 1937", "09/05/36", "2036-09-05"],
	["MM/DD/YY from 1950", "02/29/00", "2000-02-29"],
	["MM/DD/YY from 1950", "02/29/51", "impossible_date"],
	["MM/DD/YY from 1950", "09/05/2010", "unreadable_date"],
	["MM/DD/YY from 1950", "2010-09-05", "2010-09-05"],
	["D-MMM-YY from 2000", "5-Sep-99", "2099-09-05"],
	["MM/DD/YY hh:mm:ss AM from 1950", "09/05/10 12:00:00 AM", "2010-09-05"],
	["YYMMDD from 1950", "990905", "1999-09-05"],
	["MDDYYYY", "9052010", "2010-09-05"],
	["MDDYYYY", "12052010", "2010-12-05"],
	["excel", "0", "impossible_date"],
	["excel", "1", "1900-01-01"],
	["excel", "60", "impossible_date"],
	["excel", "61", "1900-03-01"],
	["excel", "2958465.5", "9999-12-31"],
	["excel", "2958466", "unreadable_date"],
	["excel1904", "0", "1904-01-01"],
	["excel1904", "2957003", "9999-12-31"],
	["excel1904", "2957004", "unreadable_date"],
];

test("dates are read as ISO and in the formats given, and in no other", () => {
	for (const [format, text, expected] of DATES) {
		const reading = readDate(text, compileDateFormats([format]));
		assert.equal("iso" in reading ? reading.iso : reading.fault, expected, `${text} by ${format}`);
	}
});

test("a date format in another notation is refused with the one that is meant", () => {
	for (const [format, meant] of [
		["mm/dd/yyyy", "MM/DD/YYYY"],
		["dd/MM/yyyy", "DD/MM/YYYY"],
		["yyyy-MM-dd HH:mm:ss", "YYYY-MM-DD HH:mm:ss"],
		["%m/%d/%Y", "MM/DD/YYYY"],
		["%d-%b-%y", "DD-MMM-YY from 1950"],
		["EEEE, MMMM d, yyyy", "dddd, MMMM D, YYYY"],
		["%a %d %b %Y", "ddd DD MMM YYYY"],
		["american", null],
		["%q", null],
	]) {
		assert.throws(
			() => compileDateFormats([format ?? ""]),
			(error: Error) =>
				meant === null
					? !error.message.includes("did you mean")
					: error.message.endsWith(`; did you mean "${meant}"?`),
			String(format),
		);
	}
});

test("a date format that does not determine a day, or contradicts another format, is refused", () => {
	const refused = [
		["MM/YYYY"],
		["YYYY-MM-DD-DD"],
		["MM/DD/YY"],
		["MM/DD/YY from 50"],
		["MM/DD/YY from 9990"],
		["MM/DD/YYYY from 1950"],
		["MM/DD from 1950"],
		["MM/DD/YY/YYYY from 1950"],
		["MM/DD/YY from 1950", "DD/MM/YY from 1950"],
		["MM/DD/YY from 1950", "YY/MM/DD from 1950"],
		["MM/DD/YY from 1950", "M-D-YY from 1960"],
		["YYMMDD from 1950", "excel"],
		["MDYYYY"],
		["YYYY M/DH"],
		["quux"],
		[""],
		["MM/DD/YYYY", "DD/MM/YYYY"],
		["YYYY-DD-MM"],
		["YYYY-D-M"],
		["YYYY-DD-MM HH:mm"],
		["YYYY-DD-MMTHH:mm:ssZ"],
	];
	for (const formats of [...refused, ["M/D/YYYY", "DD/MM/YYYY"], ["YYYYMMDD", "YYYYDDMM"]]) {
		assert.throws(
			() => compileDateFormats(formats),
			(error: unknown) => error instanceof BuildError && error.code === "bad_date_format",
			formats.join(" and "),
		);
	}
	assert.equal(compileDateFormats(["MM/DD/YYYY", "M/D/YYYY", "YYYYMMDD", "DD-MMM-YYYY"]).length, 4);
	assert.equal(compileDateFormats(["YYYY-M-D", "YYYY-MM-DD H:mm"]).length, 2);
	assert.equal(compileDateFormats(["YYYY/DD/MM"]).length, 1);
	assert.equal(compileDateFormats(["MM/DD/YY from 1950", "MM/DD/YYYY", "D-MMM-YY from 1950"]).length, 3);
});

/** Some characters of each encoding, by byte; all of CP850's letters of Québec. */
const CHARACTERS: Readonly<Record<SingleByteEncoding, Readonly<Record<number, string>>>> = {
	latin1: { 128: "\u0080", 146: "\u0092", 160: "\u00a0", 233: "é", 255: "ÿ" },
	"windows-1252": { 128: "€", 129: "\u0081", 146: "’", 150: "–", 159: "Ÿ", 160: "\u00a0", 233: "é" },
	cp850: {
		128: "Ç",
		130: "é",
		133: "à",
		135: "ç",
		138: "è",
		144: "É",
		147: "ô",
		213: "ı",
		240: "\u00ad",
		254: "■",
		255: "\u00a0",
	},
	macintosh: { 128: "Ä", 142: "é", 150: "ñ", 132: "Ñ", 202: "\u00a0", 219: "€", 255: "ˇ" },
};

test("single-byte encodings become the UTF-8 of their characters", () => {
	for (const encoding of ["latin1", "windows-1252", "cp850", "macintosh"] as const) {
		const table = recodingTable(encoding);
		const source = Uint8Array.from({ length: 256 }, (_, byte) => byte);
		const target = new Uint8Array(source.length * RECODED_BYTES_PER_BYTE);
		const text = Buffer.from(target.subarray(0, recode(source, target, table))).toString("utf8");
		const characters = [...text];
		assert.equal(characters.length, 256);
		assert.equal(new Set(characters).size, 256);
		for (let byte = 0; byte < 0x80; byte++) assert.equal(characters[byte], String.fromCharCode(byte));
		for (const [byte, character] of Object.entries(CHARACTERS[encoding])) {
			assert.equal(characters[Number(byte)], character, `${encoding} ${byte}`);
		}
	}
});
