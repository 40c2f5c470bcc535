/**
 * Gates: what a month must not look like to be published. A gate that fails stops the publication
 * unless the operator accepts it by name, which the month's manifest then records.
 */

import type { ParsedMonth } from "../csv/parsed-month.js";

/** Names of the gates, as `--accept` takes them. Frozen: manifests hold them. */
export const GATES = ["rejects"] as const;

export type GateName = (typeof GATES)[number];

/** A gate that a month failed. */
export interface GateFailure {
	readonly gate: GateName;
	/** What was found and by how much it is over, in one line. */
	readonly finding: string;
}

/** Share of rejected rows above which a month is not published. */
const REJECT_SHARE_MAX = 0.01;

/** Gates that can be judged from the parsed rows alone. */
export function judgeParsed(parsed: ParsedMonth): GateFailure[] {
	const { rejects, rows } = parsed;
	const read = rows + rejects.rows;
	if (rejects.rows <= read * REJECT_SHARE_MAX) return [];
	const [worst] = rejects.reasons;
	const [sample] = worst.samples;
	const where = `${sample.file}, line ${sample.line}${sample.column === null ? "" : `, column ${sample.column}`}`;
	const percent = ((100 * rejects.rows) / read).toFixed(2);
	const finding =
		`${rejects.rows} of ${read} rows rejected (${percent} %, at most ${100 * REJECT_SHARE_MAX} %); ` +
		`most for ${worst.reason}, first at ${where}`;
	return [{ gate: "rejects", finding }];
}

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
