/**
 * The forms that rows of a result could have, by what they cost an agent's context: the same answers of the
 * tools written in each form, counted in tokens as an agent gets them.
 *
 * A form must also be read without doubt. `exact`: from its text alone every cell comes out as it went in, null
 * and the empty text, numbers and texts apart. `together`: a row is one place of the text, so that nobody has to
 * count positions in several lists to read it.
 */

import { isDeepStrictEqual } from "node:util";
import { type Args, type Session, tokensOf } from "./session.js";

type Cell = string | number | null;
type Row = readonly Cell[];

interface Form {
	readonly name: string;
	/** The member or members of the result that hold the rows. */
	write(columns: readonly string[], rows: readonly Row[]): Readonly<Record<string, unknown>>;
	/** The rows again. */
	read(written: Readonly<Record<string, unknown>>): Row[];
}

const quoted = (cell: Cell) => {
	const text = cell === null ? "" : String(cell);
	return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
/** Cells of a line of CSV. Numbers and nulls are not told from texts, as in CSV. */
const cellsOf = (line: string): Cell[] =>
	[...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
		([, inQuotes, plain]) => inQuotes?.replaceAll('""', '"') ?? plain,
	);
const lines = (text: unknown) => String(text).split("\n").slice(1);

const FORMS: readonly Form[] = [
	{
		name: "objects",
		write: (columns, rows) => ({
			rows: rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]]))),
		}),
		read: ({ rows }) => (rows as Record<string, Cell>[]).map((row) => Object.values(row)),
	},
	{
		name: "columns and rows",
		write: (columns, rows) => ({ columns, rows }),
		read: ({ rows }) => rows as Row[],
	},
	{
		name: "CSV in a text",
		write: (columns, rows) => ({
			csv: [columns, ...rows].map((row) => row.map(quoted).join(",")).join("\n"),
		}),
		read: ({ csv }) => lines(csv).map(cellsOf),
	},
	{
		name: "lines with bars",
		write: (columns, rows) => ({
			table: [columns, ...rows].map((row) => row.map((cell) => cell ?? "").join(" | ")).join("\n"),
		}),
		read: ({ table }) => lines(table).map((line) => line.split(" | ")),
	},
	{
		name: "one array by column",
		write: (columns, rows) => ({
			columns: Object.fromEntries(columns.map((column, i) => [column, rows.map((row) => row[i])])),
		}),
		read: ({ columns }) => {
			const cells = Object.values(columns as Record<string, Cell[]>);
			return cells[0].map((_, row) => cells.map((column) => column[row]));
		},
	},
];

/** The form that the tools have. */
export const CHOSEN = "columns and rows";

export interface FormOutcome {
	readonly name: string;
	/** Tokens of all answers. */
	readonly tokens: number;
	readonly exact: boolean;
	readonly together: boolean;
}

/** Whether the text without a row is the text with one place cut out. */
function isTogether(form: Form, columns: readonly string[], rows: readonly Row[]): boolean {
	const place = Math.floor(rows.length / 2);
	const all = JSON.stringify(form.write(columns, rows));
	const without = JSON.stringify(form.write(columns, rows.toSpliced(place, 1)));
	let before = 0;
	while (before < without.length && all[before] === without[before]) before++;
	return all.endsWith(without.slice(before));
}

/** Searches whose answers are compared: everyday lists, with nulls, accents and punctuation among them. */
const SEARCHES: readonly Args[] = [
	{},
	{ status_group: "active", sort: "member_license_expires" },
	{ country: "CA" },
	{ missing: "office_name" },
	{ present: "matched_email", fields: ["member_full_name", "matched_email", "matched_phone", "agent_count"] },
];

/** Asks the searches and writes their answers in every form. */
export async function compareForms(session: Session): Promise<FormOutcome[]> {
	const outcomes = FORMS.map(({ name }) => ({ name, tokens: 0, exact: true, together: true }));
	for (const args of SEARCHES) {
		const { columns, rows: named } = await session.call("search_licenses", args);
		const rows = named.map((row) => columns.map((column) => row[column] as Cell));
		for (const [i, form] of FORMS.entries()) {
			const text = JSON.stringify(form.write(columns, rows));
			outcomes[i].tokens += tokensOf(text);
			outcomes[i].together &&= isTogether(form, columns, rows);
			outcomes[i].exact &&= isDeepStrictEqual(form.read(JSON.parse(text)), rows);
		}
	}
	return outcomes;
}
