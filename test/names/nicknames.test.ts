/** Forms of first names that match each other. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { nicknamesOf } from "../../engine/names/nicknames.js";

test("names match their familiar forms and those that registers abbreviate them to, both ways", () => {
	const forms: Readonly<Record<string, string>> = {
		kathleen: "kathy cathy kate katie kay cathleen",
		catherine: "kathy cathy kate katie kay katherine",
		cheryl: "sheryl sheri sherri",
		deborah: "deb debbie debbi debi",
		william: "bill wm",
		thomas: "tom thos",
		james: "jim jas",
		george: "geo",
		geoffrey: "jeff jeffrey",
		wesley: "wes",
		beverly: "bev",
		sean: "shawn shaun",
	};
	for (const [name, short] of Object.entries(forms))
		for (const form of short.split(" ")) {
			assert.ok(nicknamesOf(name).has(form), `${name}: ${form}`);
			assert.ok(nicknamesOf(form).has(name), `${form}: ${name}`);
		}
});

test("names of different groups do not match each other, though they have a short form in common", () => {
	for (const [name, other, short] of [
		["kathleen", "catherine", "kathy"],
		["tyler", "tyrone", "ty"],
		["eric", "richard", "rick"],
	]) {
		assert.ok(!nicknamesOf(name).has(other), `${name}: ${other}`);
		assert.ok(nicknamesOf(name).has(short), `${name}: ${short}`);
		assert.ok(!nicknamesOf(name).has(name), name);
	}
});
