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

/** A source whose row `n` is of the person `names[n]`. */
function namedBy(names: readonly string[]): Partial<LicenseSource> {
	return { value: (row, column) => (column === "member_last_name" ? names[row] : null) };
}

test("another spelling is ambiguous where its rows are of different people, as the number itself is", () => {
	const names = namedBy(["Reed", "Roe"]);
	const similarTo = () => [{ number: "01", rows: [0, 1] }];
	const both = verifyLicense(ASKED, sourceOf({ ...names, similarTo }));
	assert.deepEqual(both, { outcome: "ambiguous", rows: [0, 1], differs: [], similar: ["01"] });
	const exact = verifyLicense(ASKED, sourceOf({ ...names, rowsOf: () => [0, 1] }));
	assert.equal(exact.outcome, both.outcome);
	const one = verifyLicense({ ...ASKED, lastName: "Roe" }, sourceOf({ ...names, similarTo }));
	assert.deepEqual(one, { outcome: "similar", rows: [1], differs: [], similar: ["01"] });
});

test("a name chooses among all spellings, not among those that one outcome has room for", () => {
	const names = namedBy([...ROWS.map(() => "Reed"), "Roe"]);
	const similarTo = () => Array.from({ length: 13 }, (_, i) => ({ number: `${i}-1`, rows: [i] }));
	const found = verifyLicense({ ...ASKED, lastName: "Roe" }, sourceOf({ ...names, similarTo }));
	assert.deepEqual(found, { outcome: "similar", rows: [12], differs: [], similar: ["12-1"] });
});

test("of several spellings an ambiguous outcome has those of the person named alone", () => {
	const names = namedBy(["Roe", "Reed", "Roe"]);
	const similarTo = () => ["1-A", "1-B", "1-C"].map((number, i) => ({ number, rows: [i] }));
	const found = verifyLicense({ ...ASKED, lastName: "Roe" }, sourceOf({ ...names, similarTo }));
	assert.deepEqual(found, { outcome: "ambiguous", rows: [0, 2], differs: [], similar: ["1-A", "1-C"] });
});

test("a last name may lack the suffix of its row, and has none that the row's last and full name lack", () => {
	const cases: readonly (readonly [asked: string, last: string, full: string, outcome: string])[] = [
		["Rivera", "RIVERA JR", "RAMON RIVERA JR", "match"],
		["Rivera Jr.", "RIVERA JR", "RAMON RIVERA JR", "match"],
		["Rivera Sr.", "RIVERA JR", "RAMON RIVERA JR", "mismatch"],
		["Cormier, Sr.", "Cormier", "Cormier SR, Tevin T.", "match"],
		["Cormier Jr", "Cormier", "Cormier SR, Tevin T.", "mismatch"],
		["Cormier III", "Cormier", "Cormier, Tevin T.", "mismatch"],
		["De la Cruz II", "DELACRUZ", "ANA DELACRUZ II", "match"],
		["Reed Jr", "Rivera", "Ramon Rivera Jr", "mismatch"],
		["Sr", "Ii", "Ana Ii", "mismatch"],
	];
	for (const [lastName, last, full, outcome] of cases) {
		const value: LicenseSource["value"] = (_row, column) =>
			column === "member_last_name" ? last : column === "member_full_name" ? full : null;
		const found = verifyLicense({ ...ASKED, lastName }, sourceOf({ rowsOf: () => [0], value }));
		assert.equal(found.outcome, outcome, `${lastName} of ${full}`);
		assert.deepEqual(found.differs, outcome === "match" ? [] : ["member_last_name"]);
	}
});
