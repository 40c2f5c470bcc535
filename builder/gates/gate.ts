/**
 * Gates: plausibility checks before publication. A failed gate prevents publication unless the operator accepts it
 * by name, which the month's manifest records.
 */

/** Names of the gates, the values of `--accept`. Frozen, since manifests contain them. */
export const GATES = [
	"rejects",
	"states",
	"total",
	"nulls",
	"vocabulary",
	"matches",
	"duplicates",
	"dates",
	"churn",
	"changes",
	"groups",
	"month",
] as const;

export type GateName = (typeof GATES)[number];

/** What a gate judges: the files as they are read, the compiled month, or that compared with the previous month. */
export type GateSubject = "files" | "month" | "both-months";

export const GATE_SUBJECTS: Readonly<Record<GateName, GateSubject>> = {
	rejects: "files",
	states: "both-months",
	total: "both-months",
	nulls: "both-months",
	vocabulary: "both-months",
	matches: "both-months",
	duplicates: "month",
	dates: "month",
	churn: "both-months",
	changes: "both-months",
	groups: "both-months",
	month: "files",
};

/** A failed gate. */
export interface GateFailure {
	readonly gate: GateName;
	/** What was found and by how much it exceeds the limit, in one line. */
	readonly finding: string;
}

/** The limit of each gate, in percent, or in percentage points if it says so. */
export interface GateLimits {
	/** Maximum share of rejected rows. */
	readonly rejectsMax: number;
	/** Maximum change of a state's rows since the previous month. */
	readonly stateChangeMax: number;
	/** Maximum change of all rows. */
	readonly totalChangeMax: number;
	/** Maximum rise of a column's share of nulls, in points. */
	readonly nullRiseMax: number;
	/** Maximum share of a state's rows with a status or type that is new or gone since the previous month. */
	readonly vocabularyChangeMax: number;
	/** Maximum fall of the share of US rows with a matched e-mail address, in points. */
	readonly matchFallMax: number;
	/** Maximum share of rows that repeat an earlier row's state and license number. */
	readonly duplicatesMax: number;
	/** Maximum share of a column's dates before 1900 or implausibly far in the future. */
	readonly oddDatesMax: number;
	/** Maximum share of a state's licenses that are new, and of its previous licenses that are gone. */
	readonly churnMax: number;
	/** Maximum share of the licenses of both months of which one column changed, of a state or of all. */
	readonly changedMax: number;
	/** Maximum rise of a state's share of rows with group `other`, in points. */
	readonly otherRiseMax: number;
	/** Minimum number of rows of a month or state for shares to be judged. */
	readonly judgedRowsMin: number;
}

/** A limit as a flag of `builder build`. */
export interface LimitFlag {
	readonly limit: keyof GateLimits;
	readonly gate: GateName | null;
	readonly flag: string;
	readonly unit: "percent" | "points" | "rows";
	readonly default: number;
	readonly description: string;
}

/** The limits, their flags and defaults. */
export const LIMIT_FLAGS: readonly LimitFlag[] = [
	limit("rejectsMax", "rejects", "--max-rejects", "percent", 1, "rows rejected"),
	limit("stateChangeMax", "states", "--max-state-change", "percent", 20, "growth or loss of a state's rows"),
	limit("totalChangeMax", "total", "--max-total-change", "percent", 5, "growth or loss of all rows"),
	limit("nullRiseMax", "nulls", "--max-null-rise", "points", 10, "rise of a column's share of nulls"),
	limit(
		"vocabularyChangeMax",
		"vocabulary",
		"--max-vocabulary-change",
		"percent",
		1,
		"a state's rows with a status or type that is new or gone",
	),
	limit("matchFallMax", "matches", "--max-match-fall", "points", 5, "fall of the share of matched e-mails"),
	limit("duplicatesMax", "duplicates", "--max-duplicates", "percent", 20, "rows that repeat a license"),
	limit("oddDatesMax", "dates", "--max-odd-dates", "percent", 1, "a column's dates out of a sane range"),
	limit("churnMax", "churn", "--max-churn", "percent", 20, "a state's licenses that are new or gone"),
	limit(
		"changedMax",
		"changes",
		"--max-changed",
		"percent",
		40,
		"licenses of both months with one column changed",
	),
	limit(
		"otherRiseMax",
		"groups",
		"--max-other-rise",
		"points",
		5,
		"rise of the share of rows in group other",
	),
	limit("judgedRowsMin", null, "--min-judged-rows", "rows", 1000, "rows below which no share is judged"),
];

function limit(
	name: keyof GateLimits,
	gate: GateName | null,
	flag: string,
	unit: LimitFlag["unit"],
	standard: number,
	description: string,
): LimitFlag {
	return { limit: name, gate, flag, unit, default: standard, description };
}

/** The default limits. */
export const DEFAULT_LIMITS: GateLimits = Object.fromEntries(
	LIMIT_FLAGS.map((flag) => [flag.limit, flag.default]),
) as unknown as GateLimits;

/** Parses `--accept`. Returns the first name that is not a gate as `unknown`. */
export function parseAccepted(list: string): { accepted: ReadonlySet<GateName> } | { unknown: string } {
	const accepted = new Set<GateName>();
	for (const name of list.split(",").map((n) => n.trim())) {
		if (name === "all") for (const gate of GATES) accepted.add(gate);
		else if ((GATES as readonly string[]).includes(name)) accepted.add(name as GateName);
		else return { unknown: name };
	}
	return { accepted };
}
