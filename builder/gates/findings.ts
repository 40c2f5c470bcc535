/** The text of a gate's findings, and how they compare shares with limits: the same for all gates. */

/** Maximum number of findings listed; the rest is counted. */
const FINDINGS_NAMED_MAX = 5;

/** The first findings, and how many more there are. REQUIRES: there is one. */
export function findingsText(findings: readonly string[]): string {
	const named = findings.slice(0, FINDINGS_NAMED_MAX).join(", ");
	const more = findings.length - FINDINGS_NAMED_MAX;
	return more > 0 ? `${named}, and ${more} more` : named;
}

/** Whether points exceed a limit by more than the rounding error of a difference of shares. */
export function exceeds(points: number, limit: number): boolean {
	return points > limit + 1e-9;
}
