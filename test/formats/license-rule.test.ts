/** Licenses to verify that are no licenses: what their faults say (docs/API.md §11.4). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { licensesRule } from "../../formats/parameters/license-rule.js";
import { RuleViolation } from "../../formats/parameters/rule.js";

test("a person without a number is sent to the search by name, and a number's fault is its own", () => {
	for (const [given, message] of [
		[{ state: "TX", last_name: "Doe" }, /^must have license_number as .*; without a number, search_licenses/],
		[{ state: "TX", license_number: null }, /without a number, search_licenses finds people by name$/],
		[
			{ state: "TX", license_number: 12 },
			/^must have license_number as text of 1 to 1,000 characters: "12"$/,
		],
		[{ license_number: "12" }, /^must have state as text of 1 to 1,000 characters$/],
	] as const) {
		const read = licensesRule(given);
		assert.ok(read instanceof RuleViolation);
		assert.match(read.message, message);
	}
});
