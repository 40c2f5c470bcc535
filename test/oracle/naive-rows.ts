/**
 * From a CSV drop to rows, naively (docs/API.md §1.3 to §1.6): trim, null, check, order, number.
 * For small data; the builder must produce the same rows.
 */

import {
	BUILT_IN_GROUPS,
	COLUMNS,
	type ColumnName,
	findJurisdiction,
	GROUP_COLUMNS,
	INPUT_COLUMNS,
	isIsoDate,
	monthNumber,
} from "../../formats/index.js";
import { compareCodePoints, naiveFold } from "./code-points.js";

export type RowValue = string | number | null;

/** A row as the API shows it: every column, in output order. */
export type NaiveRow = Readonly<Record<ColumnName, RowValue>>;

/** Cells of one line by header name; a column that the drop lacks is absent. */
export type RawRow = Readonly<Partial<Record<string, string>>>;

/**
 * Records of a well-formed CSV document (RFC 4180; LF or CRLF) by header name, without those whose cells are all
 * empty or blank.
 */
export function readCsv(text: string): RawRow[] {
	const [header, ...lines] = readRecords(text.replace(/^\ufeff/, ""));
	return lines
		.filter((cells) => cells.some((cell) => cell.trim() !== ""))
		.map((cells) => Object.fromEntries(header.map((name, i) => [name.trim(), cells[i]])));
}

function readRecords(text: string): string[][] {
	const records: string[][] = [];
	let record: string[] = [];
	let at = 0;
	while (at < text.length) {
		let cell = "";
		if (text[at] === '"') {
			at++;
			while (text[at] !== '"' || text[at + 1] === '"') {
				if (text[at] === '"') at++;
				cell += text[at++];
			}
			at++;
		} else {
			while (at < text.length && !",\n".includes(text[at]) && !text.startsWith("\r\n", at))
				cell += text[at++];
		}
		record.push(cell);
		if (text[at] === ",") {
			at++;
			if (at < text.length) continue;
			record.push("");
		}
		at += text.startsWith("\r\n", at) ? 2 : 1;
		records.push(record);
		record = [];
	}
	return records;
}

/** The rows of `month` in canonical order with their ids; lines that break a rule are left out. */
export function makeRows(raw: readonly RawRow[], month: string): NaiveRow[] {
	const kept = acceptedRows(raw);
	const counted = raw.some((row) => "agent_count" in row) ? kept : withAgentCounts(kept);
	const ordered = counted
		.map((cells, csvOrder) => ({ cells, key: canonicalKey(cells), csvOrder }))
		.sort((a, b) => compareKeys(a.key, b.key) || a.csvOrder - b.csvOrder);
	return ordered.map(({ cells }, position) => {
		const id = monthNumber(month) * 100_000_000 + position + 1;
		const made: Partial<Record<ColumnName, RowValue>> = { ...cells, ...groupsOf(cells), id, snapshot: month };
		return Object.fromEntries(COLUMNS.map((c) => [c.name, made[c.name] ?? null])) as NaiveRow;
	});
}

/** The groups of the row's status and type; a row without the one has no group either. */
function groupsOf(cells: Cells): Cells {
	return Object.fromEntries(
		GROUP_COLUMNS.flatMap(({ column, source }) => {
			const text = cells[source];
			if (text === undefined) return [];
			return [[column, BUILT_IN_GROUPS.find(column, String(cells.state), String(text)) ?? "other"]];
		}),
	);
}

/** Values of one row by column; null is absent. */
export type Cells = Partial<Record<ColumnName, string | number>>;

/** The lines that break no rule, in order: trimmed, nulls left out, each with its country. */
export function acceptedRows(raw: readonly RawRow[]): Cells[] {
	return raw.map(trimRow).filter(isAcceptable).map(withCountry);
}

function trimRow(raw: RawRow): Cells {
	const cells: Cells = {};
	for (const { name } of INPUT_COLUMNS) {
		const value = raw[name]?.trim() ?? "";
		if (value !== "") cells[name] = value;
	}
	return cells;
}

function isAcceptable(cells: Cells): boolean {
	const jurisdiction = findJurisdiction(String(cells.state));
	if (jurisdiction === undefined) return false;
	if (cells.country !== undefined && cells.country !== jurisdiction.country) return false;
	return INPUT_COLUMNS.every(({ name, kind }) => {
		const value = cells[name];
		if (value === undefined) return true;
		if (kind === "date") return isIsoDate(String(value));
		if (kind === "int") return /^\d+$/.test(String(value)) && Number(value) <= 999_999_999;
		return true;
	});
}

function withCountry(cells: Cells): Cells {
	const country = findJurisdiction(String(cells.state))?.country;
	const agents = cells.agent_count === undefined ? {} : { agent_count: Number(cells.agent_count) };
	return { ...cells, ...agents, country };
}

/** Licenses of the same state that share the office name; of US rows with an office. */
function withAgentCounts(rows: readonly Cells[]): Cells[] {
	const key = (cells: Cells) => JSON.stringify([cells.state, cells.office_name]);
	const agents = new Map<string, number>();
	for (const cells of rows) agents.set(key(cells), (agents.get(key(cells)) ?? 0) + 1);
	return rows.map((cells) =>
		cells.country === "US" && cells.office_name !== undefined
			? { ...cells, agent_count: agents.get(key(cells)) }
			: cells,
	);
}

/** The keys of the canonical order; null is last. */
function canonicalKey(cells: Cells): (string | null)[] {
	const text = (name: ColumnName) => (cells[name] === undefined ? null : String(cells[name]));
	const folded = (name: ColumnName) => (cells[name] === undefined ? null : naiveFold(String(cells[name])));
	return [
		text("country"),
		text("state"),
		folded("member_last_name"),
		folded("member_first_name"),
		text("member_state_license_number"),
	];
}

function compareKeys(a: readonly (string | null)[], b: readonly (string | null)[]): number {
	for (let i = 0; i < a.length; i++) {
		const [left, right] = [a[i], b[i]];
		if (left === right) continue;
		if (left === null) return 1;
		if (right === null) return -1;
		return compareCodePoints(left, right);
	}
	return 0;
}
