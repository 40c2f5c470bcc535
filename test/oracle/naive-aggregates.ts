/** Suggestions and statistics over plain rows (docs/API.md §7.6, §7.7), counted row by row. */

import type {
	Aggregate,
	AggregateRequest,
	ComparedGroups,
	ComparedRequest,
	DimensionName,
	OfficesPage,
	OfficesRequest,
} from "../../engine/index.js";
import type { Filters, Geography } from "../../engine/query.js";
import { CONTACT_COLUMNS, type ColumnName, lastDayOfMonth } from "../../formats/index.js";
import { compareCodePoints, naiveFold } from "./code-points.js";
import type { NaiveColumns } from "./naive-columns.js";
import { naiveMatch } from "./naive-names.js";
import { allows, type NaiveMonth } from "./naive-query.js";
import type { NaiveRow, RowValue } from "./naive-rows.js";

export interface NaiveSuggestRequest {
	readonly field: ColumnName;
	readonly prefix: string;
	readonly state: string | null;
	readonly limit: number;
	readonly geography: Geography | null;
}

interface ValueRows {
	readonly value: string;
	readonly rows: readonly NaiveRow[];
}

/** Values and the rows that have them, most rows first, then by fold, then by the value itself. */
function groupByValue(rows: readonly NaiveRow[], column: ColumnName): ValueRows[] {
	const groups = new Map<string, NaiveRow[]>();
	for (const row of rows) {
		const value = row[column];
		if (value === null) continue;
		const group = groups.get(String(value)) ?? [];
		group.push(row);
		groups.set(String(value), group);
	}
	return [...groups]
		.map(([value, group]) => ({ value, rows: group }))
		.sort(
			(a, b) =>
				b.rows.length - a.rows.length ||
				compareCodePoints(naiveFold(a.value), naiveFold(b.value)) ||
				compareCodePoints(a.value, b.value),
		);
}

export function naiveSuggest(
	month: NaiveMonth,
	request: NaiveSuggestRequest,
): { value: string; rows: number }[] {
	const rows = month.rows
		.filter((row) => allows(request.geography, row))
		.filter((row) => request.state === null || row.state === request.state)
		.filter((row) => row[request.field] !== null)
		.filter((row) => naiveFold(String(row[request.field])).startsWith(naiveFold(request.prefix)));
	return groupByValue(rows, request.field)
		.slice(0, request.limit)
		.map((group) => ({ value: group.value, rows: group.rows.length }));
}

function countBy(rows: readonly NaiveRow[], key: (row: NaiveRow) => string): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const row of rows) counts[key(row)] = (counts[key(row)] ?? 0) + 1;
	return counts;
}

/** The bucket of an expiry date; `lastDay` is the last day of the snapshot's month. */
function expirationBucket(expires: RowValue, lastDay: string): string {
	if (expires === null) return "none";
	const days = (Date.parse(String(expires)) - Date.parse(lastDay)) / 86_400_000;
	if (days < 0) return "expired";
	if (days <= 30) return "days_0_30";
	if (days <= 60) return "days_31_60";
	if (days <= 90) return "days_61_90";
	return days <= 365 ? "days_91_365" : "later";
}

/** `data` of /v1/stats for the rows that the grant reads. */
export function naiveStats(month: NaiveMonth, geography: Geography | null) {
	const rows = month.rows.filter((row) => allows(geography, row));
	const vocabulary = (column: ColumnName) =>
		groupByValue(rows, column).map((group) => ({
			value: group.value,
			rows: group.rows.length,
			states: countBy(group.rows, (row) => String(row.state)),
		}));
	const buckets = countBy(rows, (row) =>
		expirationBucket(row.member_license_expires, lastDayOfMonth(month.month)),
	);
	const bucketNames = ["expired", "days_0_30", "days_31_60", "days_61_90", "days_91_365", "later", "none"];
	return {
		rows: rows.length,
		countries: Object.entries(countBy(rows, (row) => String(row.country)))
			.map(([country, count]) => ({ country, rows: count }))
			.sort((a, b) => compareCodePoints(a.country, b.country)),
		license_status: vocabulary("member_license_status"),
		member_type: vocabulary("member_type"),
		contact_coverage: Object.fromEntries(
			CONTACT_COLUMNS.map(({ name }) => {
				const covered = rows.filter((row) => row[name] !== null).length;
				return [name, { rows: covered, share: rows.length === 0 ? 0 : covered / rows.length }];
			}),
		),
		expiration: Object.fromEntries(bucketNames.map((name) => [name, buckets[name] ?? 0])),
	};
}

/** How a row's value in each dimension is read, without the engine's table. */
const DIMENSIONS: Readonly<Record<DimensionName, (row: NaiveRow) => RowValue>> = {
	state: (row) => row.state,
	country: (row) => row.country,
	office_name: (row) => row.office_name,
	member_city: (row) => row.member_city,
	member_postal_code: (row) => row.member_postal_code,
	license_status: (row) => row.member_license_status,
	status_group: (row) => row.license_status_group,
	member_type: (row) => row.member_type,
	type_group: (row) => row.member_type_group,
	expires_month: (row) => row.member_license_expires && String(row.member_license_expires).slice(0, 7),
	issued_month: (row) => row.member_license_issued && String(row.member_license_issued).slice(0, 7),
	issued_year: (row) => row.member_license_issued && String(row.member_license_issued).slice(0, 4),
	first_issued_month: (row) =>
		row.member_license_first_issued && String(row.member_license_first_issued).slice(0, 7),
	first_issued_year: (row) =>
		row.member_license_first_issued && String(row.member_license_first_issued).slice(0, 4),
};

interface CountedValues {
	readonly values: (string | null)[];
	rows: number;
}

/**
 * Rows by group, without the place that a walk goes on from: most rows first, then by the fold of each value, then by
 * the value; rows without one last.
 */
export function naiveAggregate(
	naive: NaiveMonth,
	request: AggregateRequest,
	filters: Filters,
	geography: Geography | null,
): Omit<Aggregate, "next"> {
	const counts = new Map<string, CountedValues>();
	const matches = naive.matching(filters, geography);
	for (const row of matches) {
		const values = request.by.map((name) => {
			const value = DIMENSIONS[name](row);
			return value === null ? null : String(value);
		});
		const key = JSON.stringify(values);
		const group = counts.get(key) ?? { values, rows: 0 };
		group.rows++;
		counts.set(key, group);
	}
	return { ...aggregateOf([...counts.values()], matches.length, request), ...exactOf(matches, filters) };
}

/** How many rows have each word of the name asked for, if one is. */
function exactOf(matches: readonly NaiveRow[], { name }: Filters): Pick<Aggregate, "exactRows"> {
	if (name === undefined || matches.length === 0) return {};
	const exact = matches.filter((row) => naiveMatch(name, row.member_full_name as string | null)?.cost === 0);
	return { exactRows: exact.length };
}

/** Rows by group of two months, `older` before `newer`: all groups of both are joined, then those that `sort` lists are kept. */
export function naiveCompared(
	older: NaiveMonth,
	newer: NaiveMonth,
	{ by, sort, top, minCount }: ComparedRequest,
	filters: Filters,
	geography: Geography | null,
): ComparedGroups {
	const [before, now] = [older, newer].map((month) =>
		naiveAggregate(month, { by: [by], top: Number.MAX_SAFE_INTEGER, minCount: 1 }, filters, geography),
	);
	const values = new Set([...before.groups, ...now.groups].map((group) => group.by[by]));
	const rowsOf = ({ groups }: Pick<Aggregate, "groups">, value: string | null) =>
		groups.find((group) => group.by[by] === value)?.rows ?? 0;
	const joined = [...values].map((value) => {
		const [rows, rowsBefore] = [rowsOf(now, value), rowsOf(before, value)];
		const measure = { rows, growth: rows - rowsBefore, decline: rowsBefore - rows }[sort];
		return { value, rows, rowsBefore, measure };
	});
	const asked = joined.filter(({ measure }) => sort === "rows" || measure > 0);
	const kept = asked.filter(({ rows, rowsBefore }) => rows >= minCount || rowsBefore >= minCount);
	kept.sort((a, b) => b.measure - a.measure || compareGroups([a.value], [b.value]));
	const listed = kept.slice(0, top);
	return {
		groups: listed.map(({ value, rows, rowsBefore }) => ({ by: { [by]: value }, rows, rowsBefore })),
		rows: now.rows,
		rowsBefore: before.rows,
		...(now.exactRows === undefined ? {} : { exactRows: now.exactRows }),
		groupCount: kept.length,
		smallGroups: asked.length - kept.length,
		otherRows: listed.reduce((left, { rows }) => left - rows, now.rows),
		hasMore: kept.length > listed.length,
	};
}

/** The column that a dimension reads, and characters of its values that name a group. */
const DIMENSION_COLUMNS: Readonly<Record<DimensionName, readonly [ColumnName, number]>> = {
	state: ["state", 1000],
	country: ["country", 1000],
	office_name: ["office_name", 1000],
	member_city: ["member_city", 1000],
	member_postal_code: ["member_postal_code", 1000],
	license_status: ["member_license_status", 1000],
	status_group: ["license_status_group", 1000],
	member_type: ["member_type", 1000],
	type_group: ["member_type_group", 1000],
	expires_month: ["member_license_expires", 7],
	issued_month: ["member_license_issued", 7],
	issued_year: ["member_license_issued", 4],
	first_issued_month: ["member_license_first_issued", 7],
	first_issued_year: ["member_license_first_issued", 4],
};

/** As {@link naiveAggregate}, of the rows at `places` of a month that is held as columns. */
export function columnAggregate(
	columns: NaiveColumns,
	places: Uint32Array,
	request: AggregateRequest,
): Omit<Aggregate, "next"> {
	const dimensions = request.by.map((name) => {
		const [column, characters] = DIMENSION_COLUMNS[name];
		const { values, valueOfRow } = columns.column(column);
		const labels = values.map((value) => (value === null ? null : String(value).slice(0, characters)));
		const distinct = [...new Set(labels)];
		const indexes = new Map(distinct.map((label, i) => [label, i]));
		const groups = Uint32Array.from(labels, (label) => indexes.get(label) as number);
		return { distinct, groups, valueOfRow };
	});
	const counts = new Uint32Array(dimensions.reduce((cells, { distinct }) => cells * distinct.length, 1));
	for (const place of places) {
		let cell = 0;
		for (const { distinct, groups, valueOfRow } of dimensions)
			cell = cell * distinct.length + groups[valueOfRow[place]];
		counts[cell]++;
	}
	const counted: CountedValues[] = [];
	for (let cell = 0; cell < counts.length; cell++) {
		if (counts[cell] === 0) continue;
		const values: (string | null)[] = [];
		let left = cell;
		for (const { distinct } of [...dimensions].reverse()) {
			values.unshift(distinct[left % distinct.length]);
			left = Math.floor(left / distinct.length);
		}
		counted.push({ values, rows: counts[cell] });
	}
	return aggregateOf(counted, places.length, request);
}

function aggregateOf(
	counted: readonly CountedValues[],
	matched: number,
	{ by, top, minCount }: AggregateRequest,
): Omit<Aggregate, "next"> {
	const kept = counted.filter(({ rows }) => rows >= minCount);
	// Only groups with as many rows as the last that is listed are compared by their values.
	const least = kept.map(({ rows }) => rows).sort((a, b) => b - a)[top - 1] ?? 0;
	const first = kept.filter(({ rows }) => rows >= least);
	first.sort((a, b) => b.rows - a.rows || compareGroups(a.values, b.values));
	const groups = first.slice(0, top).map(({ values, rows }) => ({
		by: Object.fromEntries(by.map((name, i) => [name, values[i]])),
		rows,
	}));
	const listed = groups.reduce((sum, { rows }) => sum + rows, 0);
	return { groups, rows: matched, groupCount: kept.length, otherRows: matched - listed };
}

function compareGroups(a: readonly (string | null)[], b: readonly (string | null)[]): number {
	for (let i = 0; i < a.length; i++) {
		const [left, right] = [a[i], b[i]];
		if (left === right) continue;
		if (left === null) return 1;
		if (right === null) return -1;
		return compareCodePoints(naiveFold(left), naiveFold(right)) || compareCodePoints(left, right);
	}
	return 0;
}

/** At most 100 values, most rows first. */
function mostFrequent(rows: readonly NaiveRow[], column: ColumnName): string[] {
	return groupByValue(rows, column)
		.slice(0, 100)
		.map(({ value }) => value);
}

/** Offices by name and state (docs/API.md §11.8), without the place that a walk goes on from. */
export function naiveOffices(
	naive: NaiveMonth,
	{ like, sort, offset, limit }: OfficesRequest,
	filters: Filters,
	geography: Geography | null,
): Omit<OfficesPage, "next"> {
	const costOf = (name: RowValue) => {
		const costs = (like ?? []).flatMap((text) => naiveMatch(text, name as string)?.cost ?? []);
		return like === null ? 0 : Math.min(...costs);
	};
	const rows = naive
		.matching(filters, geography)
		.filter((row) => row.office_name !== null && costOf(row.office_name) < Number.POSITIVE_INFINITY);
	const groups = new Map<string, NaiveRow[]>();
	for (const row of rows) {
		const key = JSON.stringify([row.office_name, row.state]);
		groups.set(key, [...(groups.get(key) ?? []), row]);
	}
	const offices = [...groups].map(([key, licensed]) => {
		const [officeName, state] = JSON.parse(key) as [string, string];
		return {
			officeName,
			state,
			licenses: licensed.length,
			active: licensed.filter((row) => row.license_status_group === "active").length,
			cities: mostFrequent(licensed, "member_city"),
			brokers: mostFrequent(licensed, "office_broker_name"),
		};
	});
	offices.sort(
		(a, b) =>
			(sort === "match" ? costOf(a.officeName) - costOf(b.officeName) : 0) ||
			(sort === "office_name" ? 0 : b.licenses - a.licenses) ||
			compareGroups([a.officeName, a.state], [b.officeName, b.state]),
	);
	return { offices: offices.slice(offset, offset + limit), total: offices.length, rows: rows.length };
}
