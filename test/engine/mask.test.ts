/** Masking, case by case and as a property: what demo and trial keys see of any contact cell. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { maskEmail, maskPhone } from "../../engine/index.js";
import { naiveMaskEmail, naiveMaskPhone } from "../oracle/naive-render.js";
import { checkProperty } from "../oracle/seeded.js";
import { anyText } from "../oracle/tricky-text.js";

test("an e-mail address keeps the first letter of each part and the last label", () => {
	const cases: Readonly<Record<string, string>> = {
		"john@gmail.com": "j***@g***.com",
		"john.smith@mail.example.com": "j***@m***.com",
		"J@G.CO": "J***@G***.CO",
		"x@y.xn--p1ai": "x***@y***.xn--p1ai",
		"e\u0301lodie@h\u00f4tel.fr": "e***@h***.fr",
		"\u00e9lodie@\u00e9.qu\u00e9bec": "\u00e9***@\u00e9***.qu\u00e9bec",
		"\u{1f600}smile@x.org": "\u{1f600}***@x***.org",
	};
	for (const [email, masked] of Object.entries(cases)) assert.equal(maskEmail(email), masked, email);
});

test("a cell that is not a plain e-mail address reveals no more than one would", () => {
	const cases: Readonly<Record<string, string>> = {
		"no at sign": "n***",
		"@": "***@***",
		"@x.com": "***@x***.com",
		"joe@": "j***@***",
		"joe@localhost": "j***@l***",
		"joe@x.": "j***@x***",
		"joe@.com": "j***@.***.com",
		"a@b@c.example": "a***@c***.example",
		"joe@x.org; ann@y.org": "j***@y***.org",
		"joe@x.org (555) 123-4567": "j***@x***",
		"joe@10.0.0.1": "j***@1***",
		"joe@x.org\n": "j***@x***",
		"555-123-4567": "5***",
		"": "***",
	};
	for (const [email, masked] of Object.entries(cases)) assert.equal(maskEmail(email), masked, email);
});

test("a phone number keeps its last two digits where it has more", () => {
	const cases: Readonly<Record<string, string>> = {
		"(555) 123-4567": "***67",
		"+1 555 123 4567": "***67",
		"555.123.4567 x89": "***89",
		"123": "***23",
		"12": "***",
		"1": "***",
		unlisted: "***",
		"\u0665\u0665\u0665-\u0661\u0662": "***",
		"": "***",
	};
	for (const [phone, masked] of Object.entries(cases)) assert.equal(maskPhone(phone), masked, phone);
});

test("any cell is masked by the rule, and reveals few characters", (t) => {
	const cell = fc
		.array(fc.oneof(anyText(), fc.constantFrom("@", ".", ".com", "@x.", "555-0100", " ")), { maxLength: 6 })
		.map((parts) => parts.join(""));
	checkProperty(
		t,
		3000,
		fc.property(cell, (text) => {
			assert.equal(maskEmail(text), naiveMaskEmail(text));
			assert.equal(maskPhone(text), naiveMaskPhone(text));
			const shown = maskEmail(text)
				.replace(/\.[\p{L}\p{N}-]+$/u, "")
				.replaceAll("***", "")
				.replace("@", "");
			assert.ok(Array.from(shown).length <= 2, "two characters beside the last label");
			assert.match(maskPhone(text), /^\*\*\*(\d\d)?$/);
		}),
	);
});
