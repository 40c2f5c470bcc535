/** Results that are too large for an agent: fewer whole rows, a notice, and no row lost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	frequentValues,
	newestRows,
	pageOfRows,
	RESULT_CHARACTERS_MAX,
} from "../../server/mcp/result-size.js";

const ROW = { name: "x".repeat(700) };

/** A list of `total` large rows, as the API would page it. */
function listOf(total: number) {
	return (raw: Readonly<Record<string, unknown>>): string => {
		const page = Number(raw.page ?? 1);
		const limit = Number(raw.limit ?? 25);
		const offset = (page - 1) * limit;
		const data = Array.from({ length: Math.max(Math.min(limit, total - offset), 0) }, (_, i) => ({
			...ROW,
			id: offset + i,
			tricky: '],"pagination":{',
		}));
		const has_next = offset + limit < total;
		return JSON.stringify({ data, pagination: { page, limit, total, has_next }, meta: {} });
	};
}

interface Page {
	readonly data: { readonly id: number }[];
	readonly pagination: { readonly page: number; readonly limit: number };
	readonly next: { readonly page: number; readonly limit: number } | null;
	readonly notice?: string;
}

test("a page that fits is unchanged", () => {
	const page = JSON.parse(pageOfRows({ limit: 25 }, listOf(100))) as Page;
	assert.equal(page.data.length, 25);
	assert.deepEqual(page.next, { page: 2, limit: 25 });
	assert.equal(page.notice, undefined);
});

for (const [limit, page, total] of [
	[1000, 1, 5000],
	[1000, 3, 5000],
	[500, 2, 777],
	[997, 2, 3000],
	[150, 1, 149],
] as const) {
	test(`limit ${limit} from page ${page} of ${total} rows: whole rows within the budget, none twice, none lost`, () => {
		const run = listOf(total);
		const ids: number[] = [];
		let next: Page["next"] = { page, limit };
		while (next !== null) {
			const json = pageOfRows(next, run);
			const result = JSON.parse(json) as Page;
			assert.ok(json.length < RESULT_CHARACTERS_MAX + 500);
			if (result.pagination.limit !== next.limit && result.next !== null)
				assert.match(
					result.notice ?? "",
					new RegExp(`page ${result.next.page} and limit ${result.next.limit}`),
				);
			ids.push(...result.data.map((row) => row.id));
			next = result.next;
		}
		const first = (page - 1) * limit;
		assert.deepEqual(
			ids,
			Array.from({ length: total - first }, (_, i) => first + i),
		);
	});
}

test("the last page that the depth cap allows says that filters reach further", () => {
	const page = JSON.parse(pageOfRows({ limit: 25, page: 2000 }, listOf(60_000))) as Page;
	assert.equal(page.next, null);
	assert.match(page.notice ?? "", /50,000/);
});

test("a long history keeps its newest rows and all its changes", () => {
	const rows = Array.from({ length: 200 }, (_, i) => ({ snapshot: `m${i}`, ...ROW }));
	const json = newestRows(JSON.stringify({ data: { rows, changes: [1, 2] }, meta: {} }));
	const { data, notice } = JSON.parse(json) as {
		data: { rows: unknown[]; changes: number[] };
		notice: string;
	};
	assert.ok(json.length < RESULT_CHARACTERS_MAX + 500);
	assert.deepEqual(data.rows, rows.slice(0, data.rows.length));
	assert.deepEqual(data.changes, [1, 2]);
	assert.match(notice, new RegExp(`newest ${data.rows.length} of 200`));
});

test("large vocabularies lose their counts by state first, then their rarest values", () => {
	const entry = (i: number, states: number) => ({
		value: `Status ${i}`,
		rows: 10_000 - i,
		states: Object.fromEntries(Array.from({ length: states }, (_, s) => [`S${s}`, i])),
	});
	const statistics = (values: number, states: number) => {
		const license_status = Array.from({ length: values }, (_, i) => entry(i, states));
		return JSON.stringify({ data: { license_status, member_type: [] }, meta: {} });
	};
	const brief = JSON.parse(frequentValues(statistics(500, 60)));
	assert.equal(brief.data.license_status.length, 500);
	assert.equal(brief.data.license_status[0].states, undefined);
	assert.match(brief.notice, /give state/);
	const json = frequentValues(statistics(10_000, 3));
	assert.ok(json.length < RESULT_CHARACTERS_MAX);
	assert.equal(JSON.parse(json).data.license_status[0].value, "Status 0");
});
