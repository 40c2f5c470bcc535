/**
 * Parses grants given as command-line options into the types of key.ts. Countries, states and columns are read by
 * the API's rules. Every function throws {@link KeyError} `invalid_grant` with a message that says what is allowed.
 */

import type { Geography } from "../../engine/query.js";
import {
	COLUMNS,
	type ColumnName,
	columnListRule,
	countryRule,
	JURISDICTIONS,
	RuleViolation,
	stateListRule,
} from "../../formats/index.js";
import { KeyError } from "./errors.js";
import type { HistoryScope, Tier } from "./key.js";
import { TIER_TRAITS } from "./tiers.js";

const COUNTRIES = ["US", "CA"] as const;
const STATES = JURISDICTIONS.map((j) => j.state);
const COLUMN_NAMES = COLUMNS.map((c) => c.name);
const COLUMNS_RULE = columnListRule("column", COLUMN_NAMES);

/** Columns that every key reads (docs/API.md §3.2). */
const ALWAYS_GRANTED: readonly ColumnName[] = ["id", "snapshot"];

const DURATION = /^(\d{1,9})([smhd])$/;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION_MS_MAX = 36_500 * UNIT_MS.d;
const NAME_LENGTH_MAX = 100;
const MONTHS_MAX = 1_200;
/** The largest limit: counters are 32-bit. */
const LIMIT_MAX = 2_000_000_000;

/** The milliseconds of a duration such as `90s`, `30m`, `12h`, `14d`; at most 100 years. */
export function parseDuration(text: string): number {
	const match = DURATION.exec(text);
	if (match === null) {
		throw new KeyError(
			"invalid_grant",
			`"${text}" is not a duration: write a number followed by s, m, h or d, such as 14d`,
		);
	}
	const ms = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
	if (ms > DURATION_MS_MAX) throw new KeyError("invalid_grant", `"${text}" is longer than 36500d`);
	return ms;
}

/** A limit: a whole number of at least 1, or `none`. */
export function parseLimit(text: string): number | null {
	if (text === "none") return null;
	const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0;
	if (limit < 1 || limit > LIMIT_MAX) {
		throw new KeyError(
			"invalid_grant",
			`"${text}" is not a limit: write a whole number from 1 to ${LIMIT_MAX}, or none`,
		);
	}
	return limit;
}

/** A display name: 1 to 100 characters, trimmed, without control characters. */
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
			`"${text}" is not a history grant: write latest, months:N (N from 1 to ${MONTHS_MAX}) or all`,
		);
	}
	return { mode: "months", months };
}

/** The list of a flag that may be given several times, after those given before: two flags are one list. */
export function joinedList(list: string, before?: string): string {
	return before === undefined ? list : `${before},${list}`;
}

/** Country and state grants, each a comma-separated list or absent; null if both are absent. */
export function parseGeography(countries: string | undefined, states: string | undefined): Geography | null {
	if (countries === undefined && states === undefined) return null;
	const codes = countries?.split(",").map((code) => accepted("--countries", countryRule(code.trim())));
	const grantedCountries = new Set(codes);
	const grantedStates = new Set(states === undefined ? [] : accepted("--states", stateListRule(states)));
	return {
		countries: COUNTRIES.filter((country) => grantedCountries.has(country)),
		states: STATES.filter((state) => grantedStates.has(state)),
	};
}

/**
 * The column grant of a comma-separated list, in output order and with {@link ALWAYS_GRANTED}.
 * Columns that `tier` withholds cannot be granted.
 */
export function parseColumns(list: string, tier: Tier): ColumnName[] {
	const granted = new Set([...ALWAYS_GRANTED, ...accepted("--columns", COLUMNS_RULE(list))]);
	const withheld = TIER_TRAITS[tier].withheld.find((name) => granted.has(name));
	if (withheld !== undefined) throw new KeyError("invalid_grant", `${tier} keys never read ${withheld}`);
	return COLUMN_NAMES.filter((name) => granted.has(name));
}

/** A value that its rule accepted. `flag` is named in the error for one that it did not. */
function accepted<T>(flag: string, value: T | RuleViolation): T {
	if (value instanceof RuleViolation) throw new KeyError("invalid_grant", `${flag} ${value.message}`);
	return value;
}
