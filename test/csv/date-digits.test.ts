/** How many digits a month and a day may have, against a reading by splitting and cutting. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileDateFormats, readDate } from "../../builder/input/date-format.js";
import { checkProperty } from "../oracle/seeded.js";

const ORDERS = ["YMD", "MDY", "DMY", "YDM"] as const;
type Part = "Y" | "M" | "D";

/** What a token of the format is written as, and the digits that it may have. */
const TOKENS: Readonly<Record<Part, readonly string[]>> = { Y: ["YYYY"], M: ["MM", "M"], D: ["DD", "D"] };

/** The day that numbers make, by their parts; null: none. */
function naiveDay(parts: readonly Part[], numbers: readonly string[]): string | null {
	const of = (part: Part) => Number(numbers[parts.indexOf(part)]);
	const date = new Date(Date.UTC(2000, of("M") - 1, of("D")));
	date.setUTCFullYear(of("Y"), of("M") - 1, of("D"));
	const isReal = date.getUTCMonth() === of("M") - 1 && date.getUTCDate() === of("D") && of("Y") > 0;
	return isReal ? date.toISOString().slice(0, 10) : null;
}

/** By separators: one or two digits of month and day, four of the year. */
function naiveSplit(parts: readonly Part[], separator: string, text: string): string | null {
	const numbers = text.split(separator);
	const isWritten =
		numbers.length === parts.length &&
		parts.every((part, i) => (part === "Y" ? /^\d{4}$/ : /^\d\d?$/).test(numbers[i]));
	return isWritten ? naiveDay(parts, numbers) : null;
}

/** Run together: two digits of month and day, no fewer. */
function naiveCut(parts: readonly Part[], text: string): string | null {
	if (!/^\d{8}$/.test(text)) return null;
	const pattern = new RegExp(parts.map((part) => (part === "Y" ? "(....)" : "(..)")).join(""));
	return naiveDay(parts, pattern.exec(text)?.slice(1) ?? []);
}

function read(text: string, format: string): string | null {
	const reading = readDate(text, compileDateFormats([format]));
	return "iso" in reading ? reading.iso : null;
}

const order = fc.constantFrom(...ORDERS).map((letters) => [...letters] as Part[]);
/** Digits of a number, with zeros before it or not, and now and then one too many. */
const number = fc
	.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 3 }))
	.map(([value, digits]) => String(value).padStart(digits, "0"));
const year = fc.oneof(
	fc.constantFrom("2024", "2026", "1900"),
	fc.integer({ min: 0, max: 99_999 }).map(String),
);

test("month and day have one digit or two between separators, by MM and DD as by M and D", (t) => {
	checkProperty(
		t,
		2_000,
		fc.property(
			order,
			fc.constantFrom("/", ".", " ", "-"),
			fc.integer({ min: 0, max: 3 }),
			fc.array(number, { minLength: 3, maxLength: 3 }),
			year,
			(parts, separator, choice, numbers, ofYear) => {
				// Such a format reads an ISO date as another day, and is refused.
				if (parts.join("") === "YDM" && separator === "-") return;
				const format = parts
					.map((part) => TOKENS[part][(part === "M" ? choice : choice >> 1) & 1] ?? "YYYY")
					.join(separator);
				const text = parts.map((part, i) => (part === "Y" ? ofYear : numbers[i])).join(separator);
				const expected = naiveSplit(parts, separator, text);
				const iso = naiveSplit(["Y", "M", "D"], "-", text);
				const isIso = iso !== null && /^\d{4}-\d\d-\d\d$/.test(text);
				assert.equal(read(text, format), isIso ? iso : expected, `${text} by ${format}`);
			},
		),
	);
});

test("month and day that run together have two digits", (t) => {
	checkProperty(
		t,
		2_000,
		fc.property(order, fc.array(number, { minLength: 2, maxLength: 2 }), year, (parts, numbers, ofYear) => {
			const format = parts.map((part) => TOKENS[part][0]).join("");
			const text = parts.map((part, i) => (part === "Y" ? ofYear : numbers[i % 2])).join("");
			assert.equal(read(text, format), naiveCut(parts, text), `${text} by ${format}`);
		}),
	);
});

test("formats that read a text of one digit as different days are refused together", () => {
	for (const separator of ["/", ".", "-", " "]) {
		const [american, other] = ["MM DD YYYY", "DD MM YYYY"].map((format) => format.replaceAll(" ", separator));
		assert.throws(() => compileDateFormats([american, other]), { code: "bad_date_format" });
		assert.throws(() => compileDateFormats([american.replaceAll("MM", "M"), other]), {
			code: "bad_date_format",
		});
		assert.equal(compileDateFormats([american, american.replaceAll("DD", "D"), "YYYYMMDD"]).length, 3);
	}
});
