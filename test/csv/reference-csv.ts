/**
 * A sequential reference implementation of the CSV grammar over strings, which the parallel parser is
 * compared with. builder/csv/record-scanner.ts has the rules.
 */

export interface ReferenceRecord {
	/** Physical line, 1-based. */
	readonly line: number;
	/** Not trimmed. */
	readonly fields: readonly string[];
	/** The record's text without its line end. */
	readonly raw: string;
}

export interface ReferenceReject {
	readonly line: number;
	readonly reason: string;
	readonly raw: string;
}

export interface Reference {
	readonly records: readonly ReferenceRecord[];
	readonly rejects: readonly ReferenceReject[];
	readonly blankLines: number;
}

const LINE_END = /\r\n|\n|\r/y;
const PLAIN_FIELD = '(?:"(?:[^"\\r\\n]|"")*"|[^",\\r\\n]*)';

type Reading = { readonly fields: string[]; readonly end: number } | { readonly fault: string };

/**
 * Reads `text`, whose records must have `columns` fields. Null: any number of fields, and no quote is
 * treated as a stray one. `isEmpty`: whether a field is empty but for white space.
 */
export function readReference(
	text: string,
	columns: number | null,
	isEmpty = (field: string) => field.trim() === "",
): Reference {
	const records: ReferenceRecord[] = [];
	const rejects: ReferenceReject[] = [];
	let blankLines = 0;
	let line = 1;
	let position = 0;
	while (position < text.length) {
		const firstLine = lineAt(text, position);
		if (/^[ \t]*$/.test(firstLine.text) && columns !== 1) {
			blankLines++;
			line++;
			position = firstLine.next;
			continue;
		}
		const reading = readRecord(text, position, columns);
		const fault =
			"fault" in reading
				? reading.fault
				: columns !== null && reading.fields.length !== columns
					? "wrong_column_count"
					: null;
		if (fault !== null || "fault" in reading) {
			rejects.push({ line, reason: fault ?? "", raw: firstLine.text });
			line++;
			position = firstLine.next;
			continue;
		}
		const raw = text.slice(position, reading.end);
		if (columns !== null && reading.fields.every(isEmpty)) blankLines++;
		else records.push({ line, fields: reading.fields, raw });
		line += raw.split(/\r\n|\n|\r/).length;
		position = reading.end + lineEndAt(text, reading.end);
	}
	return { records, rejects, blankLines };
}

/** Length of the line end at `position`; 0 where there is none. */
function lineEndAt(text: string, position: number): number {
	LINE_END.lastIndex = position;
	return LINE_END.exec(text)?.[0].length ?? 0;
}

function lineAt(text: string, position: number): { text: string; next: number } {
	let end = position;
	while (end < text.length && lineEndAt(text, end) === 0) end++;
	return { text: text.slice(position, end), next: end + lineEndAt(text, end) };
}

function readRecord(text: string, begin: number, columns: number | null): Reading {
	const fields: string[] = [];
	let position = text.startsWith('\ufeff"', begin) ? begin + 1 : begin;
	for (;;) {
		if (text[position] === '"') {
			const quoted = readQuoted(text, position + 1, columns);
			if ("fault" in quoted) return quoted;
			fields.push(quoted.value);
			position = quoted.end;
			const after = position === text.length || text[position] === "," || lineEndAt(text, position) > 0;
			if (!after) return { fault: "stray_quote" };
		} else {
			const start = position;
			while (position < text.length && text[position] !== "," && lineEndAt(text, position) === 0) position++;
			fields.push(text.slice(start, position));
		}
		if (text[position] !== ",") return { fields, end: position };
		position++;
	}
}

function readQuoted(
	text: string,
	start: number,
	columns: number | null,
): { readonly value: string; readonly end: number } | { readonly fault: string } {
	let value = "";
	let position = start;
	while (position < text.length) {
		const lineEnd = lineEndAt(text, position);
		if (text.startsWith('""', position)) {
			value += '"';
			position += 2;
		} else if (text[position] === '"') {
			return { value, end: position + 1 };
		} else if (lineEnd > 0) {
			value += text.slice(position, position + lineEnd);
			position += lineEnd;
			if (isWholeRecord(lineAt(text, position).text, columns)) return { fault: "lone_quote" };
		} else {
			value += text[position];
			position++;
		}
	}
	return { fault: "unterminated_quote" };
}

function isWholeRecord(line: string, columns: number | null): boolean {
	if (columns === null || columns < 3) return false;
	return new RegExp(`^${PLAIN_FIELD}(?:,${PLAIN_FIELD}){${columns - 1}}$`).test(line);
}
