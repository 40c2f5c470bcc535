/** The steps of a query on one month, so that a test can change the plan between planning and executing it. */

import { joinRuns } from "../../../engine/columns/runs.js";
import { SnapshotColumns } from "../../../engine/columns/snapshot-columns.js";
import { orderPage } from "../../../engine/order/order-page.js";
import type { PlanningContext } from "../../../engine/plan/context.js";
import { isListed, type Plan, type PredicatePlan } from "../../../engine/plan/plan.js";
import { planQuery } from "../../../engine/plan/plan-query.js";
import { countingSlices } from "../../../engine/plan/state-orders.js";
import type { Query } from "../../../engine/query.js";
import { Scratch } from "../../../engine/scratch.js";
import { selectPage } from "../../../engine/select/select-page.js";
import type { TraceStep } from "../../../engine/trace.js";
import { columnNamed, SnapshotFiles } from "../../../formats/index.js";

export interface Executed {
	/** Rows of the page. */
	readonly rows: Uint32Array;
	readonly total: number;
	readonly steps: readonly TraceStep[];
}

export class EngineUnderTest {
	readonly columns: SnapshotColumns;
	readonly context: PlanningContext;
	private readonly scratch = new Scratch();

	constructor(folder: string) {
		const files = SnapshotFiles.open(folder);
		const { rows } = files.catalog;
		this.columns = new SnapshotColumns(files);
		const states = this.columns.states.withRows();
		this.context = { rows, states, runs: joinRuns(states.runs), columns: this.columns };
		this.scratch.fit(rows);
	}

	/** Counts statuses with types by blocks of the size that is set. */
	countPairs(): void {
		for (const _ of this.columns.pairCounts.prepare(this.columns));
	}

	plan(query: Query): Plan {
		return planQuery(query, this.context);
	}

	/** Executes a plan of `query`. The rows are a view that the next execution overwrites. */
	run(plan: Plan, { page, limit }: Query): Executed {
		const { scratch, columns } = this;
		scratch.trace.start();
		const selection = selectPage(plan, columns, scratch);
		const taken = orderPage(plan, selection, { offset: (page - 1) * limit, limit }, columns, scratch);
		return { rows: scratch.page.subarray(0, taken), total: selection.count, steps: scratch.trace.stop() };
	}
}

/**
 * The plans that select the same rows in every other way there is: each predicate's lists as the driver, each
 * column's codes scanned, bitmaps, whole runs, and counted by slices of orders.
 */
export function otherPlans(plan: Plan, context: PlanningContext): Plan[] {
	const { selection, predicates } = plan;
	if (selection === "empty" || selection === "names") return [];
	if (predicates.length === 0) return selection === "merge" ? [{ ...plan, selection: "runs" }] : [];
	const drivenBy = (driver: PredicatePlan) => [driver, ...predicates.filter((each) => each !== driver)];
	return [
		{ ...plan, selection: "bitmap" },
		...countedPlans(plan, context),
		...predicates
			.filter(isListed)
			.map((driver): Plan => ({ ...plan, selection: "list", predicates: drivenBy(driver) })),
		...predicates
			.filter(({ column }) => columnNamed(column).kind !== "string")
			.map((driver): Plan => ({ ...plan, selection: "scan", predicates: drivenBy(driver) })),
	];
}

/** The plan that counts rows and tests them in order, if the plan's form allows it. */
function countedPlans(plan: Plan, context: PlanningContext): Plan[] {
	const { predicates, order, state, states, runs, selection } = plan;
	const isByName = order.columns.length === 1 && order.scan.source === "rows" && order.order === "asc";
	const isByRow = order.columns.length === 0 || isByName;
	if (selection === "counted" || predicates.length !== 1 || !isByRow) return [];
	const parts = countingSlices(state === null ? states : [state], runs, predicates[0], context);
	return parts === null ? [] : [{ ...plan, selection: "counted", parts }];
}
