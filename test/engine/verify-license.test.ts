/** Verifications of licenses over made-up sources: how many rows and numbers an outcome has. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type LicenseSource, verifyLicense } from "../../engine/license-check/verify-license.js";

const ROWS = Array.from({ length: 12 }, (_, i) => 100 + i);
const ASKED = { state: "CA", licenseNumber: "1" };

function sourceOf(source: Partial<LicenseSource>): LicenseSource {
	return { rowsOf: () => [], similarTo: () => [], reads: () => true, value: () => null, ...source };
}

test("an outcome has the first ten rows, ascending, and ten similar numbers", () => {
	const repeated = verifyLicense(ASKED, sourceOf({ rowsOf: () => ROWS }));
	assert.deepEqual(repeated.rows, ROWS.slice(0, 10));
	const similar = ROWS.map((row, i) => ({ number: `0${i}`, rows: [row] })).toReversed();
	const spelled = verifyLicense(ASKED, sourceOf({ similarTo: () => similar }));
	assert.equal(spelled.outcome, "ambiguous");
	assert.deepEqual(
		spelled.similar,
		similar.slice(0, 10).map(({ number }) => number),
	);
	assert.deepEqual(spelled.rows, ROWS.slice(2));
});
