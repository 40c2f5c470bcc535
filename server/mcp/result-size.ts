/**
 * Results that fit an agent's context. A result over the budget is answered with fewer whole rows
 * and says so, and how to get the rest; nothing is ever cut within a row or value.
 */

import { DEPTH_MAX } from "../../formats/index.js";

/** About 25,000 tokens of JSON, in characters. */
export const RESULT_CHARACTERS_MAX = 75_000;

/** Answers raw parameters with the text of a JSON object. */
export type Run = (raw: Readonly<Record<string, unknown>>) => string;

interface Pagination {
	readonly page: number;
	readonly limit: number;
	readonly total: number | null;
	readonly has_next: boolean;
}

/** Where the rows of a list end and its pagination begins; no value can hold this (its quotes would be escaped). */
const LIST_TAIL = '],"pagination":';

/**
 * A page of a list with `next`, the arguments of the page after it. A page that is too large is
 * answered with the first of its rows, as the same position with a smaller limit, so that paging on
 * loses none. Cost: a page too large is asked for again, smaller, a few times.
 */
export function pageOfRows(raw: Readonly<Record<string, unknown>>, run: Run): string {
	let json = run(raw);
	let pagination = paginationOf(json);
	const asked = pagination.limit;
	const offset = (pagination.page - 1) * asked;
	while (json.length > RESULT_CHARACTERS_MAX && pagination.limit > 1) {
		const { limit: tried, total } = pagination;
		const rows = total === null ? tried : Math.min(tried, Math.max(total - offset, 1));
		const fitting = Math.floor((rows * RESULT_CHARACTERS_MAX * 0.97) / json.length);
		const limit = dividing(offset, Math.min(Math.max(fitting, 1), tried - 1));
		json = run({ ...raw, limit, page: offset / limit + 1 });
		pagination = paginationOf(json);
	}
	return withMembers(json, { next: nextOf(pagination), ...noticeOf(pagination, asked) });
}

function paginationOf(json: string): Pagination {
	const tail = JSON.parse(`{${json.slice(json.lastIndexOf(LIST_TAIL) + 2)}`) as { pagination: Pagination };
	return tail.pagination;
}

/** The greatest limit up to `most` that has a page beginning at `offset`. */
function dividing(offset: number, most: number): number {
	let limit = most;
	while (offset % limit !== 0) limit--;
	return limit;
}

function nextOf({ page, limit, has_next }: Pagination): { page: number; limit: number } | null {
	return has_next && (page + 1) * limit <= DEPTH_MAX ? { page: page + 1, limit } : null;
}

function noticeOf(pagination: Pagination, asked: number): { notice?: string } {
	const { limit, has_next } = pagination;
	const next = nextOf(pagination);
	if (has_next && next === null)
		return {
			notice: `rows beyond ${DEPTH_MAX.toLocaleString("en-US")} can't be paged to; add filters to reach them`,
		};
	if (limit === asked || next === null) return {};
	return {
		notice:
			`limit ${asked} would not fit a result: these are the first ${limit} rows of that page. ` +
			`Go on with page ${next.page} and limit ${next.limit}, or ask for fewer fields.`,
	};
}

interface History {
	readonly data: { readonly rows: readonly { readonly snapshot?: string }[] };
}

/** A license's history: the newest rows that fit. */
export function newestRows(json: string): string {
	if (json.length <= RESULT_CHARACTERS_MAX) return json;
	const history = JSON.parse(json) as History;
	const { rows } = history.data;
	const over = json.length - RESULT_CHARACTERS_MAX;
	const kept = countFitting(rows, JSON.stringify(rows).length - over);
	const shown = { ...history, data: { ...history.data, rows: rows.slice(0, kept) } };
	return withMembers(JSON.stringify(shown), {
		notice: `rows holds the newest ${kept} of ${rows.length} months; ask for fewer fields to get them all`,
	});
}

interface Vocabulary {
	readonly value: string;
	readonly rows: number;
	readonly states?: unknown;
}
interface Statistics {
	readonly data: { readonly license_status?: Vocabulary[]; readonly member_type?: Vocabulary[] };
}

/** A snapshot's statistics: without the counts by state where they don't fit, then with the most frequent values. */
export function frequentValues(json: string): string {
	if (json.length <= RESULT_CHARACTERS_MAX) return json;
	const statistics = JSON.parse(json) as Statistics;
	const brief = withVocabularies(statistics, (entries) =>
		entries.map(({ value, rows }) => ({ value, rows })),
	);
	const briefLength = JSON.stringify(brief).length;
	if (briefLength <= RESULT_CHARACTERS_MAX)
		return withMembers(JSON.stringify(brief), {
			notice: "counts by state are left out for size; give state to get the values of one state",
		});
	const half = (RESULT_CHARACTERS_MAX * 0.9) / 2;
	const frequent = withVocabularies(brief, (entries) => entries.slice(0, countFitting(entries, half)));
	return withMembers(JSON.stringify(frequent), {
		notice: "only the most frequent values are listed for size; give state to get every value of one state",
	});
}

function withVocabularies(
	statistics: Statistics,
	change: (entries: Vocabulary[]) => Vocabulary[],
): Statistics {
	const { license_status, member_type } = statistics.data;
	return {
		...statistics,
		data: {
			...statistics.data,
			...(license_status === undefined ? {} : { license_status: change(license_status) }),
			...(member_type === undefined ? {} : { member_type: change(member_type) }),
		},
	};
}

/** How many of `items`, at least one, take up to `characters` as JSON. */
function countFitting(items: readonly unknown[], characters: number): number {
	let room = characters;
	let count = 0;
	for (const item of items) {
		room -= JSON.stringify(item).length + 1;
		if (room < 0) break;
		count++;
	}
	return Math.max(count, 1);
}

/** The object that `json` is the text of, with more members at its end. */
function withMembers(json: string, members: Readonly<Record<string, unknown>>): string {
	return `${json.slice(0, -1)},${JSON.stringify(members).slice(1)}`;
}

interface Groups {
	readonly data: readonly unknown[];
}

/** Aggregates: the largest groups that fit; the others are counted in `other_rows`, as if fewer had been asked for. */
export function largestGroups(raw: Readonly<Record<string, unknown>>, run: Run): string {
	let json = run(raw);
	const asked = json.length > RESULT_CHARACTERS_MAX ? (JSON.parse(json) as Groups).data.length : 0;
	let top = asked;
	while (json.length > RESULT_CHARACTERS_MAX && top > 1) {
		top = Math.max(1, Math.min(top - 1, Math.floor((top * RESULT_CHARACTERS_MAX * 0.95) / json.length)));
		json = run({ ...raw, top });
	}
	if (top === asked) return json;
	return withMembers(json, { notice: `only the largest ${top} of ${asked} groups fit a result` });
}
