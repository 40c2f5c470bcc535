/** EXPLAIN ANALYZE: answers a query step by step and reports what each step did and how long it took. */

import { orderPage } from "./order/order-page.js";
import type { PlanningContext } from "./plan/context.js";
import type { Analysis } from "./plan/explain.js";
import { planQuery } from "./plan/plan-query.js";
import type { Query } from "./query.js";
import type { Scratch } from "./scratch.js";
import { selectPage } from "./select/select-page.js";
import type { TraceStep } from "./trace.js";

/** Answers `query` and reports how. Cost that of answering it. */
export function analyzeQuery(query: Query, context: PlanningContext, scratch: Scratch): Analysis {
	const { columns } = context;
	const { trace, work } = scratch;
	const before = work.elements;
	const started = performance.now();
	const plan = planQuery(query, context);
	const planned = performance.now();
	const selection = selectPage(plan, columns, scratch);
	const selectedElements = work.elements - before;
	const selected = performance.now();
	trace.start();
	let steps: readonly TraceStep[] = [];
	try {
		const offset = (query.page - 1) * query.limit;
		orderPage(plan, selection, { offset, limit: query.limit }, columns, scratch);
	} finally {
		steps = trace.stop();
	}
	const ordered = performance.now();
	return {
		plan,
		selection: { kind: selection.kind, rows: selection.count, elements: selectedElements },
		steps,
		ms: { plan: planned - started, select: selected - planned, order: ordered - selected },
	};
}
