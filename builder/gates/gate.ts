/**
 * Gates: what a month must not look like to be published. A gate that fails stops the publication
 * unless the operator accepts it by name, which the month's manifest then records.
 */

/** Names of the gates, as `--accept` takes them. Frozen: manifests hold them. */
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
	"groups",
	"month",
] as const;

export type GateName = (typeof GATES)[number];

/** A gate that a month failed. */
export interface GateFailure {
	readonly gate: GateName;
	/** What was found and by how much it is over, in one line. */
	readonly finding: string;
}

/** How much each gate lets pass: percent, and percentage points where one says so. */
export interface GateLimits {
	/** Share of the rows read that may be rejected. */
	readonly rejectsMax: number;
	/** Share of last month's rows of a state by which it may grow or shrink. */
	readonly stateChangeMax: number;
	/** The same of all rows. */
	readonly totalChangeMax: number;
	/** Points by which a column's share of nulls may rise. */
	readonly nullRiseMax: number;
	/** Share of a state's rows that a status or type new or gone since last month may have. */
	readonly vocabularyChangeMax: number;
	/** Points by which the share of US rows with a matched e-mail address may fall. */
	readonly matchFallMax: number;
	/** Share of rows that may repeat an earlier row's state and license number. */
	readonly duplicatesMax: number;
	/** Share of a column's dates that may lie before 1900 or absurdly far ahead. */
	readonly oddDatesMax: number;
	/** Share of a state's licenses that may be new, and of those before that may be gone. */
	readonly churnMax: number;
	/** Points by which a state's share of rows whose group is `other` may rise. */
	readonly otherRiseMax: number;
	/** Rows below which a share says nothing: a month or state that has fewer is not judged by it. */
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

/** The limits where no flag says otherwise. */
export const DEFAULT_LIMITS: GateLimits = Object.fromEntries(
	LIMIT_FLAGS.map((flag) => [flag.limit, flag.default]),
) as unknown as GateLimits;

/** The gates that `--accept` names. Returns the first name that is no gate as `unknown`. */
export function parseAccepted(list: string): { accepted: ReadonlySet<GateName> } | { unknown: string } {
	const accepted = new Set<GateName>();
	for (const name of list.split(",").map((n) => n.trim())) {
		if (name === "all") for (const gate of GATES) accepted.add(gate);
		else if ((GATES as readonly string[]).includes(name)) accepted.add(name as GateName);
		else return { unknown: name };
	}
	return { accepted };
}
