/** Other spellings of prefixes are those that a look at the beginning of every name finds. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Geography, openLibrary, type Snapshot } from "../../engine/index.js";
import { Dictionary, fold, looseKey } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";
import { compileRows } from "./compiled-month.js";

/** Beginnings of names, in groups of one another's spellings. */
const BEGINNINGS = [
	["RE/MAX", "Re-Max", "Remax", "RE MAX", "R.E.Max", "Re/Max,"],
	["RE/MAX Gold", "Remax Gold", "re max gold", "RE/MAX-Gold"],
	["Keller Williams", "KELLER-WILLIAMS", "KellerWilliams", "Keller/Williams"],
	["Équipe Müller", "Equipe Muller", "EQUIPE-MÜLLER"],
	["O'Brien", "OBrien", "O Brien", "O’Brien"],
	["C21", "C-21", "C 21"],
	["Century 21", "Century21", "CENTURY-21"],
	["Remaxwell"],
	["The RE/MAX"],
	["Ab", "A.B."],
	// Of Rem, with which Remax begins as a part of a word.
	["R.E.M"],
];
const IN_WORD = /^[\p{L}\p{N}]/u;
const ENDINGS = ["", " Realty", " First Group", " - Realty", ", LLC", "town"];

let snapshot: Snapshot;
let folder: string;
const rows: { readonly state: string; readonly name: string }[] = [];
before(async () => {
	folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	const draw = new Draw(SEED);
	for (const beginning of BEGINNINGS.flat())
		for (const ending of ENDINGS)
			if (ending === " Realty" || draw.oneIn(2))
				rows.push({ state: draw.pick(["TX", "CA", "QC"]), name: beginning + ending });
	for (let i = 0; i < 200; i++) rows.push({ state: "TX", name: `Q${i} Quorum Group` });
	const drop = rows.map(({ state, name }, i) => ({
		state,
		member_state_license_number: String(i),
		office_name: name,
	}));
	await compileRows(drop, "2026-11", folder, true, new Draw(SEED));
	snapshot = openLibrary({ dataFolder: folder }).latest as Snapshot;
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The names that begin with another spelling of `prefix`: with whole words that have its letters and digits. */
function namesWithAnother(prefix: string, geography: Geography | null): Set<string> {
	const key = looseKey(prefix);
	if (key.length < 3) return new Set();
	const granted = rows
		.filter(({ state }) => geography === null || geography.states.includes(state))
		.map(({ name }) => name);
	const own = granted.filter((name) => fold(name).startsWith(fold(prefix)));
	const isPartOfWord = (name: string) =>
		/[\p{L}\p{N}]$/u.test(prefix) && IN_WORD.test(name.slice(prefix.length));
	if (own.length > 0 && own.every(isPartOfWord)) return new Set();
	const names = granted
		.filter((name) => !fold(name).startsWith(fold(prefix)))
		.filter((name) => fold(name)[0] > "\x7f" || fold(name)[0] === key[0]);
	const begins = (name: string) => {
		const shortest = Array.from(name, (_, i) => name.slice(0, i + 1)).find(
			(each) => looseKey(each) === key && !IN_WORD.test(name.slice(each.length)),
		);
		// A beginning of the prefix finds more than it means.
		return shortest !== undefined && !fold(prefix).startsWith(fold(shortest));
	};
	return new Set(names.filter(begins));
}

test("names that begin with another spelling of a prefix are found by the spellings, and these find no others", (t) => {
	tellSeed(t, 1);
	let found = 0;
	for (const geography of [null, { countries: [], states: ["TX"] }])
		for (const prefix of [
			...BEGINNINGS.flat(),
			"remax g",
			"Rema",
			"Centur",
			"C21,",
			"Remax /",
			"Gold",
			"re",
			"",
			"/",
		]) {
			const spellings = snapshot.spellings.prefixes("office_name", prefix, geography);
			for (const spelling of spellings) {
				assert.equal(looseKey(spelling), looseKey(prefix), `${spelling} of ${prefix}`);
				assert.ok(!fold(spelling).startsWith(fold(prefix)), `${spelling} of ${prefix} is found by it`);
				assert.ok(!fold(prefix).startsWith(fold(spelling)), `${spelling} finds what ${prefix} does`);
			}
			const folds = spellings.map(fold);
			assert.equal(new Set(folds).size, folds.length, `${prefix}: ${folds.join(", ")}`);
			const another = namesWithAnother(prefix, geography);
			for (const name of another) {
				const by = spellings.some((spelling) => fold(name).startsWith(fold(spelling)));
				assert.ok(by, `${prefix}: ${name}, by ${spellings.join(", ")}`);
			}
			for (const spelling of spellings)
				assert.ok(
					[...another].some((name) => name.startsWith(spelling)),
					`${prefix}: ${spelling}`,
				);
			found += another.size;
		}
	assert.ok(found > 200, `${found}`);
});

test("spellings of a prefix and those of a text with a sign after it are cached apart", () => {
	const prefixes = snapshot.spellings.prefixes("office_name", "Remax", null);
	const [starred, asked] = ["Remax*", "Remax?"].map((text) => snapshot.spellings.others("office_name", text));
	assert.deepEqual(starred, asked);
	assert.notDeepEqual(prefixes, asked);
});

test("of a word that many names have elsewhere, at most 64 are read", (t) => {
	const read = t.mock.method(Dictionary.prototype, "value").mock;
	assert.deepEqual(
		snapshot.spellings.prefixes("office_name", "Quorum", { countries: [], states: ["TX"] }),
		[],
	);
	assert.equal(read.callCount(), 64);
});
