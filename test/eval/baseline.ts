/** The outcomes that the repository promises, and which of new ones are worse. */

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Outcome, Sizes } from "./evaluation.js";

const FILE = fileURLToPath(new URL("../../../test/eval/baseline.json", import.meta.url));

/** The months that the baseline was taken over. */
export const BASELINE_MONTHS: Sizes = {
	rows: 6_000,
	seed: 7,
	months: ["2026-09", "2026-10", "2026-11"],
};

/** Tokens may grow by this: cursors and ids of another store are not the same text. */
const TOKENS_SLACK = 1.05;

export type Baseline = Readonly<Record<string, Pick<Outcome, "verdict" | "calls" | "tokens">>>;

export function readBaseline(): Baseline {
	return JSON.parse(readFileSync(FILE, "utf8"));
}

export function writeBaseline(outcomes: readonly Outcome[]): void {
	const entries = outcomes.map(({ name, verdict, calls, tokens }) => [name, { verdict, calls, tokens }]);
	writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(entries), null, "\t")}\n`);
}

const RANKS = { misled: 0, missing: 1, right: 2 } as const;

/** What is worse than in the baseline, a line each. */
export function worseThan(baseline: Baseline, outcomes: readonly Outcome[]): string[] {
	const names = new Set(outcomes.map(({ name }) => name));
	const gone = Object.keys(baseline).filter((name) => !names.has(name));
	return [
		...gone.map((name) => `${name}: the task is gone`),
		...outcomes.flatMap(({ name, verdict, calls, tokens, reason }) => {
			const before = baseline[name];
			if (before === undefined) return [`${name}: the baseline lacks it`];
			if (RANKS[verdict] < RANKS[before.verdict])
				return [`${name}: ${verdict}, was ${before.verdict}: ${reason}`];
			if (calls > before.calls) return [`${name}: ${calls} calls, was ${before.calls}`];
			if (tokens > before.tokens * TOKENS_SLACK) return [`${name}: ${tokens} tokens, was ${before.tokens}`];
			return [];
		}),
	];
}
