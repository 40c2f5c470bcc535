/**
 * Random months: few distinct, adversarial values, so that ties, duplicates, nulls, spellings of one
 * name and every case of tricky-text.ts occur together.
 *
 * A month is its pools of values and one 32-bit seed per row, from which the row's cells are drawn. A
 * counterexample therefore shrinks to few rows, small seeds and small pools.
 */

import fc from "fast-check";
import { type ColumnName, INPUT_COLUMNS, type JURISDICTIONS } from "../../formats/index.js";
import { Draw } from "./draw.js";
import type { RawRow } from "./naive-rows.js";
import { MARKUP_PIECES, TRICKY_PIECES } from "./tricky-text.js";

export interface RandomMonth {
	/** `YYYY-MM`. */
	readonly month: string;
	readonly states: readonly string[];
	/** Texts that names, offices, statuses and all other text columns are drawn from. */
	readonly words: readonly string[];
	/** ISO dates. */
	readonly dates: readonly string[];
	/** Columns that the drop lacks. */
	readonly absent: readonly ColumnName[];
	/** An empty cell of a nullable column occurs once in so many. */
	readonly oneNullIn: number;
	readonly rowSeeds: Uint32Array;
}

/** State codes that are also words of the alphabet's ends, of both countries; CA is a state and a country. */
const STATES: readonly (typeof JURISDICTIONS)[number]["state"][] = [
	"CA",
	"TX",
	"NY",
	"AL",
	"WY",
	"ON",
	"QC",
	"AB",
];

const MONTHS = ["2000-01", "2024-02", "2026-11", "9999-12"] as const;

const word = fc
	.array(
		fc.oneof(
			{ weight: 5, arbitrary: fc.constantFrom(...TRICKY_PIECES) },
			{ weight: 1, arbitrary: fc.constantFrom(...MARKUP_PIECES) },
		),
		{ minLength: 1, maxLength: 5 },
	)
	.map((pieces) => pieces.join(""));

/** Dates around the month's end, leap days and the limits of the calendar. */
const date = fc.oneof(
	fc.constantFrom("0001-01-01", "1970-01-01", "2024-02-29", "2026-11-30", "2026-12-01", "9999-12-31"),
	fc
		.integer({ min: 20_300, max: 20_900 })
		.map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10)),
);

/** Columns that a drop may lack: all but the required two. */
const OPTIONAL = INPUT_COLUMNS.map((c) => c.name).filter(
	(name) => name !== "state" && name !== "member_state_license_number",
);

/** Months of 2 to `rowsMax` rows. */
export function randomMonth(rowsMax = 300): fc.Arbitrary<RandomMonth> {
	return fc.record({
		month: fc.constantFrom(...MONTHS),
		states: fc.uniqueArray(fc.constantFrom(...STATES), { minLength: 1, maxLength: 5 }),
		words: fc.array(word, { minLength: 1, maxLength: 12 }),
		dates: fc.array(date, { minLength: 1, maxLength: 8 }),
		absent: fc.oneof(
			{ weight: 3, arbitrary: fc.constant<ColumnName[]>(["country", "agent_count"]) },
			{ weight: 1, arbitrary: fc.subarray(OPTIONAL) },
		),
		oneNullIn: fc.constantFrom(2, 5, 1000),
		rowSeeds: fc.uint32Array({ minLength: 2, maxLength: rowsMax }),
	});
}

/** The drop's lines with irregular cells: several spellings, surrounding space. */
export function rawRows(month: RandomMonth): RawRow[] {
	const columns = INPUT_COLUMNS.filter((c) => !month.absent.includes(c.name));
	return Array.from(month.rowSeeds, (seed) =>
		Object.fromEntries(columns.map((c) => [c.name, cellOf(month, c, new Draw(seed, c.code))])),
	);
}

function cellOf(month: RandomMonth, { name, kind }: (typeof INPUT_COLUMNS)[number], draw: Draw): string {
	if (name === "country") return "";
	if (name === "state") return draw.pick(month.states);
	if (draw.oneIn(month.oneNullIn)) return draw.pick(["", " ", "\t\u00a0"]);
	switch (kind) {
		case "date":
			return draw.pick(month.dates);
		case "int":
			return String(draw.pick([0, 1, 2, 9, 10, 100, 999_999_999]));
		case "string":
			return name.includes("email") || name.includes("phone") ? contact(month, draw) : spell(month, draw);
		default:
			return spell(month, draw);
	}
}

/** One of the month's words as it is, in another case or composition, or with surrounding space. */
function spell(month: RandomMonth, draw: Draw): string {
	const text = draw.pick(month.words);
	switch (draw.below(8)) {
		case 0:
			return text.toUpperCase();
		case 1:
			return text.normalize("NFD");
		case 2:
			return `  ${text}\u3000`;
		case 3:
			return text + draw.pick(month.words);
		default:
			return text;
	}
}

function contact(month: RandomMonth, draw: Draw): string {
	const some = () => draw.pick(month.words);
	return draw.pick([
		() => `${some()}@${some()}.com`,
		() => `${some()}@${some()}`,
		() => `${some()}@${some()}@x.${some()}`,
		() => `@${some()}.`,
		() => `(555) ${draw.below(1000)}-${draw.below(10_000)}`,
		() => `+1 ${draw.below(100)}`,
		() => some(),
	])();
}

/** `raw` as a CSV document: header and lines in a random column order, quoted where needed and sometimes where not. */
export function writeCsv(raw: readonly RawRow[], draw: Draw): string {
	const names = Object.keys(raw[0]);
	const header = [...draw.some(names, names.length), ...names].filter((n, i, all) => all.indexOf(n) === i);
	const lineEnd = draw.pick(["\n", "\r\n"]);
	const quoteAll = draw.oneIn(4);
	const cell = (text: string) =>
		quoteAll || /[",\r\n]/.test(text) || draw.oneIn(10) ? `"${text.replaceAll('"', '""')}"` : text;
	const lines = raw.map((row) => header.map((name) => cell(row[name] ?? "")).join(","));
	return [header.join(","), ...lines].join(lineEnd) + (draw.oneIn(3) ? "" : lineEnd);
}
