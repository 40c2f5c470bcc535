/**
 * Answers, read from the text of a response in the same way whether the engine or a peer gave it, and their equality: the
 * total, the keys in order, and for rows the bytes.
 */

import type { Aggregate, Stats } from "../../engine/index.js";
import type { Question } from "./question.js";

export interface Answer {
	/** Rows that match a list's filters; rows of an aggregate or of statistics; null for the others. */
	readonly total: number | null;
	/** Ids of rows in order; of suggestions, statuses and groups `value␟rows`. */
	readonly keys: readonly (number | string)[];
	/** The rows as they are sent: the array of a JSON list, the object of one row, or the whole of CSV and NDJSON. */
	readonly body?: string;
}

/** Separates a value from its rows; no value contains it. */
const KEY_SEPARATOR = "\u001f";

/** A line of CSV with its end; what is quoted may contain line ends. */
const CSV_LINE = /(?:"(?:[^"]|"")*"|[^"\r])*\r\n/g;

/**
 * What the response to `question` says. `total` is that of a list, which stands in a header of CSV and NDJSON. Statistics
 * are read for their rows and statuses, which are what peers are asked for.
 */
export function answerOf(question: Question, text: string, total: number | null): Answer {
	switch (question.kind) {
		case "list": {
			const body = question.format === "json" ? rowsInJson(text) : text;
			return { total, keys: idsOf(body, question.format), body };
		}
		case "row": {
			const body = text.slice('{"data":'.length, -1);
			return { total: null, keys: [(JSON.parse(body) as { id: number }).id], body };
		}
		case "stats": {
			const { rows, license_status } = dataOf<Pick<Stats, "rows" | "license_status">>(text);
			return { total: rows, keys: countedKeys(license_status) };
		}
		case "aggregate":
			return aggregateAnswer(dataOf<Pick<Aggregate, "groups" | "rows" | "groupCount">>(text));
		case "suggest":
			return { total: null, keys: countedKeys(dataOf(text)) };
	}
}

/**
 * The answer with its groups: rows, groups, and the groups listed but for those with as few rows as the last,
 * which are in no order that SQL and the engine share.
 */
export function aggregateAnswer({
	groups,
	rows,
	groupCount,
}: Pick<Aggregate, "groups" | "rows" | "groupCount">): Answer {
	const least = groups.length < groupCount ? (groups.at(-1)?.rows ?? 0) : 0;
	const keys = groups
		.filter((group) => group.rows > least)
		.map((group) => [...Object.values(group.by), group.rows].join(KEY_SEPARATOR));
	return { total: rows, keys: [groupCount, ...keys.sort()] };
}

/** Keys of values with their rows. */
export function countedKeys(
	counted: readonly { readonly value: unknown; readonly rows: number }[],
): string[] {
	return counted.map(({ value, rows }) => `${value}${KEY_SEPARATOR}${rows}`);
}

/** The difference between two answers, in one line; null where they are equal. */
export function differenceOf(answer: Answer, expected: Answer): string | null {
	if (answer.total !== expected.total) return `total ${answer.total}, expected ${expected.total}`;
	if (answer.keys.length !== expected.keys.length)
		return `${answer.keys.length} keys, expected ${expected.keys.length}`;
	const at = answer.keys.findIndex((key, i) => key !== expected.keys[i]);
	if (at !== -1) return `key ${at} is ${answer.keys[at]}, expected ${expected.keys[at]}`;
	return bodyDifference(answer.body, expected.body);
}

/** Where two bodies differ first, with what surrounds it; null where they are equal. */
function bodyDifference(body: string | undefined, expected: string | undefined): string | null {
	if (body === expected) return null;
	if (body === undefined || expected === undefined) return "rows of one side alone";
	let at = 0;
	while (body[at] === expected[at]) at++;
	const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 30));
	return `byte ${at} of the rows: ${around(body)}, expected ${around(expected)}`;
}

/** The array of rows in a JSON answer's text: `{"data":[…],"pagination":…}`. */
function rowsInJson(text: string): string {
	return text.slice('{"data":'.length, text.lastIndexOf(',"pagination":'));
}

function idsOf(body: string, format: "json" | "ndjson" | "csv"): number[] {
	if (format !== "csv") {
		const rows = format === "json" ? body : `[${body.trimEnd().replaceAll("\n", ",")}]`;
		return (JSON.parse(rows) as { id: number }[]).map(({ id }) => id);
	}
	const [header, ...lines] = body.match(CSV_LINE) ?? [];
	if (!header?.startsWith("id,")) throw new TypeError(`rows of CSV without ids: ${body.slice(0, 60)}`);
	return lines.map((line) => Number.parseInt(line, 10));
}

function dataOf<T>(text: string): T {
	return (JSON.parse(text) as { data: T }).data;
}
