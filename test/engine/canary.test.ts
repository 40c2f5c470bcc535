/**
 * The property tests can fail: each of several known faults is detected by the same check and the same
 * random queries that the engine passes.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Query, Snapshot } from "../../engine/index.js";
import { Draw } from "../oracle/draw.js";
import { NaiveMonth, type NaivePage } from "../oracle/naive-query.js";
import { randomMonth, rawRows } from "../oracle/random-month.js";
import { randomQuery } from "../oracle/random-query.js";
import { withTwins } from "./compiled-month.js";
import { checkQuery } from "./conformance.js";

const MONTHS = 20;
/** Fixed, so that the result does not depend on the day's seed. */
const CANARY_SEED = 7;
const QUERIES_PER_MONTH = 100;

/** A fault, as a change of the right answer. */
type Fault = (right: NaivePage, query: Query, month: NaiveMonth) => NaivePage;

/** Answers `query` after `change`. */
function asking(change: (query: Query) => Query): Fault {
	return (_, query, month) => new NaiveMonth(month.month, month.rows).query(change(query));
}

const FAULTS: Readonly<Record<string, Fault>> = {
	"ties go by ascending id in descending order too": (right, query, month) => {
		if (query.order === "asc" || query.sort[0] === "id") return right;
		const reversed = month.rows.map((row) => ({ ...row, id: -Number(row.id) })).reverse();
		const page = new NaiveMonth(month.month, reversed).query(query);
		return { ...page, rows: page.rows.map((row) => ({ ...row, id: -Number(row.id) })) };
	},
	"nulls come first in descending order": (right, query) => {
		const [column] = query.sort;
		if (query.order === "asc") return right;
		const nulls = right.rows.filter((row) => row[column] === null);
		return { ...right, rows: [...nulls, ...right.rows.filter((row) => row[column] !== null)] };
	},
	"the second sort column is forgotten": asking((query) => ({ ...query, sort: query.sort.slice(0, 1) })),
	"expires_before leaves its own day out": asking((query) => {
		const { expires_before: before, ...others } = query.filters;
		if (before === undefined || before === "0001-01-01") return query;
		const dayBefore = new Date(Date.parse(before) - 86_400_000).toISOString().slice(0, 10);
		return { ...query, filters: { ...others, expires_before: dayBefore } };
	}),
	"a prefix compares without normalising": asking((query) => {
		const { last_name: prefix, ...others } = query.filters;
		return typeof prefix !== "string" || prefix === prefix.normalize("NFC")
			? query
			: { ...query, filters: { ...others, last_name: `${prefix}\u{10ffff}` } };
	}),
	"an exact filter ignores case": (right, query, month) => {
		const { city, ...others } = query.filters;
		if (typeof city !== "string") return right;
		const all = new NaiveMonth(month.month, month.rows).query({
			...query,
			filters: others,
			page: 1,
			limit: 10_000,
		});
		const rows = all.rows.filter((row) => String(row.member_city).toLowerCase() === city.toLowerCase());
		return { ...right, total: right.total === null ? null : rows.length };
	},
	"of several values only the first counts": asking((query) => ({
		...query,
		filters: Object.fromEntries(
			Object.entries(query.filters).map(([name, value]) => [
				name,
				Array.isArray(value) && name !== "state" ? value.slice(0, 1) : value,
			]),
		),
	})),
	"rows without a value do not meet `not`": (right, query, month) => {
		const { status_not: excluded } = query.filters;
		if (excluded === undefined) return right;
		const rows = month.rows.filter((row) => row.member_license_status !== null);
		return new NaiveMonth(month.month, rows).query(query);
	},
	"the grant is not applied": asking((query) => ({ ...query, geography: null })),
	"pages begin one row late": (right, query, month) => {
		const later = new NaiveMonth(month.month, month.rows).query({ ...query, page: 1, limit: 10_000 }).rows;
		const first = (query.page - 1) * query.limit + 1;
		return { ...right, rows: later.slice(first, first + query.limit) };
	},
	"the total counts the page": (right) =>
		right.total === null ? right : { ...right, total: right.rows.length },
	"has_next is told on the last full page": (right, query) => ({
		...right,
		hasNext: right.rows.length === query.limit,
	}),
};

/** A naive month that answers wrongly. */
class FaultyMonth extends NaiveMonth {
	constructor(
		private readonly right: NaiveMonth,
		private readonly fault: Fault,
	) {
		super(right.month, right.rows);
	}

	override query(query: Query): NaivePage {
		return this.fault(this.right.query(query), query, this.right);
	}
}

/** Whether some query distinguishes the engine from the faulty scan. */
function isFound(snapshot: Snapshot, naive: NaiveMonth, fault: Fault, seed: number): boolean {
	const faulty = new FaultyMonth(naive, fault);
	for (let i = 0; i < QUERIES_PER_MONTH; i++) {
		try {
			checkQuery(snapshot, faulty, randomQuery(naive, new Draw(seed, i)));
		} catch (error) {
			if (error instanceof assert.AssertionError) return true;
			throw error;
		}
	}
	return false;
}

test("every known fault is detected within two thousand random queries", async () => {
	const missed = new Set(Object.keys(FAULTS));
	const months = fc.sample(randomMonth(), { seed: CANARY_SEED, numRuns: MONTHS });
	for (const [index, month] of months.entries()) {
		await withTwins(rawRows(month), month.month, { rowStore: false }, ({ mapped, naive }) => {
			for (const name of missed)
				if (isFound(mapped, naive, FAULTS[name], CANARY_SEED + index)) missed.delete(name);
		});
	}
	assert.deepEqual([...missed], []);
});
