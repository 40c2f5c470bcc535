/** Postal codes are found in each of their spellings, and shown as their source has them (docs/API.md §7.8.1). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_QUERY } from "../../engine/index.js";
import { postalSpellings } from "../../formats/domain/postal-codes.js";
import type { DropRow } from "../http/drop-rows.js";
import { withTwins } from "./compiled-month.js";

const STORED = [
	["98101", "98101-1234", "981011234", "98101-1235", "9810112345", "98101 1234"],
	["K1A 0B1", "k1a 0b1", "K1A0B1", "k1A-0b1", "K1A 0B2", "K1A  0B1", "K1A 0B"],
	["SW1A 1AA", "12345-67", "É1A 0B1"],
].flat();

const rows = STORED.map(
	(code, i): DropRow => ({
		country: "US",
		state: i % 3 === 0 ? "WA" : "OR",
		member_state_license_number: String(i),
		member_postal_code: code,
	}),
);

const CASES: readonly (readonly [string, readonly string[]])[] = [
	["98101", ["98101"]],
	["98101-1234", ["98101-1234", "981011234"]],
	["981011234", ["98101-1234", "981011234"]],
	["98101-1235", ["98101-1235"]],
	["981011235", ["98101-1235"]],
	["9810112345", ["9810112345"]],
	["98101 1234", ["98101 1234"]],
	["K1A 0B1", ["K1A 0B1", "K1A0B1", "k1A-0b1", "k1a 0b1"]],
	["k1a0b1", ["K1A 0B1", "K1A0B1", "k1A-0b1", "k1a 0b1"]],
	["K1A  0B1", ["K1A  0B1"]],
	["k1a-0b2", ["K1A 0B2"]],
	["K1A 0B", ["K1A 0B"]],
	["k1a 0b", []],
	["sw1a 1aa", []],
	["12345-67", ["12345-67"]],
	["1234567", []],
];

test("a code is found in each of its spellings, over a whole month and within a grant", async () => {
	await withTwins(rows, "2026-11", { rowStore: false }, ({ mapped, shared, naive }) => {
		const found = (snapshot: typeof mapped, asked: string | string[], states: string[] | null) => {
			const geography = states === null ? null : { countries: [], states };
			const query = { ...DEFAULT_QUERY, filters: { postal_code: asked }, geography };
			const { rows: places, total } = snapshot.query(query);
			const codes = Array.from(places, (row) => snapshot.value(row, "member_postal_code") as string);
			assert.equal(total, codes.length);
			const expected = naive.matching(query.filters, geography).map((row) => row.member_postal_code);
			assert.deepEqual(codes, expected, `${asked}`);
			return codes.sort();
		};
		for (const [asked, codes] of CASES) {
			assert.deepEqual(found(mapped, asked, null), [...codes].sort(), asked);
			assert.deepEqual(found(shared, asked, null), [...codes].sort(), asked);
			found(mapped, asked, ["WA"]);
			found(mapped, [asked, "98101"], ["OR"]);
		}
	});
});

test("a code that is no ZIP+4 or Canadian code has no other spelling", () => {
	for (const code of ["98101", "9810", "98101-12345", "", "K1A 0B1 ", "K1A.0B1", "ABCDEF"])
		assert.deepEqual(postalSpellings(code), [], code);
});
