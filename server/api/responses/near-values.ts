/** Existing values similar to one that no row has, by the kind of its filter. */

import type { DimensionName, Filters, Geography, Snapshot } from "../../../engine/index.js";
import { DEFAULT_QUERY, DIMENSION_NAMES, dimensionColumn } from "../../../engine/index.js";
import {
	askedNameFault,
	type ColumnName,
	type FilterKind,
	findJurisdiction,
	NUMBER_COLUMN,
	nameCompounds,
	nearest,
	WORD_COLUMNS,
} from "../../../formats/index.js";
import type { StatsCache } from "../caches/stats-cache.js";

/** Where similar values are searched: rows of the states and country of `place` and of `geography`. */
export interface Findings {
	readonly snapshot: Snapshot;
	/** Only the filters on state and country. */
	readonly place: Filters;
	readonly geography: Geography | null;
	readonly stats: StatsCache;
}

export interface NearValues {
	readonly nearest: readonly string[];
	/** Continues the hint's message; may be "". */
	readonly note: string;
}

const NEAREST_MAX = 5;
/** Minimum of common leading characters of similar postal codes. */
const POSTAL_PREFIX_MIN = 2;

const NONE: NearValues = { nearest: [], note: "" };

/** Values similar to `value`, which no row in `findings` has in `column` by a filter of `kind`. */
export function findNear(
	kind: FilterKind,
	column: ColumnName | null,
	value: string,
	findings: Findings,
): NearValues {
	const { snapshot, place, geography } = findings;
	if (column === null) return NONE;
	if (kind === "name") return nearNames(value, findings);
	if (kind === "from" || kind === "to") return nearDates(kind, column, findings);
	if (WORD_COLUMNS.includes(column)) {
		const like = (text: string) => snapshot.looseValues(column, text, place, geography, NEAREST_MAX);
		let found = like(value);
		if (column === "member_city")
			for (const name of otherCityNames(value)) if (found.length === 0) found = like(name);
		return { nearest: found, note: kind === "exact" ? "matching is exact" : "" };
	}
	if (column === "member_postal_code") return nearPostalCodes(value, findings);
	if (column === NUMBER_COLUMN) {
		const found = snapshot.similarNumbers(value, place, geography).slice(0, NEAREST_MAX);
		return {
			nearest: found,
			note: found.length === 0 ? "matching is exact" : "it exists in another spelling",
		};
	}
	return nearVocabulary(kind, column, value, findings);
}

/** First words of cities' names that are written short and long. */
const CITY_WORDS: ReadonlyMap<string, string> = new Map(
	[
		["st", "saint"],
		["ste", "sainte"],
		["ft", "fort"],
		["mt", "mount"],
	].flatMap(([short, long]) => [
		[short, long],
		[long, short],
	]),
);

/** Other forms of a city's name: without the state after it, and with its first word written short or long. */
function otherCityNames(value: string): string[] {
	const name = value.split(",", 1)[0].trim();
	const [first, ...words] = name.split(/[\s.]+/);
	const other = CITY_WORDS.get(first.toLowerCase());
	const names = other === undefined ? [name] : [name, [other, ...words].join(" ")];
	return names.filter((each) => each !== "" && each !== value);
}

/** Values of a column with few of them: by edit distance, else the most frequent. */
function nearVocabulary(
	kind: FilterKind,
	column: ColumnName,
	value: string,
	{ snapshot, place, geography, stats }: Findings,
): NearValues {
	if (kind === "exact" && (column === "member_license_status" || column === "member_type")) {
		const name = column === "member_type" ? "member_type" : "license_status";
		const entries = stats.of(snapshot, geography)[name].filter((entry) => isIn(place, entry.states));
		const values = entries.map((entry) => entry.value);
		const near = nearest(value, values, NEAREST_MAX);
		// If nothing is similar, the most frequent values show what the vocabulary looks like.
		const found = near.length > 0 ? near : values.slice(0, NEAREST_MAX);
		return { nearest: found, note: "matching is exact, and each state has its own words" };
	}
	const by = DIMENSION_NAMES.find((name): name is DimensionName => dimensionColumn(name) === column);
	if (by === undefined) return NONE;
	const { groups } = snapshot.aggregate({ by: [by], top: NEAREST_MAX, minCount: 1 }, place, geography);
	return { nearest: groups.flatMap((group) => group.by[by] ?? []), note: "" };
}

/** Whether a value with rows in `states` has some in the states and country of the query. */
function isIn({ state, country }: Filters, states: Readonly<Record<string, number>>): boolean {
	return Object.keys(states).some(
		(code) =>
			(state === undefined || state.includes(code)) &&
			(country === undefined || findJurisdiction(code)?.country === country),
	);
}

/** Postal codes with the most common leading characters, by descending rows. */
function nearPostalCodes(value: string, { snapshot, place, geography }: Findings): NearValues {
	const characters = [...value.trim()];
	for (let length = characters.length; length >= POSTAL_PREFIX_MIN; length--) {
		const prefix = characters.slice(0, length).join("");
		const filters = { ...place, postal_prefix: prefix };
		const by = ["member_postal_code"] as const;
		if (snapshot.count(filters, geography) === 0) continue;
		const { groups } = snapshot.aggregate({ by, top: NEAREST_MAX, minCount: 1 }, filters, geography);
		return {
			nearest: groups.flatMap((group) => group.by.member_postal_code ?? []),
			note: `some begin with ${prefix}`,
		};
	}
	return NONE;
}

/** The earliest and the latest date: no row is beyond the requested one. */
function nearDates(
	kind: "from" | "to",
	column: ColumnName,
	{ snapshot, place, geography }: Findings,
): NearValues {
	const query = {
		...DEFAULT_QUERY,
		filters: { ...place, present: [column] },
		sort: [column],
		order: kind === "from" ? ("desc" as const) : ("asc" as const),
		limit: 1,
		geography,
	};
	const [row] = snapshot.query(query).rows;
	if (row === undefined) return { nearest: [], note: `no row has a ${column}` };
	const date = String(snapshot.value(row, column));
	return { nearest: [date], note: `the ${kind === "from" ? "latest" : "earliest"} is ${date}` };
}

/** Names that match all words but one, best match first, and the words that no name has. */
function nearNames(value: string, { snapshot, place, geography }: Findings): NearValues {
	const words = value.split(/[\s,]+/).filter((word) => word !== "");
	if (words.length < 2) return NONE;
	const matches = (name: string) => {
		const query = { ...DEFAULT_QUERY, filters: { ...place, name }, sort: [], limit: NEAREST_MAX, geography };
		return Array.from(snapshot.query(query).rows, (row) => String(snapshot.value(row, "member_full_name")));
	};
	const unknown: string[] = [];
	for (const word of words) if (isName(word) && matches(word).length === 0) unknown.push(word);
	const note = unknown.length === 0 ? "" : `no name has a word like ${unknown.join(", ")}`;
	for (let i = 0; i < words.length; i++) {
		const rest = words.filter((_, at) => at !== i).join(" ");
		const found = isName(rest) ? matches(rest) : [];
		if (found.length > 0) return { nearest: [...new Set(found)], note };
	}
	return { nearest: [], note };
}

function isName(text: string): boolean {
	return askedNameFault(nameCompounds(text)) === null;
}
