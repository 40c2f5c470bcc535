/** The gate that needs only the parsed rows, judged before a month is compiled. */

import type { ParsedMonth } from "../csv/parsed-month.js";
import type { GateFailure, GateLimits } from "./gate.js";
import { worstReject } from "./reject-remedies.js";

/** Judges the share of rejected rows. */
export function judgeParsed(
	parsed: Pick<ParsedMonth, "rejects" | "rows">,
	{ rejectsMax }: GateLimits,
): GateFailure[] {
	const { rejects, rows } = parsed;
	const read = rows + rejects.rows;
	if (100 * rejects.rows <= read * rejectsMax) return [];
	const percent = ((100 * rejects.rows) / read).toFixed(2);
	const finding =
		`${rejects.rows} of ${read} rows rejected (${percent} %, at most ${rejectsMax} %); ` +
		`most for ${worstReject(rejects)}`;
	return [{ gate: "rejects", finding }];
}
