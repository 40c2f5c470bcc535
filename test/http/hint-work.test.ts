/** What the hints of an answer read is bounded, however much each of their questions reads. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Filters, Snapshot } from "../../engine/index.js";
import { groupSpellingHints } from "../../server/api/hints/group-hints.js";
import type { HintSource } from "../../server/api/hints/hint.js";
import { HINT_WORK_MAX } from "../../server/api/hints/hint-work.js";
import { hintsFor } from "../../server/api/hints/no-row-hints.js";
import { unmatchedValueHints } from "../../server/api/hints/unmatched-value-hints.js";
import { excludedWordingHints, wordingHints } from "../../server/api/hints/vocabulary-hints.js";

/** A month in which a question reads `elements`; counts how many were asked. */
class CountedMonth {
	readonly work = { elements: 0 };
	readonly month = "2026-11";
	asked = 0;

	constructor(
		private readonly elements: number,
		private readonly rowsOf: (filters: Filters) => number,
	) {}

	get source(): HintSource {
		return { snapshot: this as unknown as Snapshot, geography: null, stats: null as never };
	}

	count(filters: Filters): number {
		this.read();
		return this.rowsOf(filters);
	}

	query() {
		this.read();
		return { rows: [] };
	}

	hasName(): boolean {
		return true;
	}

	looseValues(): string[] {
		this.read();
		return [];
	}

	statesWithout(): [] {
		return [];
	}

	sparseStates(): [] {
		return [];
	}

	/** Looks up postings, which is no question. */
	valueRows() {
		return { ofValue: (value: string) => this.rowsOf({ city: value }) };
	}

	readonly spellings = {
		others: (_: string, value: string) => Array.from({ length: 30 }, (_each, i) => `${value}${i}`),
		hasOthers: () => true,
		codeOf: () => -1,
		prefixes: () => [],
		startingWith: () => [],
	};

	private read(): void {
		this.asked++;
		this.work.elements += this.elements;
	}
}

/** Elements of a question that is asked twice before the work is spent. */
const LARGE = HINT_WORK_MAX / 2;
/** Questions of which nothing is saved: the place, and the one that spends the last of the work. */
const SPARE = 2;

const FILTERS: Filters = {
	name: "j m s a b c d e f g h k",
	first_name: "b",
	last_name: "c",
	office_name: ["k"],
	city: ["Houston"],
	postal_prefix: "9",
	issued_after: "1995-01-01",
	expires_after: "2000-01-01",
	status_group: ["active"],
	type_group: ["broker"],
};

test("of filters that match no row, alone or together, hints ask as far as the work reaches", () => {
	const together = new CountedMonth(LARGE, (filters) => (Object.keys(filters).length < 2 ? 1 : 0));
	const [hint] = hintsFor(FILTERS, together.source);
	assert.ok(together.asked <= 2 + SPARE, `${together.asked} questions`);
	assert.match(hint.message, /^no row meets all of name, first_name, .*; leave out several$/);
	const cheap = new CountedMonth(1, (filters) => (Object.keys(filters).length < 2 ? 1 : 0));
	assert.match(hintsFor(FILTERS, cheap.source)[0].message, /nor all but one/);
	assert.ok(cheap.asked > 2 * Object.keys(FILTERS).length);
	const alone = new CountedMonth(LARGE, (filters) => (Object.keys(filters).length === 0 ? 1 : 0));
	assert.ok(hintsFor({ name: FILTERS.name }, alone.source).length > 0);
	assert.ok(alone.asked <= 2 + SPARE, `${alone.asked} questions`);
	// The place, the name without each of its words, its beginnings and pairs of words; of each word alone no rows are selected. Then the
	// text as an office's name.
	const words = new CountedMonth(1, (filters) => (Object.keys(filters).length === 0 ? 1 : 0));
	hintsFor({ name: FILTERS.name }, words.source);
	const given = String(FILTERS.name).split(" ").length;
	assert.equal(words.asked, 1 + given + 3 + (given - 2) + 1);
});

test("of values that no row has, those near them are looked for as far as the work reaches", () => {
	const month = new CountedMonth(LARGE, () => 0);
	const hints = unmatchedValueHints({ city: ["a", "b", "c", "d", "e"] }, month.source);
	assert.equal(hints.length, 5, "each is told");
	// Those near are looked for until nothing is left.
	assert.equal(month.asked, 2);
});

test("of groups with other spellings twenty are counted, or as many as the work reaches", () => {
	const groups = ["A", "B", "C"].map((name) => ({ by: { member_city: name }, rows: 1 }));
	// Rows have every spelling, and the filters leave none of them.
	const rowsOf = ({ last_name }: Filters) => (last_name === undefined ? 1 : 0);
	const cheap = new CountedMonth(0, rowsOf);
	groupSpellingHints(["member_city"], groups, { last_name: "x" }, cheap.source);
	assert.equal(cheap.asked, 20);
	const large = new CountedMonth(LARGE, rowsOf);
	groupSpellingHints(["member_city"], groups, { last_name: "x" }, large.source);
	assert.equal(large.asked, 2);
});

/** What hints read of a month with a status a row; `onRead` is called for each status that is read. */
function withManyStatuses({ source }: CountedMonth, onRead: () => void): HintSource {
	const license_status = Array.from({ length: 50_000 }, (_, i) => ({
		get value() {
			onRead();
			return `Status ${i}`;
		},
		states: { CA: 1 },
	}));
	return { ...source, stats: { of: () => ({ license_status }) } } as unknown as HintSource;
}

test("a status that no row has is compared with the most frequent ones alone", () => {
	const month = new CountedMonth(0, ({ license_status }) => (license_status === undefined ? 1 : 0));
	let compared = 0;
	const source = withManyStatuses(month, () => compared++);
	const [hint] = hintsFor({ license_status: ["status 7"] }, source);
	assert.equal(hint.nearest[0], "Status 7");
	assert.ok(compared <= 2 * 2_048, `${compared} read`);
});

test("of a column with more words than any vocabulary, those that differ in letters alone are not looked for", () => {
	const month = new CountedMonth(0, () => 1);
	let read = 0;
	const source = withManyStatuses(month, () => read++);
	for (const filters of [{ status_not: ["status 7"] }, { status_not: ["status 8"] }])
		assert.deepEqual(excludedWordingHints(filters, source), []);
	assert.deepEqual(wordingHints({ license_status: ["Status 7"] }, source), []);
	assert.equal(read, 0);
});
