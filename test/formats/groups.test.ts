/** The table of groups: every wording that is known has a group, and no wording has two. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	STATUS_CLASSES,
	statusVocabulary,
	TYPE_CLASSES,
	typeVocabulary,
} from "../../builder/synth/vocabularies.js";
import {
	BUILT_IN_GROUPS,
	decodeUtf8,
	GROUP_COLUMNS,
	GroupTable,
	type GroupWordings,
	groupCodes,
	normalWording,
	STATUS_GROUPS,
	STATUS_WORDINGS,
	TYPE_GROUPS,
	TYPE_WORDINGS,
} from "../../formats/index.js";

const STATUS = "license_status_group";
const TYPE = "member_type_group";

test("a wording stands once in the table of its column and state", () => {
	for (const wordings of [STATUS_WORDINGS, TYPE_WORDINGS] as GroupWordings<string>[]) {
		for (const [state, groups] of Object.entries(wordings)) {
			const seen = new Map<string, string>();
			for (const [group, texts] of Object.entries(groups)) {
				for (const text of texts?.split("|") ?? []) {
					const normal = normalWording(text);
					assert.notEqual(normal, "", `${state} ${group}: ${text}`);
					const other = seen.get(normal) ?? group;
					assert.equal(other, group, `"${text}" of ${state}`);
					seen.set(normal, group);
				}
			}
		}
	}
});

test("every table has every group and no more", () => {
	assert.deepEqual(Object.keys(STATUS_WORDINGS["*"]), [...STATUS_GROUPS]);
	assert.deepEqual(Object.keys(TYPE_WORDINGS["*"]), [...TYPE_GROUPS]);
});

/** Names of the vocabularies of the synthetic drops. */
const SETS = {
	status:
		"plain upper abbreviated current florida licensed letters standing texas issued renewal registered authorized french",
	type:
		"salesperson upper florida texas california codes one-license one-license-upper northern-types new-york island " +
		"ontario representative prairie french",
};

function words(vocabulary: ReturnType<typeof statusVocabulary>, name: string): string[] {
	assert.ok(vocabulary, name);
	const { offsets, heap } = vocabulary.words;
	return Array.from({ length: offsets.length - 1 }, (_, i) => decodeUtf8(heap, offsets[i], offsets[i + 1]));
}

test("every wording of the synthetic vocabularies is mapped", () => {
	const unmapped: string[] = [];
	for (const name of SETS.status.split(" ")) {
		const state = name === "letters" ? "MD" : "NV";
		for (const text of words(statusVocabulary(name), name))
			if (BUILT_IN_GROUPS.find(STATUS, state, text) === null) unmapped.push(text);
	}
	for (const name of SETS.type.split(" ")) {
		for (const text of words(typeVocabulary(name), name))
			if (BUILT_IN_GROUPS.find(TYPE, "NV", text) === null) unmapped.push(text);
	}
	assert.deepEqual(unmapped, []);
	assert.equal(STATUS_CLASSES.length + TYPE_CLASSES.length, 8);
});

test("wordings of real rosters are mapped", () => {
	const cases: readonly (readonly [typeof STATUS | typeof TYPE, string, string, string])[] = [
		[TYPE, "CT", "LICENSED REAL ESTATE BROKER", "broker"],
		[TYPE, "IL", "LICENSED HOME INSPECTOR", "inspector"],
		[TYPE, "IL", "CERTIFIED RESIDENTIAL REAL ESTATE APPRAISER", "appraiser"],
		[TYPE, "IL", "ASSOCIATE REAL ESTATE TRAINEE APPRAISER", "appraiser"],
		[TYPE, "IL", "LICENSED REAL ESTATE BROKER CORPORATION", "company"],
		[TYPE, "IL", "LICENSED REAL ESTATE LIMITED LIABILITY FIRM", "company"],
		[TYPE, "TX", "Professional", "inspector"],
		[TYPE, "TX", "Apprentice", "inspector"],
		[STATUS, "TX", "Expired less than 6 months", "expired"],
		[STATUS, "TX", "Probation - Active", "active"],
		[STATUS, "TX", "Deleted", "inactive"],
		[STATUS, "TX", "Surrendered", "inactive"],
		[STATUS, "FL", "Current,Active", "active"],
		[STATUS, "FL", "Null & Void", "expired"],
		[STATUS, "QC", "RÉVOQUÉ", "revoked"],
		[STATUS, "MD", "D", "deceased"],
	];
	for (const [column, state, text, group] of cases)
		assert.equal(BUILT_IN_GROUPS.find(column, state, text), group, `${state} ${text}`);
	assert.equal(BUILT_IN_GROUPS.find(TYPE, "CA", "Professional"), null);
	assert.equal(BUILT_IN_GROUPS.find(STATUS, "CA", "Not Active"), null);
});

test("case, accents, punctuation and blanks do not matter; entries override the table", () => {
	assert.equal(BUILT_IN_GROUPS.find(STATUS, "CA", " in-GOOD  standing. "), "active");
	const table = new GroupTable([
		{ column: STATUS, state: "OH", text: "Paused", group: "inactive" },
		{ column: STATUS, state: "*", text: "Retired", group: "other" },
	]);
	assert.equal(table.find(STATUS, "OH", "PAUSED"), "inactive");
	assert.equal(table.find(STATUS, "PA", "Paused"), null);
	assert.equal(table.find(STATUS, "PA", "Retired"), "other");
	assert.equal(BUILT_IN_GROUPS.find(STATUS, "PA", "Retired"), "inactive");
});

test("a row's group is that of its text in its state, however many texts there are", () => {
	const [column] = GROUP_COLUMNS;
	assert.equal(column.column, STATUS);
	const table = new GroupTable([
		{ column: STATUS, state: "OH", text: "Paused", group: "inactive" },
		{ column: STATUS, state: "PA", text: "Paused", group: "expired" },
	]);
	const states = ["OH", "PA", "TX", "QC"];
	// The last row has no status, the one before it no state.
	const stateOf = Uint16Array.of(3, 1, 0, 2, 1, 3, 4, 0);
	for (const distinct of [3, 6_000_000]) {
		const codes = Uint32Array.of(0, 1, 1, 1, 0, 2, 0, distinct);
		const value = (code: number) => ["Active", "Paused", "RÉVOQUÉ"][code];
		const found = groupCodes(column, { codes, distinct, value, states, stateOf }, table);
		const groups = Array.from(found.codes, (code) => found.names[code] ?? null);
		const expected = ["active", "expired", "inactive", "other", "active", "revoked", null, null];
		assert.deepEqual(groups, expected);
	}
});
