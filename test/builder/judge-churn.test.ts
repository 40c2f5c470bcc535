/** Changes between two months: counted by state and field as row by row, and what their gates let pass and stop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../../builder/gates/gate.js";
import { judgeChanges, judgeChurn, judgeGroups } from "../../builder/gates/judge-churn.js";
import { type Churn, churnOf, type StateChurn } from "../../builder/profile/churn.js";
import type { MonthProfile } from "../../builder/profile/month-profile.js";
import { otherRows, unmappedWordings } from "../../builder/profile/unmapped.js";
import {
	type ColumnName,
	GroupTable,
	type MonthChanges,
	type SnapshotFiles,
	TRACKED_COLUMNS,
} from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { checkProperty } from "../oracle/seeded.js";

const LIMITS = { ...DEFAULT_LIMITS, judgedRowsMin: 100, churnMax: 20, otherRiseMax: 5 };

/** A month of states one after the other, of which only the catalog is read. */
function monthOf(month: string, rowsOf: Readonly<Record<string, number>>): SnapshotFiles {
	let first = 0;
	const states = Object.entries(rowsOf).map(([state, rows]) => {
		first += rows;
		return { state, country: "US", first: first - rows, rows };
	});
	return { catalog: { month, states, rows: first } } as unknown as SnapshotFiles;
}

function bits(draw: Draw, rows: number): Uint32Array {
	const words = new Uint32Array(Math.ceil(rows / 32) + 1);
	const [most, among] = [draw.oneIn(4), 1 + draw.below(6)];
	for (let row = 0; row < rows; row++) if (most || draw.oneIn(among)) words[row >>> 5] |= 1 << (row & 31);
	return words;
}

/** The rows of a state whose bit is set, one by one. */
function naiveCount(words: Uint32Array | undefined, { catalog }: SnapshotFiles, state: string): number {
	const run = catalog.states.find((each) => each.state === state);
	if (words === undefined || run === undefined) return 0;
	let count = 0;
	for (let row = run.first; row < run.first + run.rows; row++) count += (words[row >>> 5] >>> (row & 31)) & 1;
	return count;
}

test("changes are counted by state and by field as row by row", (t) => {
	checkProperty(
		t,
		200,
		fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) => {
			const draw = new Draw(seed, 1);
			const some = (names: readonly string[]) =>
				Object.fromEntries(names.map((name) => [name, draw.below(140)]));
			const from = monthOf("2026-10", some(["CA", "ON", "TX"]));
			const to = monthOf("2026-11", some(["AK", "CA", "TX"]));
			const fields = new Map<ColumnName, Uint32Array>();
			for (const { name } of TRACKED_COLUMNS)
				if (!draw.oneIn(3)) fields.set(name, bits(draw, to.catalog.rows));
			const changes: MonthChanges = {
				totals: { new: 1, gone: 2, changed: 3 },
				previousRows: new Uint32Array(0),
				newRows: bits(draw, to.catalog.rows),
				goneRows: bits(draw, from.catalog.rows),
				changedRows: bits(draw, to.catalog.rows),
				fields,
			};
			const churn = churnOf(changes, from, to);
			assert.equal(churn.previous, "2026-10");
			assert.deepEqual(churn.totals, changes.totals);
			const states = ["AK", "CA", "ON", "TX"];
			const rowsIn = ({ catalog }: SnapshotFiles, state: string) =>
				catalog.states.find((each) => each.state === state)?.rows ?? 0;
			const expected = states.map((state) => ({
				state,
				before: rowsIn(from, state),
				rows: rowsIn(to, state),
				new: naiveCount(changes.newRows, to, state),
				gone: naiveCount(changes.goneRows, from, state),
				changed: naiveCount(changes.changedRows, to, state),
				fields: Object.fromEntries(
					TRACKED_COLUMNS.map(({ name }) => [name, naiveCount(fields.get(name), to, state)] as const).filter(
						([, count]) => count > 0,
					),
				),
			}));
			assert.deepEqual(churn.states, expected);
			assert.deepEqual(
				churn.fields,
				TRACKED_COLUMNS.map(({ name }) => ({
					field: name,
					changed: states.reduce((sum, state) => sum + naiveCount(fields.get(name), to, state), 0),
				})),
			);
		}),
	);
});

function churn(states: readonly Partial<StateChurn>[], totals = { new: 1, gone: 1, changed: 1 }): Churn {
	const whole = states.map((state, i) => ({
		...{ state: `S${i}`, before: 100, rows: 100, new: 0, gone: 0, changed: 0, fields: {} },
		...state,
	}));
	return { previous: "2026-10", totals, fields: [], states: whole };
}

test("a month without any change fails from the least number of rows judged on", () => {
	const none = { new: 0, gone: 0, changed: 0 };
	const finding = "no license is new, gone or changed against 2026-10: is it the same drop again?";
	assert.deepEqual(judgeChurn(churn([{ rows: 60 }, { rows: 40 }], none), LIMITS), [
		{ gate: "churn", finding },
	]);
	assert.deepEqual(judgeChurn(churn([{ rows: 60 }, { rows: 39 }], none), LIMITS), []);
	for (const kind of ["new", "gone", "changed"] as const)
		assert.deepEqual(judgeChurn(churn([{ rows: 100 }], { ...none, [kind]: 1 }), LIMITS), [], kind);
});

test("new and gone licenses of a state pass the limit and fail beyond it, the worst first, five by name", () => {
	const judged = (...states: Partial<StateChurn>[]) => judgeChurn(churn(states), LIMITS);
	assert.deepEqual(judged({ new: 20, gone: 20 }), []);
	assert.deepEqual(judged({ gone: 30, before: 99 }, { new: 30, rows: 99 }), [], "too few rows");
	assert.deepEqual(judged({ new: 30 }, { new: 21, gone: 5 }, { gone: 50, before: 200 }), [
		{
			gate: "churn",
			finding:
				"against 2026-10: 30 licenses of S0 are new and 0 gone, of 100 before (30.0 %, at most 20 %): " +
				"were their numbers written otherwise?, 0 licenses of S2 are new and 50 gone, of 200 before (25.0 %, " +
				"at most 20 %): were their numbers written otherwise?, 21 licenses of S1 are new and 5 gone, of 100 " +
				"before (21.0 %, at most 20 %): were their numbers written otherwise?",
		},
	]);
	const many = (count: number) => judged(...Array.from({ length: count }, () => ({ new: 30 })))[0].finding;
	assert.doesNotMatch(many(5), /more$/);
	assert.match(many(6), /S4 are .*, and 1 more$/);
	assert.doesNotMatch(many(6), /S5/);
});

test("new and gone licenses of all states of both months are judged where no state has enough rows", () => {
	const judged = (...states: Partial<StateChurn>[]) => judgeChurn(churn(states), LIMITS);
	const small = { before: 60, rows: 60 };
	assert.deepEqual(judged({ ...small, new: 12 }, { ...small, new: 12 }), []);
	assert.deepEqual(judged({ ...small, new: 12 }, { ...small, new: 13, gone: 1 }), [
		{
			gate: "churn",
			finding:
				"against 2026-10: 25 licenses of all states are new and 1 gone, of 120 before (20.8 %, at most 20 %): " +
				"were their numbers written otherwise?",
		},
	]);
	const came = { before: 0, rows: 90, new: 90 };
	const went = { before: 90, rows: 0, gone: 90 };
	assert.deepEqual(judged({ new: 20 }, came, went), [], "states that came or went");
});

test("columns that changed in most licenses fail: of all, and of a state unless they are dates", () => {
	const judged = (...states: Partial<StateChurn>[]) => {
		const made = churn(states);
		const fields = TRACKED_COLUMNS.map(({ name }) => ({
			field: name,
			changed: made.states.reduce((sum, state) => sum + (state.fields[name] ?? 0), 0),
		}));
		const failures = judgeChanges({ ...made, fields }, { ...LIMITS, changedMax: 40 }, new Map());
		return failures.map(({ gate, finding }) => [gate, finding]);
	};
	const large = { before: 2000, rows: 2000 };
	assert.deepEqual(judged({ fields: { member_city: 40 } }, large), []);
	assert.deepEqual(judged({ fields: { member_city: 99 }, rows: 120, new: 21 }, large), [], "too few rows");
	assert.deepEqual(judged({ fields: { member_city: 41, office_name: 90 }, rows: 120, new: 20 }, large), [
		[
			"changes",
			"against 2026-10: office_name changed in 90 of 100 licenses of S0 (90.0 %, at most 40 %), " +
				"member_city changed in 41 of 100 licenses of S0 (41.0 %, at most 40 %): are its values in their columns and rows?",
		],
	]);
	for (const field of ["member_license_expires", "member_license_issued", "member_license_first_issued"]) {
		assert.deepEqual(judged({ fields: { [field]: 100 } }, large), [], field);
		const [[, finding]] = judged({ fields: { [field]: 100 } }, { fields: { [field]: 100 } });
		assert.match(finding, new RegExp(`: ${field} changed in 200 of 200 licenses of all states `));
	}
	const [[, finding], ...others] = judged({ fields: { member_city: 90 } }, { fields: { member_city: 90 } });
	assert.doesNotMatch(finding, /of S0/);
	assert.deepEqual(others, []);
});

test("statuses and types that changed in most licenses fail, but for states whose wordings changed", () => {
	const status = "member_license_status";
	const swapped = { before: 2000, rows: 2000, fields: { [status]: 2000 } };
	const judged = (reworded: readonly string[], ...states: Partial<StateChurn>[]) => {
		const made = churn(states);
		const changed = made.states.reduce((sum, state) => sum + (state.fields[status] ?? 0), 0);
		const fields = [{ field: status, changed }];
		return judgeChanges({ ...made, fields }, LIMITS, new Map([[status, new Set(reworded)]]));
	};
	const [{ gate, finding }] = judged([], swapped, { before: 8000, rows: 8000 });
	assert.equal(gate, "changes");
	assert.match(finding, /member_license_status changed in 2000 of 2000 licenses of S0 \(100\.0 %/);
	assert.deepEqual(judged(["S0"], swapped, { before: 2000, rows: 2000 }), []);
	const [{ finding: ofOthers }] = judged(["S0"], swapped, swapped);
	assert.match(ofOthers, /changed in 2000 of 2000 licenses of the other states /);
	const small = { before: 90, rows: 90, fields: { [status]: 90 } };
	assert.deepEqual(judged(["S0", "S1"], small, small), []);
	assert.equal(judged([], small, small).length, 1);
});

const TABLE = new GroupTable([
	{ column: "license_status_group", state: "CA", text: "Zorp", group: "active" },
	{ column: "license_status_group", state: "CA", text: "Odd", group: "other" },
]);

/** A month whose statuses of CA, and types of TX, have these rows. */
function vocabularies(
	statuses: Readonly<Record<string, number>>,
	types: Readonly<Record<string, number>> = {},
): MonthProfile {
	const profile: Partial<MonthProfile> = {
		month: "2026-10",
		license_status: new Map([["CA", new Map(Object.entries(statuses))]]),
		member_type: new Map([["TX", new Map(Object.entries(types))]]),
	};
	return profile as MonthProfile;
}

test("wordings without a group are listed, most rows first, and counted as other", () => {
	const month = vocabularies({ Zorp: 50, Quux: 7, Odd: 3 }, { Flim: 9, Broker: 1 });
	assert.deepEqual(unmappedWordings(month, TABLE), [
		{ column: "member_type_group", state: "TX", text: "Flim", rows: 9 },
		{ column: "license_status_group", state: "CA", text: "Quux", rows: 7 },
	]);
	assert.deepEqual([...otherRows(month, "license_status_group", TABLE)], [["CA", { rows: 60, other: 10 }]]);
	assert.deepEqual([...otherRows(month, "member_type_group", TABLE)], [["TX", { rows: 10, other: 9 }]]);
});

test("the share of rows without a known group may rise up to the limit, in states with enough rows", () => {
	const judged = (other: number, otherBefore: number, rows = 100, rowsBefore = 100) =>
		judgeGroups(
			vocabularies({ Zorp: rows - other, Quux: other }),
			vocabularies({ Zorp: rowsBefore - otherBefore, Quux: otherBefore }),
			TABLE,
			LIMITS,
		);
	assert.deepEqual(judged(8, 3), []);
	assert.deepEqual(judged(90, 0, 99), []);
	assert.deepEqual(judged(90, 0, 100, 99), []);
	assert.deepEqual(judged(9, 3), [
		{
			gate: "groups",
			finding:
				"against 2026-10: rows of CA whose license_status_group is other rose from 3.0 % to 9.0 % (at most 5 " +
				"points): give their member_license_status a group with --groups",
		},
	]);
	assert.deepEqual(
		judgeGroups(
			vocabularies({ Quux: 100 }),
			{ ...vocabularies({}), license_status: new Map() },
			TABLE,
			LIMITS,
		),
		[],
	);
});
