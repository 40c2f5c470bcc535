/**
 * Numbers and names that are stored in published snapshots, pinned. A change here means that published
 * snapshots would be read wrongly: add, never change or reuse.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	COLUMNS,
	COVERAGE_COLUMNS,
	EXPIRATION_BUCKETS,
	FILE_TYPE,
	FORMAT_VERSION,
	HEADER_BYTES,
	JURISDICTIONS,
	MAGIC,
	MAX_FILE_BYTES,
	MAX_ROWS,
	OLDEST_READABLE_VERSION,
	ROW_SEGMENT_SHIFT,
	ROWS_PER_SEGMENT,
	SECTION,
	SECTION_ALIGNMENT,
	sectionName,
} from "../../formats/index.js";

test("columns keep their codes, names, kinds and order", () => {
	assert.deepEqual(
		COLUMNS.map((c) => `${c.code} ${c.name} ${c.kind}`),
		[
			"1 id id",
			"2 snapshot snapshot",
			"3 country dict",
			"4 state dict",
			"5 member_full_name dict",
			"6 member_first_name dict",
			"7 member_last_name dict",
			"8 member_type dict",
			"9 member_address string",
			"10 member_city dict",
			"11 member_state_or_province dict",
			"12 member_postal_code dict",
			"13 office_name dict",
			"14 office_broker_name dict",
			"15 member_state_license_number dict",
			"16 member_license_status dict",
			"17 member_license_issued date",
			"18 member_license_expires date",
			"19 member_license_first_issued date",
			"20 member_email string",
			"21 member_preferred_phone string",
			"22 matched_email string",
			"23 matched_phone string",
			"24 agent_count int",
			"25 last_refreshed date",
			"26 license_status_group dict",
			"27 member_type_group dict",
		],
	);
});

test("file types keep their codes", () => {
	assert.deepEqual(FILE_TYPE, { catalog: 1, columns: 2, index: 3, rows: 4, stats: 5, changes: 10 });
});

test("section kinds keep their codes", () => {
	assert.deepEqual(SECTION, {
		codes: 1,
		dictionaryOffsets: 2,
		dictionaryHeap: 3,
		foldRanks: 4,
		textOffsets: 5,
		textHeap: 6,
		permutation: 7,
		permutationOffsets: 8,
		statePermutation: 9,
		postingOffsets: 10,
		postings: 11,
		bitmapCodes: 12,
		bitmaps: 13,
		cumulativeBounds: 14,
		cumulativeBitmaps: 15,
		rowOffsets: 16,
		rowHeap: 17,
		stats: 18,
		hashIndex: 19,
		orderBuckets: 20,
		orderBucketRanks: 21,
		storedRowOffsets: 22,
		storedRows: 23,
		hashRows: 24,
		orderCountValues: 25,
		orderCounts: 26,
		changeMonths: 40,
		previousRows: 41,
		newRows: 42,
		goneRows: 43,
		changedRows: 44,
		changedFieldRows: 45,
		nameWordOffsets: 60,
		nameWordHeap: 61,
		nameWordsByLength: 62,
		nameLengthStarts: 63,
		nameLetterSets: 64,
		namePostingOffsets: 65,
		namePostings: 66,
		nameValueOffsets: 67,
		nameValueWords: 68,
		nameWordCounts: 69,
		numberBuckets: 70,
		numberCodes: 71,
		stateValueOffsets: 80,
		stateValueCodes: 81,
		stateValueRows: 82,
		stateValueHeads: 83,
		spelledCodes: 90,
		spelledGroups: 91,
		spellingOffsets: 92,
		spellings: 93,
	});
	for (const [name, kind] of Object.entries(SECTION)) assert.equal(sectionName(kind), name);
	assert.equal(sectionName(0), undefined);
});

test("the sizes of the layout stay", () => {
	assert.deepEqual(
		{ MAGIC, FORMAT_VERSION, OLDEST_READABLE_VERSION, HEADER_BYTES, SECTION_ALIGNMENT, MAX_FILE_BYTES },
		{
			MAGIC: "ROLLCALL",
			FORMAT_VERSION: 9,
			OLDEST_READABLE_VERSION: 1,
			HEADER_BYTES: 64,
			SECTION_ALIGNMENT: 64,
			MAX_FILE_BYTES: 2_147_483_647,
		},
	);
	assert.equal(MAX_ROWS, 99_999_999);
	assert.equal(ROWS_PER_SEGMENT, 524_288);
	assert.equal(1 << ROW_SEGMENT_SHIFT, ROWS_PER_SEGMENT);
});

test("statistics keep the order of their counters", () => {
	assert.deepEqual(COVERAGE_COLUMNS, [
		"member_email",
		"member_preferred_phone",
		"matched_email",
		"matched_phone",
	]);
	assert.deepEqual(EXPIRATION_BUCKETS, [
		"expired",
		"days_0_30",
		"days_31_60",
		"days_61_90",
		"days_91_365",
		"later",
		"none",
	]);
});

test("jurisdictions have distinct two-letter codes and cover states, districts, territories and provinces", () => {
	const codes = JURISDICTIONS.map((j) => j.state);
	assert.equal(new Set(codes).size, codes.length);
	for (const code of codes) assert.match(code, /^[A-Z]{2}$/);
	assert.equal(JURISDICTIONS.filter((j) => j.country === "US").length, 56);
	assert.equal(JURISDICTIONS.filter((j) => j.country === "CA").length, 13);
});
