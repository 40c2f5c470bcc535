/**
 * The definition of a correct engine: the same rows in the same order, the same totals and the same
 * bytes as the naive scan, for one query or one month. Throws an AssertionError on any difference.
 */

import assert from "node:assert/strict";
import {
	type AggregateRequest,
	ByteSink,
	type Filters,
	type Geography,
	type OfficesRequest,
	type Page,
	type Projection,
	type Query,
	type RowFormat,
	type Snapshot,
	type SuggestRequest,
} from "../../engine/index.js";
import { COLUMNS } from "../../formats/index.js";
import { naiveAggregate, naiveOffices, naiveStats, naiveSuggest } from "../oracle/naive-aggregates.js";
import { allows, type NaiveMonth, type NaivePage } from "../oracle/naive-query.js";
import { naiveCsv, naiveJson, naiveList, naiveNdjson, naiveObject } from "../oracle/naive-render.js";

const sink = new ByteSink(1 << 10);

/** What `write` appends to an empty sink, as text. */
export function rendered(write: (sink: ByteSink) => void): string {
	sink.reset();
	write(sink);
	return sink.view().toString("utf8");
}

/** The page of `query`, compared with the naive one. The engine's rows are valid until its next query. */
export function checkQuery(
	snapshot: Snapshot,
	naive: NaiveMonth,
	query: Query,
): { page: Page; expected: NaivePage } {
	const expected = naive.query(query);
	return { page: checkPage(snapshot, naive, query, expected), expected };
}

/** As {@link checkQuery}, where the naive answer is known. */
export function checkPage(snapshot: Snapshot, naive: NaiveMonth, query: Query, expected: NaivePage): Page {
	if (query.count) assert.equal(snapshot.count(query.filters, query.geography), expected.total, "counted");
	const page = snapshot.query(query);
	const firstId = Number(naive.rows[0]?.id);
	assert.deepEqual(
		Array.from(page.rows, (row) => firstId + row),
		expected.rows.map((row) => row.id),
		"rows in order",
	);
	assert.deepEqual(
		{ total: page.total, hasNext: page.hasNext, snapshot: page.snapshot },
		{ total: expected.total, hasNext: expected.hasNext, snapshot: naive.month },
	);
	return page;
}

/** The bytes of the page in every format, compared with the naive text. */
export function checkRendering(
	snapshot: Snapshot,
	naive: NaiveMonth,
	query: Query,
	projection: Projection,
): void {
	const { page, expected } = checkQuery(snapshot, naive, query);
	const write = (format: RowFormat) =>
		rendered((target) => snapshot.renderRows(page.rows, projection, format, target));
	assert.equal(write("json"), naiveJson(expected.rows, projection), "JSON");
	assert.equal(write("ndjson"), naiveNdjson(expected.rows, projection), "NDJSON");
	assert.equal(write("csv"), naiveCsv(expected.rows, projection), "CSV");
	const list = naiveList(expected, query, naive.month, projection);
	assert.equal(
		rendered((target) => snapshot.renderList(page, projection, target)),
		JSON.stringify(list),
		"the whole document",
	);
	const hints = { note: 'a "hint"' };
	assert.equal(
		rendered((target) => snapshot.renderList(page, projection, target, `,"hints":${JSON.stringify(hints)}`)),
		JSON.stringify({ ...list, meta: { ...list.meta, hints } }),
		"the whole document with hints",
	);
}

/** A plan is plain data, the same each time, and leaves the query unchanged. */
export function checkPlan(snapshot: Snapshot, query: Query): void {
	const before = structuredClone(query);
	const plan = snapshot.explain(query);
	assert.deepEqual(structuredClone(plan), plan);
	assert.deepEqual(snapshot.explain(query), plan);
	assert.deepEqual(query, before);
}

/** The row at `position`, by every way to read it. */
export function checkRow(
	snapshot: Snapshot,
	naive: NaiveMonth,
	position: number,
	projection: Projection,
): void {
	const row = naive.rows[position];
	assert.equal(snapshot.rowOfId(Number(row.id)), position);
	assert.deepEqual(snapshot.record(position, projection), naiveObject(row, projection));
	for (const { name } of COLUMNS) assert.equal(snapshot.value(position, name), row[name], name);
	const number = row.member_state_license_number;
	if (number === null) return;
	assert.deepEqual(
		[...snapshot.findLicense(String(row.state), String(number))],
		naive.findLicense(String(row.state), String(number)),
	);
}

/** The rows that the grant reads, and their statistics. */
export function checkGrant(snapshot: Snapshot, naive: NaiveMonth, geography: Geography | null): void {
	const positions = [0, naive.rows.length >> 1, naive.rows.length - 1];
	for (const position of positions) {
		assert.equal(snapshot.allows(position, geography), allows(geography, naive.rows[position]));
	}
	assert.deepEqual(snapshot.stats(geography), naiveStats(naive, geography));
	const text = rendered((into) => snapshot.renderStats(geography, into));
	assert.equal(text, JSON.stringify(snapshot.stats(geography)));
}

/** Groups, their order and totals; for one dimension or two. */
export function checkAggregate(
	snapshot: Snapshot,
	naive: NaiveMonth,
	request: AggregateRequest,
	filters: Filters,
	geography: Geography | null,
): void {
	const { next, ...found } = snapshot.groups.aggregate(request, filters, geography);
	const asked = JSON.stringify({ request, filters, geography });
	assert.deepEqual(found, naiveAggregate(naive, request, filters, geography), asked);
	assert.equal(next !== null, found.groupCount > found.groups.length, asked);
}

/** Offices, their order and what is said of each. */
export function checkOffices(
	snapshot: Snapshot,
	naive: NaiveMonth,
	request: OfficesRequest,
	filters: Filters,
	geography: Geography | null,
): void {
	const { next, ...found } = snapshot.groups.offices(request, filters, geography);
	const asked = JSON.stringify({ request, filters, geography });
	assert.deepEqual(found, naiveOffices(naive, request, filters, geography), asked);
	const shown = request.offset + found.offices.length;
	assert.equal(next !== null, found.offices.length > 0 && found.total > shown, asked);
}

export function checkSuggest(snapshot: Snapshot, naive: NaiveMonth, request: SuggestRequest): void {
	const { limit } = request;
	const expected = naiveSuggest(naive, { ...request, limit: limit + 1 });
	assert.deepEqual(snapshot.suggestions.of(request), expected.slice(0, limit));
	let found = -1;
	const text = rendered((into) => {
		found = snapshot.suggestions.write(request, into);
	});
	assert.equal(text, JSON.stringify(expected.slice(0, limit)));
	assert.equal(found, expected.length);
}
