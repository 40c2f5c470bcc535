/** The search of names finds the rows that a scan of every name finds, at the same cost, in the same order. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { GrantedWords } from "../../engine/columns/grant-index.js";
import { askedName, SHARED_WORD_COST } from "../../engine/names/asked-name.js";
import { bestMatches } from "../../engine/names/best-match.js";
import { CompoundMatcher } from "../../engine/names/compound-matches.js";
import { NameSearch } from "../../engine/names/name-search.js";
import { Scratch } from "../../engine/scratch.js";
import {
	columnNamed,
	editDistance,
	looseKey,
	looseWords,
	NameIndex,
	type Range,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { naiveDistance, naiveMatch } from "../oracle/naive-names.js";
import { checkAsyncProperty, checkProperty } from "../oracle/seeded.js";
import { askedText, fullName } from "./name-texts.js";

const FULL_NAME = columnNamed("member_full_name");

const MONTH = "2026-11";

interface Found {
	readonly row: number;
	readonly cost: number;
	readonly extra: number;
}

/** The matching rows of runs, best match first, by scanning. */
function naiveSearch(asked: string, names: readonly (string | null)[], runs: readonly Range[]): Found[] {
	const found: Found[] = [];
	for (const { from, to } of runs) {
		for (let row = from; row < to; row++) {
			const match = naiveMatch(asked, names[row]);
			if (match !== null) found.push({ row, ...match });
		}
	}
	return found.sort((a, b) => a.cost - b.cost || a.extra - b.extra || a.row - b.row);
}

/** Opens a month of rows with these names and runs `work` on it. */
async function withNames(
	names: readonly (string | null)[],
	work: (search: NamesOfMonth) => void,
): Promise<void> {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-names-"));
	try {
		const raw = names.map((name, i) => ({
			state: i % 3 === 0 ? "CA" : i % 3 === 1 ? "TX" : "NY",
			member_state_license_number: String(i),
			member_full_name: name ?? "",
		}));
		await compileRows(raw, MONTH, folder, false, new Draw(names.length, 3));
		work(new NamesOfMonth(SnapshotFiles.open(snapshotFolder(folder, MONTH))));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

class NamesOfMonth {
	/** By row. */
	readonly names: (string | null)[];
	readonly runs: readonly Range[];
	private readonly scratch = new Scratch();
	/** With offsets of its own, which may be changed. */
	readonly index: NameIndex;
	private readonly search: NameSearch;
	private readonly wordCounts: Uint8Array;

	constructor(files: SnapshotFiles) {
		const codes = files.codes(FULL_NAME);
		const dictionary = files.dictionary(FULL_NAME);
		this.names = Array.from(codes, (code) => dictionary.value(code));
		this.runs = files.catalog.states.map(({ first, rows }) => ({ from: first, to: first + rows }));
		this.scratch.fit(files.catalog.rows);
		const index = files.nameIndex(FULL_NAME);
		assert.ok(index !== null);
		const changed = { ...index, postingOffsets: index.postingOffsets.slice() };
		this.index = Object.setPrototypeOf(changed, NameIndex.prototype) as NameIndex;
		this.search = new NameSearch(this.index, codes);
		this.wordCounts = index.wordCounts;
	}

	/** As {@link naiveSearch}, by the engine. */
	find(asked: string, runs: readonly Range[]): Found[] {
		const name = askedName(asked);
		const count = this.search.search(name, runs, null, this.scratch);
		const { list } = this.scratch;
		const rows = [...list.subarray(0, count)];
		assert.deepEqual(
			rows,
			[...rows].sort((a, b) => a - b),
			"rows ascend",
		);
		const out = new Uint32Array(count);
		const matched = { list, count, costs: this.search.costs, wordCounts: this.wordCounts, words: name.words };
		assert.equal(bestMatches(matched, "asc", 0, count + 1, out), count);
		const backwards = new Uint32Array(count);
		bestMatches(matched, "desc", 0, count, backwards);
		assert.deepEqual([...backwards].reverse(), [...out], "descending is the reverse");
		const costs = this.search.costs.slice();
		assert.equal(this.search.finds(name, runs, null, this.scratch), count > 0, "finds any");
		this.search.costs.set(costs);
		const page = new Uint32Array(2);
		const taken = bestMatches(matched, "asc", 1, 2, page);
		assert.deepEqual([...page.subarray(0, taken)], [...out].slice(1, 3), "a page is a part of the whole");
		return [...out].map((row) => ({
			row,
			cost: this.search.costs[row],
			extra: Math.min(15, Math.max(0, this.wordCounts[row] - name.words)),
		}));
	}
}

test("a word that is asked for several times costs as often what its match does", async () => {
	const names = [
		"Ann Smith",
		"Ann Smyth",
		"Ann Smith Smyth",
		"Mary-Ann Smith",
		"A. Smith-Jones",
		"Robert Ann Smith",
	];
	await withNames(names, (month) =>
		checkQuestions(month, [
			"smyth smyth ann",
			"smyth smyth smyth bob bob ann",
			"ann-smyth-smyth",
			"smyth-smyth-ann smyth-smyth-ann",
			"a a a a a a a a a a a smith",
			"a-a-a-a-smith",
			"mary-anne mary-anne smith",
		]),
	);
});

test("names in which words given share a word come after all others", async () => {
	const names = [
		"Amanda Smith",
		"Samantha Smith",
		"Smith",
		"Sam Amy Smyth-Smith",
		"Marcia Davies",
		"Maria Garcia",
	];
	await withNames(names, (month) => {
		checkQuestions(month, [
			"s smith",
			"smith s",
			"maria garcia",
			"smyth smith",
			"smith smyth sm",
			"smith smith",
			"a smith-s",
		]);
		const found = month
			.find("s smith", month.runs)
			.map(({ row, cost }) => [month.names[row], cost >= SHARED_WORD_COST]);
		assert.deepEqual(Object.fromEntries(found), {
			"Samantha Smith": false,
			"Sam Amy Smyth-Smith": false,
			Smith: true,
			"Amanda Smith": true,
		});
	});
});

test("a suffix that is given stands for no other word of a name: the name itself comes first", async () => {
	const names = ["Mary Ann Johnson Jr.", "Mary Johnson Smith", "Mary Johnson Jr.", "Mary Johnson"];
	await withNames(names, (month) => {
		const found = month.find("Johnson, Mary Jr", month.runs).map(({ row }) => month.names[row]);
		assert.deepEqual(found, ["Mary Johnson Jr.", "Mary Ann Johnson Jr."]);
		checkQuestions(month, ["Johnson, Mary Jr", "jr mary johnson", "mary johnson", "iii"]);
	});
});

test("the matches of a word are kept for names that have it again, by its form and the grant", async () => {
	await withNames(["Ann Bobson", "Bob Carlson", "Dora Ann"], ({ index }) => {
		const matcher = new CompoundMatcher(index);
		const matchesOf = (text: string, granted: GrantedWords | null = null) =>
			matcher.match(askedName(text), granted).map(({ parts }) => parts[0].matches);
		const textsOf = (text: string, granted: GrantedWords | null = null) =>
			matchesOf(text, granted).map(({ words }) => Array.from(words, (word) => index.text(word)));
		assert.equal(matchesOf("Ann Bob Carl")[1], matchesOf("Bob Dora")[0]);
		assert.deepEqual(textsOf("Ann Bob"), [["ann"], ["bob", "bobson"]]);
		assert.deepEqual(textsOf("Bob Ann", { has: () => false }), [[], []]);
		for (let i = 0; i < 99; i++) matchesOf(`b${i} ann${i}`);
		assert.deepEqual(textsOf("Bob Ann"), [["bob"], ["ann"]]);
	});
});

test("postings that end behind the last, as corrupt offsets may say, are those that exist", async () => {
	const names = Array.from({ length: 40 }, (_, i) => (i < 37 ? "Ann Bell" : "Zoe Bell"));
	await withNames(names, (month) => {
		const sound = month.find("zoe", month.runs);
		assert.equal(sound.length, 3);
		assert.ok(sound.every(({ row }) => row > 0));
		month.index.postingOffsets[month.index.count] = 0xffffffff;
		assert.deepEqual(month.find("zoe", month.runs), sound);
	});
});

test("of a name whose words have no end, as corrupt offsets may say, some are read", async () => {
	const names = Array.from({ length: 9_000 }, (_, i) => `Ann Bell${i}`);
	await withNames(names, (month) => {
		const { valueWords } = month.index;
		const valueOffsets = month.index.valueOffsets.slice();
		let reads = 0;
		const counted = new Proxy(valueWords, {
			get(target, key) {
				reads++;
				return target[Number(key)];
			},
		});
		Object.assign(month.index, { valueWords: counted, valueOffsets });
		assert.equal(month.find("ann bell", month.runs).length, 9_000);
		const sound = reads;
		for (let value = 100; value < 110; value++) valueOffsets[value] = 0xffffffff;
		month.find("ann bell", month.runs);
		assert.ok(reads - sound < sound + 10 * 4 * 2048, `${reads - sound} reads, ${sound} before`);
	});
});

test("the edit distance is that of the whole table, up to its limit", (t) => {
	const letters = fc
		.array(fc.constantFrom("a", "b", "c", "é"), { maxLength: 9 })
		.map((list) => list.join(""));
	checkProperty(
		t,
		20_000,
		fc.property(letters, letters, fc.constantFrom(1, 2), (a, b, limit) => {
			const points = (text: string) => Array.from(text, (c) => c.codePointAt(0) as number);
			const padded = [0x61, ...points(b), 0x62];
			const distance = editDistance(points(a), padded, 1, padded.length - 1, limit);
			assert.equal(distance, Math.min(limit + 1, naiveDistance(a, b)));
		}),
	);
});

test("the edit distance of long words is that of the whole table, up to its limit", (t) => {
	const edited = fc
		.array(fc.record({ at: fc.nat(40), way: fc.nat(3), letter: fc.constantFrom("a", "b", "é") }), {
			maxLength: 4,
		})
		.chain((edits) =>
			fc.array(fc.constantFrom("a", "b", "é"), { minLength: 28, maxLength: 38 }).map((letters) => {
				const other = [...letters];
				for (const { at, way, letter } of edits) {
					if (way === 0) other.splice(at, 1);
					else if (way === 1) other.splice(at, 0, letter);
					else if (way === 2) other[Math.min(at, other.length - 1)] = letter;
					else other.splice(at, 2, ...other.slice(at, at + 2).reverse());
				}
				return [letters.join(""), other.join("")];
			}),
		);
	checkProperty(
		t,
		2_000,
		fc.property(edited, fc.constantFrom(1, 2), ([a, b], limit) => {
			const points = (text: string) => Array.from(text, (c) => c.codePointAt(0) as number);
			const other = points(b);
			assert.equal(
				editDistance(points(a), other, 0, other.length, limit),
				Math.min(limit + 1, naiveDistance(a, b)),
			);
		}),
	);
});

/** Asserts that every question is answered as a scan answers it, in all states and in several of them. */
function checkQuestions(opened: NamesOfMonth, questions: readonly string[]): void {
	const { runs } = opened;
	const scopes = [runs, [runs[0]], runs.slice(1), [runs[0], ...runs.slice(2)]].filter(
		(list) => list.length > 0,
	);
	for (const asked of questions) {
		for (const scope of scopes)
			assert.deepEqual(
				opened.find(asked, scope),
				naiveSearch(asked, opened.names, scope),
				JSON.stringify(asked),
			);
	}
}

test("names of small random months are found as a scan finds them, in every state and in several", async (t) => {
	const month = fc.array(
		fc.oneof({ weight: 9, arbitrary: fullName }, { weight: 1, arbitrary: fc.constant(null) }),
		{ minLength: 3, maxLength: 60 },
	);
	await checkAsyncProperty(
		t,
		25,
		fc.asyncProperty(
			month,
			fc.array(askedText, { minLength: 10, maxLength: 30 }),
			async (names, questions) => {
				await withNames(names, (opened) => checkQuestions(opened, questions));
			},
		),
		20,
	);
});

test("names that hundreds of rows share are found as a scan finds them", async (t) => {
	const pool = fc.array(fullName, { minLength: 6, maxLength: 10 });
	await checkAsyncProperty(
		t,
		10,
		fc.asyncProperty(
			pool,
			fc.integer({ min: 2_000, max: 3_000 }),
			fc.array(askedText, { minLength: 4, maxLength: 8 }),
			async (names, rows, others) => {
				const draw = new Draw(rows, 4);
				// Two words of a name, each of which many rows have, so that neither list is read alone.
				const questions = [...names.map((name) => name.split(" ").reverse().join(" ")), ...others];
				await withNames(
					Array.from({ length: rows }, () => (draw.oneIn(20) ? null : names[draw.below(names.length)])),
					(opened) => checkQuestions(opened, questions),
				);
			},
		),
		3,
	);
});

test("the key of a text is its words written as one", (t) => {
	const text = fc.oneof(fullName, askedText, fc.string({ unit: "binary-ascii" }), fc.string());
	checkProperty(
		t,
		5_000,
		fc.property(text, (value) => {
			assert.equal(looseKey(value), looseWords(value).join(""));
		}),
	);
});
