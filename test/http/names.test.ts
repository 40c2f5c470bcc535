/** The filter `name` over HTTP: what it finds, in which order, and how it says why (docs/API.md §11.11). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { overBothTransports } from "./served.js";

const FIELDS = "fields=id,member_full_name,member_state_license_number";

overBothTransports("names", (served) => {
	const ask = async (query: string, key?: string) =>
		served().ok(licensesResponse, `/v1/licenses?${FIELDS}&${query}`, key ?? (await served().key()));

	test("finds names without marks, apostrophes and particles, misspelled and reordered", async () => {
		for (const [asked, name] of [
			["garcia", "García"],
			["obrien", "O'Brien"],
			["dela cruz", "de la Cruz"],
			["delacruz", "de la Cruz"],
			["Nguyne", "Nguyễn"],
			["Smtih, given0", "Smith"],
			["tremblay given", "Tremblay"],
		]) {
			const { data } = await ask(`name=${encodeURIComponent(asked)}`);
			assert.ok(data.length > 0, asked);
			assert.match(String(data[0].member_full_name), new RegExp(name), asked);
		}
	});

	test("best match first; sort and every other filter apply", async () => {
		const { data, meta } = await ask("name=smith&state=TX&limit=1000");
		assert.deepEqual(meta.sort, []);
		assert.deepEqual(meta.filters_applied, ["state", "name"]);
		const names = data.map((row) => String(row.member_full_name).split(" ")[1]);
		assert.deepEqual([...new Set(names)], ["Smith", "Smithson"]);
		assert.deepEqual(meta.match?.[0].word, "smith");
		assert.deepEqual(
			meta.match?.[0].matches.map(({ to, by }) => [to, by]),
			[
				["smith", "exact"],
				["smithson", "prefix"],
			],
		);
		const sorted = await ask("name=smith&state=TX&sort=member_state_license_number&limit=1000");
		assert.deepEqual(sorted.meta.sort, ["member_state_license_number"]);
		assert.deepEqual(new Set(sorted.data.map(({ id }) => id)), new Set(data.map(({ id }) => id)));
		const narrowed = await ask("name=smith&license_number=TX-8");
		assert.deepEqual(
			narrowed.data.map((row) => row.member_state_license_number),
			["TX-8"],
		);
	});

	test("rows in which one word stands for several words given are told", async () => {
		const { data, meta } = await ask("name=s%20smith&state=TX&limit=1000");
		const of = (hints: typeof meta.hints) => hints?.find(({ param }) => param === "name")?.message;
		assert.match(
			of(meta.hints) ?? "",
			new RegExp(`^${data.length} rows of this page have one word for several of`),
		);
		const [one] = (await ask("name=s%20smith&state=TX&limit=1")).data;
		assert.equal(one.id, data[0].id);
		assert.equal(of((await ask("name=g%20smith&state=TX")).meta.hints), undefined);
		assert.equal(of((await ask("name=smith&state=TX")).meta.hints), undefined);
	});

	test("a grant narrows names and what is said of them; a key without full names is refused", async () => {
		const key = await served().key({ scope: { geography: { countries: [], states: ["QC"] } } });
		const { pagination, meta } = await ask("name=smith&limit=1000", key);
		assert.equal(pagination.total, 6);
		assert.equal(
			meta.match?.[0].matches.reduce((sum, { rows }) => sum + rows, 0),
			6,
		);
		const blind = await served().key({ scope: { columns: ["state", "member_last_name"] } });
		const refusal = await served().refused("/v1/licenses?name=smith", blind);
		assert.deepEqual([refusal.status, refusal.param], [403, "name"]);
	});

	test("a name of no letters, of 13 words, or with a word of 65 letters is a 400", async () => {
		const key = await served().key();
		for (const name of ["---", ".", "a ".repeat(200), "a ".repeat(13), "a".repeat(65), "a-".repeat(40)]) {
			const refusal = await served().refused(`/v1/licenses?name=${encodeURIComponent(name)}`, key);
			assert.deepEqual(
				[refusal.status, refusal.code, refusal.param],
				[400, "invalid_parameter", "name"],
				name,
			);
		}
	});
});
