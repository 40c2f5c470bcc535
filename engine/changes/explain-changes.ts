/** How a question for changes is answered, as plain data and as text: what `builder explain --changes` prints. */

import type { ChangeTotals, ColumnName } from "../../formats/index.js";
import { formatPlan } from "../plan/explain.js";
import type { Plan } from "../plan/plan.js";
import type { ChangeKind } from "./change-set.js";

/**
 * Where the changes are from: `stored` by the builder, `composed` of stored ones between the months on the
 * way, `compared` on demand, or `missing`, where the bounds rule that out.
 */
export type ChangesSource = "stored" | "composed" | "compared" | "missing";

export interface ChangesPlan {
	/** `YYYY-MM`. */
	readonly from: string;
	readonly to: string;
	readonly source: ChangesSource;
	/** Pairs of neighbouring months between the two. */
	readonly pairs: number;
	/** How the filters select rows, by the month that they read. */
	readonly selections: readonly {
		readonly month: string;
		readonly kinds: readonly ChangeKind[];
		readonly plan: Plan;
	}[];
	/** Tracked columns that make a license changed; null: any. */
	readonly fields: readonly ColumnName[] | null;
}

/** What answering did. Times in milliseconds. */
export interface ChangesAnalysis {
	readonly plan: ChangesPlan;
	readonly totals: ChangeTotals;
	readonly entries: number;
	readonly ms: { readonly find: number; readonly query: number };
}

const SOURCES: Record<ChangesSource, string> = {
	stored: "read from the file that the builder stored",
	composed: "composed of stored ones",
	compared: "no file of them is stored: the months are compared on demand",
	missing: "no file of them is stored, and the months are too large to compare on demand",
};

/** The lines of `plan`, each ending in a newline. */
export function formatChangesPlan({ from, to, source, pairs, selections, fields }: ChangesPlan): string {
	const steps = source === "composed" ? `, of ${pairs} pairs of months` : "";
	const lines = [`changes ${from} to ${to}: ${SOURCES[source]}${steps}`];
	for (const { month, kinds, plan } of selections) {
		const which = kinds.includes("changed") && fields !== null ? `, changed in ${fields.join(" or ")}` : "";
		lines.push(`rows of ${month}, intersected with the bitmaps of ${kinds.join(" and ")}${which}`);
		const selected = formatPlan(plan).split("\norder")[0];
		lines.push(...selected.split("\n").map((line) => `  ${line}`));
	}
	lines.push("order   new, changed, gone; within each by row");
	return `${lines.join("\n")}\n`;
}

/** The lines of an analysis, each ending in a newline. */
export function formatChangesAnalysis({ plan, totals, entries, ms }: ChangesAnalysis): string {
	const found = `found in ${ms.find.toFixed(3)} ms, answered in ${ms.query.toFixed(3)} ms`;
	const counts = `${totals.new} new, ${totals.changed} changed, ${totals.gone} gone`;
	return `${formatChangesPlan(plan)}${found}: ${entries} entries of ${counts}\n`;
}
