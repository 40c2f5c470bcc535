/** A plan as text for people: what `builder explain` prints. */

import { countRows } from "../columns/runs.js";
import type { Plan } from "./plan.js";

const WAYS: Record<Plan["selection"], string> = {
	empty: "nothing can match",
	runs: "the runs are the answer",
	slice: "the rows of the one predicate are the answer, in order",
	merge: "merge a stretch of each state's order",
	list: "list the rows of the first predicate, test the others row by row",
	scan: "read the codes of the runs' rows in order",
	bitmap: "intersect bitmaps over the runs",
};

/** The lines of `plan`, each ending in a newline. */
export function formatPlan(plan: Plan): string {
	const lines = [`select  ${plan.selection}: ${WAYS[plan.selection]}`];
	const runs = plan.runs.length === 1 ? "1 run" : `${plan.runs.length} runs`;
	const where = plan.state === null ? "" : ` of ${plan.state.state}`;
	lines.push(`  ${runs}${where}, ${countRows(plan.runs)} rows`);
	for (const predicate of plan.predicates) {
		const { source, from, to } = predicate.slice;
		const bitmap = predicate.bitmap === null ? "no bitmap" : `${predicate.bitmap} bitmap`;
		lines.push(
			`  ${predicate.filters.join(", ")}: ${predicate.column} codes [${predicate.low}, ${predicate.high}), ` +
				`${predicate.rows} rows at ${source} [${from}, ${to}), ${bitmap}`,
		);
	}
	const { columns, order, walk } = plan.order;
	const keys = columns.length === 0 ? "id" : `${columns.join(", ")}, id`;
	lines.push(`order   ${keys} ${order}, along ${walk.source} [${walk.from}, ${walk.to})`);
	return `${lines.join("\n")}\n`;
}
