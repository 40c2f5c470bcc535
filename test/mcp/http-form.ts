/**
 * A tool's result and its endpoint's body in one form, to compare them: rows as objects, without the members
 * that only one of the two has.
 */

import { objectOf } from "./tool-client.js";

type Json = Record<string, unknown>;
type Rows = readonly (readonly unknown[])[];

/** Values of each vocabulary that get_stats lists without a state. */
const VALUES_MAX = 15;

/** The structured content of `tool` as HTTP words it. */
export function toolAsHttp(tool: string, result: Json): Json {
	const { columns, rows, notice: _, ...rest } = result;
	const names = (columns ?? []) as string[];
	const body: Json = { ...rest };
	if (rows !== undefined) body.data = (rows as Rows).map((row) => objectOf(names, row));
	if (tool === "license_history") {
		const data = rest.data as { rows: Rows };
		body.data = { ...data, rows: data.rows.map((row) => objectOf(names, row)) };
	}
	if (tool === "license_changes" || tool === "verify_licenses")
		body.data = (rest.data as Json[]).map((entry) => namedEntry(entry, names));
	return withoutNote(withoutCursor(body));
}

function namedEntry(entry: Json, columns: readonly string[]): Json {
	const named = (row: unknown) => (Array.isArray(row) ? objectOf(columns, row) : row);
	const { row, previous, rows, changes = [], differs = [], similar = [], ...rest } = entry;
	if (rows !== undefined) return { ...rest, rows: (rows as Rows).map(named), differs, similar };
	return { ...rest, row: named(row), previous: named(previous ?? null), changes };
}

/** The body of the endpoint of `tool` without what the tool leaves out. */
export function httpAsTool(tool: string, body: Json, isOfState: boolean): Json {
	const { links: _, ...own } = body;
	const kept = withoutCursor(own);
	const meta = { ...(kept.meta as Json | undefined) };
	if (tool === "search_licenses") for (const name of ["sort", "order"]) delete meta[name];
	if (tool === "license_history") {
		delete meta.snapshots;
		const repeated = (meta.matches as { rows: number }[]).filter(({ rows }) => rows > 1);
		delete meta.matches;
		if (repeated.length > 0) meta.matches = repeated;
	}
	if (tool === "license_changes") {
		// The tool says it in its notice.
		if (meta.truncated === true) delete meta.hints;
		delete meta.truncated;
		kept.data = (kept.data as Json[]).map((entry) =>
			entry.kind === "changed" ? { ...entry, previous: null } : entry,
		);
	}
	if (tool === "get_stats") kept.data = withBriefVocabularies(kept.data as Json, isOfState);
	return kept.meta === undefined ? kept : { ...kept, meta };
}

function withBriefVocabularies(data: Json, isOfState: boolean): Json {
	const brief = (entries: unknown) =>
		(entries as Json[])
			.slice(0, isOfState ? undefined : VALUES_MAX)
			.map(({ value, rows }) => ({ value, rows }));
	const { license_status, member_type } = data;
	return {
		...data,
		...(license_status === undefined ? {} : { license_status: brief(license_status) }),
		...(member_type === undefined ? {} : { member_type: brief(member_type) }),
	};
}

function withoutCursor(body: Json): Json {
	if (body.pagination === undefined) return body;
	const { limit, total, has_next } = body.pagination as Json;
	return { ...body, pagination: { limit, total, has_next } };
}

function withoutNote(body: Json): Json {
	if (body.meta === undefined) return body;
	const { note: _, ...meta } = body.meta as Json;
	return { ...body, meta };
}
