/** Other spellings of cities and offices are those that a look at every value finds, prepared for and not. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Filters, openLibrary, type Snapshot } from "../../engine/index.js";
import { fold } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";
import { compileRows } from "./compiled-month.js";

/** Names in groups of one another's spellings; those of different groups are none. */
const GROUPS = [
	["St. Louis", "ST LOUIS", "St Louis", "st.  louis"],
	["Louis St", "LOUIS, ST"],
	["Saint Louis"],
	["Montréal", "Montreal", "MONTRÉAL"],
	["Montréal Nord", "Montreal-Nord"],
	["O'Fallon", "OFALLON", "O’Fallon", "O Fallon"],
	["La Grange", "LaGrange", "LA GRANGE"],
	["RE/MAX", "Re-Max"],
	["Remax"],
	["Remax Gold", "ReMax, Gold"],
	["Walla Walla", "WALLA WALLA"],
	["Walla"],
	["Winston-Salem", "Winston Salem", "WINSTON  SALEM"],
	["Winstonsalem"],
	["Walla-Walla"],
	["York-York", "YORK-YORK"],
	["Yorkyork"],
	// As long as the words before it together.
	["Ab C Xyz"],
	["Ab C Wvu"],
	["--"],
	["?"],
];

/** Of different groups: one word, and a compound of which another spelling has two words. */
const JOINED: readonly (readonly [word: string, compounds: readonly string[]])[] = [
	["Winstonsalem", ["Winston-Salem"]],
	["Remax", ["RE/MAX", "Re-Max"]],
];

/** The other spellings of a name. */
function spellingsOf(name: string): string[] {
	const group = GROUPS.find((names) => names.includes(name)) ?? [];
	const joined = JOINED.flatMap(([word, compounds]) =>
		name === word ? compounds : compounds.includes(name) ? [word] : [],
	);
	return [...group.filter((other) => other !== name), ...joined].sort();
}

let plain: Snapshot;
let prepared: Snapshot;
let folder: string;
before(async () => {
	folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	const draw = new Draw(SEED);
	// Each name has a row at least.
	const names = [...GROUPS.flat(), ...Array.from({ length: 60 }, () => draw.pick(GROUPS.flat()))];
	const rows = names.map((name, i) => ({
		state: draw.pick(["TX", "CA", "QC"]),
		member_state_license_number: String(i),
		member_city: name,
		office_name: name,
		member_last_name: name,
	}));
	await compileRows(rows, "2026-11", folder, true, new Draw(SEED));
	const open = () => openLibrary({ dataFolder: folder }).latest as Snapshot;
	[plain, prepared] = [open(), open()];
	for (const _ of prepared.precompute());
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("spellings of a name are those of its group, of cities that were prepared for and not, and of offices", (t) => {
	tellSeed(t, 1);
	for (const group of GROUPS) {
		for (const name of group) {
			const others = spellingsOf(name);
			for (const [snapshot, column] of [
				[plain, "member_city"],
				[prepared, "member_city"],
				[plain, "office_name"],
				[prepared, "office_name"],
				[prepared, "member_last_name"],
			] as const) {
				const context = `${column} ${name}${snapshot === prepared ? ", prepared" : ""}`;
				assert.deepEqual([...snapshot.otherSpellings(column, name)].sort(), others, context);
				// Once more, as it may be kept.
				assert.deepEqual([...snapshot.otherSpellings(column, name)].sort(), others, context);
			}
		}
	}
});

test("offices and last names of several spellings are known once prepared, and others are told from them", () => {
	for (const column of ["office_name", "member_last_name"] as const) {
		for (const name of GROUPS.flat()) {
			assert.equal(plain.mayBeSpelledOtherwise(column, name), true);
			// What differs in letter case alone is found by filters that ignore it.
			const others = spellingsOf(name).filter((other) => fold(other) !== fold(name));
			assert.equal(prepared.mayBeSpelledOtherwise(column, name), others.length > 0, `${column} ${name}`);
			assert.equal(prepared.mayBeSpelledOtherwise(column, name.toUpperCase()), others.length > 0, name);
		}
		for (const snapshot of [plain, prepared])
			for (const text of ["Nowhere", "Monte", "Walla W", ""])
				assert.equal(snapshot.mayBeSpelledOtherwise(column, text), false, text);
	}
});

test("a value that no row has has the spellings that rows have", () => {
	for (const text of GROUPS.flat().flatMap((name) => [name.toLowerCase(), name.toUpperCase(), `${name} X`])) {
		const [expected, found] = [plain, prepared].map((each) =>
			[...each.otherSpellings("office_name", text)].sort(),
		);
		assert.deepEqual(found, expected, text);
	}
	for (const snapshot of [plain, prepared]) {
		assert.deepEqual([...snapshot.otherSpellings("member_city", "st. LOUIS")].sort(), [...GROUPS[0]].sort());
		assert.deepEqual(snapshot.otherSpellings("member_city", "Nowhere"), []);
		assert.deepEqual(snapshot.otherSpellings("member_city", ""), []);
	}
});

test("rows of a value, and of those that a prefix begins, are counted as rows of a query are", () => {
	const places: readonly Filters[] = [{}, { state: ["TX"] }, { state: ["CA", "QC"] }, { country: "CA" }];
	for (const filters of places) {
		for (const geography of [null, { countries: [], states: ["TX", "QC"] }]) {
			const counted = plain.valueRows("member_city", filters, geography);
			for (const name of [...GROUPS.flat(), "Nowhere"]) {
				assert.equal(counted.ofValue(name), plain.count({ ...filters, city: [name] }, geography), name);
			}
			let all = 0;
			for (const name of GROUPS.flat().filter((each) => /^mon/i.test(each))) all += counted.ofValue(name);
			assert.equal(counted.withPrefix("MON"), all);
		}
	}
});
