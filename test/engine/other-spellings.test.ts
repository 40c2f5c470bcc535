/** Other spellings of names are those that a look at every value finds; in months without them, in letter case alone. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Filters, openLibrary, type Snapshot } from "../../engine/index.js";
import {
	CATALOG_FILE,
	decodeCatalog,
	encodeCatalog,
	fold,
	SECTION,
	SPELLED_COLUMNS,
	snapshotFolder,
} from "../../formats/index.js";
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

let snapshot: Snapshot;
/** The same month without stored spellings, as earlier versions wrote it. */
let older: Snapshot;
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
	snapshot = open();
	withoutSpellings(snapshotFolder(folder, "2026-11"));
	older = open();
});
/** Removes the sections of spellings from the catalog of a month, whose files stay as they are. */
function withoutSpellings(month: string): void {
	const path = join(month, CATALOG_FILE);
	const { catalog } = decodeCatalog(readFileSync(path), path);
	const sections = catalog.sections.filter(
		({ kind }) => kind < SECTION.spelledCodes || kind > SECTION.spellings,
	);
	writeFileSync(path, encodeCatalog({ ...catalog, sections }));
}

after(() => rmSync(folder, { recursive: true, force: true }));

test("spellings of a name are those of its group, of every column that has them", (t) => {
	tellSeed(t, 1);
	for (const column of SPELLED_COLUMNS) {
		for (const name of GROUPS.flat()) {
			const others = spellingsOf(name);
			assert.deepEqual([...snapshot.spellings.others(column, name)].sort(), others, `${column} ${name}`);
			// What differs in letter case alone is found by filters that ignore it.
			const isSpelledOtherwise = others.some((other) => fold(other) !== fold(name));
			for (const text of [name, name.toUpperCase()])
				assert.equal(snapshot.spellings.hasOthers(column, text), isSpelledOtherwise, `${column} ${text}`);
		}
		for (const text of ["Nowhere", "Monte", "Walla W", ""])
			assert.equal(snapshot.spellings.hasOthers(column, text), false, `${column} ${text}`);
	}
});

test("months of earlier versions have the spellings in another letter case", () => {
	for (const column of SPELLED_COLUMNS) {
		for (const name of GROUPS.flat()) {
			const inCase = spellingsOf(name).filter((other) => fold(other) === fold(name));
			assert.deepEqual([...older.spellings.others(column, name)].sort(), inCase, `${column} ${name}`);
			assert.equal(older.spellings.hasOthers(column, name), false, `${column} ${name}`);
		}
	}
});

test("a text that no row has has the spellings that rows have", () => {
	const absent = [
		{ text: "ST.-LOUIS", others: GROUPS[0] },
		{ text: "Montréâl", others: GROUPS[3] },
		{ text: "l'a grange", others: ["La Grange", "LaGrange", "LA GRANGE"] },
		{ text: "Re Max", others: GROUPS[7] },
		{ text: "Winston; Salem", others: GROUPS[12] },
		{ text: "Walla Walla X", others: [] },
		{ text: "Nowhere", others: [] },
		{ text: "", others: [] },
	];
	for (const { text, others } of absent) {
		for (const each of [snapshot, older]) {
			assert.deepEqual([...each.spellings.others("office_name", text)].sort(), [...others].sort(), text);
			// Once more, as it may be kept.
			assert.deepEqual([...each.spellings.others("office_name", text)].sort(), [...others].sort(), text);
		}
	}
	assert.deepEqual([...snapshot.spellings.others("member_city", "st. LOUIS")].sort(), [...GROUPS[0]].sort());
});

test("rows of a value, and of those that a prefix begins, are counted as rows of a query are", () => {
	const places: readonly Filters[] = [{}, { state: ["TX"] }, { state: ["CA", "QC"] }, { country: "CA" }];
	for (const filters of places) {
		for (const geography of [null, { countries: [], states: ["TX", "QC"] }]) {
			const counted = snapshot.valueRows("member_city", filters, geography);
			for (const name of [...GROUPS.flat(), "Nowhere"]) {
				assert.equal(counted.ofValue(name), snapshot.count({ ...filters, city: [name] }, geography), name);
			}
			let all = 0;
			for (const name of GROUPS.flat().filter((each) => /^mon/i.test(each))) all += counted.ofValue(name);
			assert.equal(counted.withPrefix("MON"), all);
		}
	}
});
