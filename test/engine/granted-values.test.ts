/**
 * What a value outside a grant costs: the same as one that occurs nowhere. Every filter of the table, alone
 * and beside values that are granted, suggestions, verification and history by number take the same plan and
 * read the same number of elements, in one month and in twin months that differ outside the grant alone.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { GrantSearch } from "../../engine/columns/grant-search.js";
import { StateSets } from "../../engine/columns/state-sets.js";
import { DEFAULT_QUERY, type Filters, formatAnalysis, type Snapshot } from "../../engine/index.js";
import { FILTERS, type Filter } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { compileRows, openMonth } from "./compiled-month.js";

const GRANT = { countries: [], states: ["CA", "ON"] } as const;
/** Rows of each state: more than are listed outright. */
const STATE_ROWS = 3_000;

/** A row outside the grant has values that begin with `word`, which has five letters, and dates of `year`. */
function rowsWith(word: string, year: number): RawRow[] {
	return ["CA", "NY", "ON", "TX"].flatMap((state) =>
		Array.from({ length: STATE_ROWS }, (_, i): RawRow => {
			const own = (GRANT.states as readonly string[]).includes(state);
			const text = (kind: string) => (own ? `${kind} ${i % 50}` : `${word} ${i % 7}`);
			const date = (first: number) => `${own ? first + (i % 3) : year}-0${1 + (i % 9)}-1${i % 9}`;
			const last = own ? `Family${i % 90}` : `${word}son`;
			const [first, type, status] = own ? ["Given", "Broker", "Active"] : [word, word, word];
			return {
				state,
				member_full_name: `${first} ${last}`,
				member_first_name: first,
				member_last_name: last,
				member_type: type,
				member_city: text("City"),
				member_postal_code: own ? String(90_000 + i) : `${word}${i % 5}`,
				office_name: text("Office"),
				member_state_license_number: own ? `${i}` : `${word}-${900_000 + i}`,
				member_license_status: status,
				member_license_issued: date(2010),
				member_license_expires: date(2024),
				member_license_first_issued: date(2000),
			};
		}),
	);
}

async function monthOf(folder: string, rows: readonly RawRow[]): Promise<Snapshot> {
	await compileRows(rows, "2026-11", folder, false, new Draw(3));
	return openMonth(folder, "mmap");
}

/** Values that a filter finds in rows of `word` and `year`. */
function textFor({ column, kind }: Filter, word: string, year: number): string {
	if (kind === "from" || kind === "to") return `${year}-01-01`;
	if (kind === "prefix" || column === "member_last_name") return word.slice(0, 4);
	if (column === "member_city" || column === "office_name") return `${word} 3`;
	if (column === "member_postal_code") return `${word}3`;
	return column === "member_state_license_number" ? `${word}-900003` : word;
}

/** What a query did: its plan, and each step with the elements it read. */
function workOf(snapshot: Snapshot, filters: Filters): string {
	const text = formatAnalysis(snapshot.analyze({ ...DEFAULT_QUERY, filters, geography: GRANT }), false);
	// The plan repeats the name that was asked for.
	return text.replace(/^ {2}name: .*$/m, "");
}

function workDone(snapshot: Snapshot, ask: () => unknown): number {
	snapshot.work.reset();
	ask();
	return snapshot.work.elements;
}

/** Filters whose values are texts of rows; the group columns have a fixed vocabulary. */
const ASKED = FILTERS.filter(
	({ kind, column }) => column !== null && !["state", "country", "from", "to", "group"].includes(kind),
);

describe("a value outside the grant", () => {
	const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), "rollcall-granted-")));
	let month: Snapshot;
	/** The same within the grant; outside, every value is another. */
	let twin: Snapshot;

	before(async () => {
		month = await monthOf(folders[0], rowsWith("Quill", 2031));
		twin = await monthOf(folders[1], rowsWith("Zebra", 2041));
	});
	after(() => {
		for (const folder of folders) rmSync(folder, { recursive: true });
	});

	for (const filter of ASKED)
		test(`costs as one that occurs nowhere: ${filter.param}`, () => {
			const outside = textFor(filter, "Quill", 2031);
			const nowhere = textFor(filter, "Gnome", 2021);
			const own = filter.kind === "exact" || filter.kind === "not" ? "Active" : "Family1";
			const shapes: ((value: string) => Filters)[] = [
				(value) => ({ [filter.param]: value }),
				(value) => ({ [filter.param]: value, state: ["CA"] }),
				(value) => ({ [filter.param]: value, city_not: "City 1", issued_after: "2010-05-01" }),
			];
			if (filter.repeatable) shapes.push((value) => ({ [filter.param]: [own, value] }));
			for (const shape of shapes) {
				const first = workOf(month, shape(outside));
				assert.equal(first, workOf(twin, shape(outside)), "in the twin it occurs nowhere");
				// Now that the rows have been counted, they are for either value.
				const again = workOf(month, shape(outside));
				assert.equal(again, workOf(month, shape(nowhere)), "nowhere in the month");
			}
		});

	test("is seen by the comparison where it is inside", () => {
		const filters = { office_name: "Office 3" };
		assert.notEqual(workOf(month, filters), workOf(month, { office_name: "Office x" }));
	});

	test("takes as many searches as one that occurs nowhere, before the set of values is made", () => {
		const geography = { countries: [], states: ["ON"] } as const;
		let searches = 0;
		const { hasAny } = GrantSearch.prototype;
		const { firstCode } = StateSets.prototype;
		GrantSearch.prototype.hasAny = function (this: GrantSearch, range) {
			searches++;
			return hasAny.call(this, range);
		};
		StateSets.prototype.firstCode = function (this: StateSets, ...args) {
			searches++;
			return firstCode.apply(this, args);
		};
		const searchesOf = (filters: Filters) => {
			searches = 0;
			// Opened anew, since small sets are made after a search or two.
			openMonth(folders[0], "mmap").query({ ...DEFAULT_QUERY, filters, geography });
			return searches;
		};
		try {
			for (const [param, outside, nowhere] of [
				["last_name", "Quil", "Gnom"],
				["first_name", "Quil", "Gnom"],
				["office_name", "Quil", "Gnom"],
				["office_name_is", "Quill 3", "Gnome 3"],
				["city", "Quill 3", "Gnome 3"],
				["city_not", "Quill 3", "Gnome 3"],
				["postal_code", "Quill3", "Gnome3"],
				["postal_prefix", "Quil", "Gnom"],
				["issued_after", "2031-01-01", "2041-01-01"],
			]) {
				const made = searchesOf({ [param]: outside });
				assert.ok(made > 0, param);
				assert.equal(made, searchesOf({ [param]: nowhere }), param);
			}
		} finally {
			GrantSearch.prototype.hasAny = hasAny;
			StateSets.prototype.firstCode = firstCode;
		}
	});

	test("costs the same as one that occurs nowhere: windows of dates", () => {
		const window = (year: number): Filters => ({
			issued_after: `${year}-01-01`,
			issued_before: `${year}-12-31`,
		});
		assert.equal(workOf(month, window(2031)), workOf(month, window(2033)));
		assert.equal(workOf(month, window(2031)), workOf(twin, window(2031)));
		const open = (year: number): Filters => ({ first_issued_after: `${year}-01-01`, status_not: "Quill" });
		assert.equal(workOf(month, open(2031)), workOf(month, open(2033)));
		assert.equal(workOf(month, open(2031)), workOf(twin, open(2031)));
	});

	test("costs the same as one that occurs nowhere: suggestions", () => {
		for (const field of ["member_city", "office_name", "member_last_name"] as const)
			for (const state of [null, "CA"]) {
				const asking = (of: Snapshot, prefix: string) => () =>
					assert.deepEqual(of.suggestions.of({ field, prefix, state, limit: 10, geography: GRANT }), []);
				assert.equal(workDone(month, asking(month, "qu")), 0, field);
				assert.equal(workDone(month, asking(month, "gn")), 0, field);
				assert.equal(workDone(twin, asking(twin, "qu")), 0, field);
			}
		const inside = () =>
			month.suggestions.of({ field: "office_name", prefix: "of", state: null, limit: 10, geography: GRANT });
		assert.equal(workDone(month, inside), 50);
	});

	test("costs the same as one that occurs nowhere: license numbers", () => {
		// The digits are those of a number outside, in another spelling and as they are.
		for (const [outside, nowhere] of [
			["Quill-900003", "Gnome-900003"],
			["900003", "800003"],
		]) {
			const verified = (of: Snapshot, licenseNumber: string) =>
				workDone(of, () => {
					const found = of.verifyLicense(
						{ state: "CA", licenseNumber },
						{ geography: GRANT, reads: () => true },
					);
					assert.equal(found.outcome, "not_found");
				});
			assert.equal(verified(month, outside), verified(month, nowhere), outside);
			assert.equal(verified(month, outside), verified(twin, outside), outside);
			const followed = (of: Snapshot, number: string) =>
				workDone(of, () => assert.equal(of.findLicense("CA", number, GRANT).length, 0));
			assert.equal(followed(month, outside), followed(month, nowhere), outside);
		}
	});

	test("does not change answers within the grant, for any grant", () => {
		const names = (filters: Filters, geography: typeof GRANT | { countries: ("US" | "CA")[]; states: [] }) =>
			month.query({ ...DEFAULT_QUERY, filters, geography }).total;
		assert.equal(names({ name: "quil" }, { countries: ["US"], states: [] }), 2 * STATE_ROWS);
		assert.equal(names({ name: "quil" }, GRANT), 0);
		assert.equal(names({ missing: ["member_email"] }, GRANT), 2 * STATE_ROWS);
		assert.equal(names({ present: ["member_email"] }, GRANT), 0);
		assert.equal(names({ status_not: ["Quill", "Active"] }, GRANT), 0);
		assert.equal(names({ status_not: "Active" }, { countries: ["US"], states: [] }), 2 * STATE_ROWS);
	});
});
