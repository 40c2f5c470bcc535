/**
 * Grants as an operator writes them, read into the types of key.ts. Every function throws
 * {@link KeyError} `invalid_grant` with a message that says what would do.
 */

import { closest } from "fastest-levenshtein";
import type { Geography } from "../../engine/query.js";
import { COLUMNS, type ColumnName, findColumn, JURISDICTIONS } from "../../formats/index.js";
import { KeyError } from "./errors.js";
import type { HistoryScope, Tier } from "./key.js";
import { TIER_TRAITS } from "./tiers.js";

const COUNTRIES = ["US", "CA"];
const STATES = JURISDICTIONS.map((j) => j.state);
const COLUMN_NAMES = COLUMNS.map((c) => c.name);

/** Columns that every key reads (docs/API.md §3.2). */
export const ALWAYS_GRANTED: readonly ColumnName[] = ["id", "snapshot"];

const DURATION = /^(\d{1,9})([smhd])$/;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION_MS_MAX = 36_500 * UNIT_MS.d;
const NAME_LENGTH_MAX = 100;
const MONTHS_MAX = 1_200;
/** The largest limit: counters are 32-bit. */
const LIMIT_MAX = 2_000_000_000;

/** Milliseconds of a duration such as `90s`, `30m`, `12h`, `14d`; at most 100 years. */
export function parseDuration(text: string): number {
	const match = DURATION.exec(text);
	if (match === null) {
		throw new KeyError(
			"invalid_grant",
			`"${text}" is no duration: write a number and s, m, h or d, such as 14d`,
		);
	}
	const ms = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
	if (ms > DURATION_MS_MAX) throw new KeyError("invalid_grant", `"${text}" is longer than 36500d`);
	return ms;
}

/** A limit: a whole number from 1, or `none` for no limit in that window. */
export function parseLimit(text: string): number | null {
	if (text === "none") return null;
	const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0;
	if (limit < 1 || limit > LIMIT_MAX) {
		throw new KeyError(
			"invalid_grant",
			`"${text}" is no limit: write a whole number from 1 to ${LIMIT_MAX}, or none`,
		);
	}
	return limit;
}

/** A name for people: 1 to 100 characters, trimmed, without control characters. */
export function parseName(text: string): string {
	const name = text.trim();
	if (name === "" || name.length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name)) {
		throw new KeyError(
			"invalid_grant",
			`a name has 1 to ${NAME_LENGTH_MAX} characters and no control characters`,
		);
	}
	return name;
}

/** `latest`, `months:N` or `all`. */
export function parseHistory(text: string): HistoryScope {
	if (text === "latest" || text === "all") return { mode: text };
	const match = /^months:(\d{1,4})$/.exec(text);
	const months = match === null ? 0 : Number(match[1]);
	if (months < 1 || months > MONTHS_MAX) {
		throw new KeyError(
			"invalid_grant",
			`"${text}" is no history grant: write latest, months:N (N from 1) or all`,
		);
	}
	return { mode: "months", months };
}

/** Country and state grants, each a comma-separated list or absent; null where both are absent. */
export function parseGeography(countries: string | undefined, states: string | undefined): Geography | null {
	if (countries === undefined && states === undefined) return null;
	return {
		countries: countries === undefined ? [] : codes(countries, COUNTRIES, "country", "countries are"),
		states: states === undefined ? [] : codes(states, STATES, "state or province", "codes are"),
	};
}

/**
 * The column grant of a comma-separated list, in output order and with {@link ALWAYS_GRANTED}.
 * A column that `tier` withholds can't be granted.
 */
export function parseColumns(list: string, tier: Tier): ColumnName[] {
	const granted = new Set<ColumnName>(ALWAYS_GRANTED);
	for (const name of items(list, "column")) {
		const column = findColumn(name);
		if (column === undefined) throw unknown("column", name, COLUMN_NAMES, "columns are");
		if (TIER_TRAITS[tier].withheld.includes(column.name)) {
			throw new KeyError("invalid_grant", `${tier} keys never read ${column.name}`);
		}
		granted.add(column.name);
	}
	return COLUMN_NAMES.filter((name) => granted.has(name));
}

function codes(list: string, allowed: readonly string[], what: string, allowedAre: string): string[] {
	const granted = new Set<string>();
	for (const item of items(list, what)) {
		const code = item.toUpperCase();
		if (!allowed.includes(code)) throw unknown(what, item, allowed, allowedAre);
		granted.add(code);
	}
	return allowed.filter((code) => granted.has(code));
}

function items(list: string, what: string): string[] {
	const parts = list.split(",").map((item) => item.trim());
	if (parts.includes("")) throw new KeyError("invalid_grant", `a ${what} list has an empty item: "${list}"`);
	return parts;
}

function unknown(what: string, given: string, allowed: readonly string[], allowedAre: string): KeyError {
	const nearest = closest(
		given.toLowerCase(),
		allowed.map((name) => name.toLowerCase()),
	);
	const suggestion = allowed.find((name) => name.toLowerCase() === nearest) ?? nearest;
	return new KeyError(
		"invalid_grant",
		`no ${what} "${given}"; did you mean ${suggestion}? The ${allowedAre} ${allowed.join(", ")}`,
	);
}
