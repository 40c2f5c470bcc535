/** The steps of a query on one month, so that a test can change the plan between planning and executing it. */

import { joinRuns } from "../../../engine/columns/runs.js";
import { SnapshotColumns } from "../../../engine/columns/snapshot-columns.js";
import { orderPage } from "../../../engine/order/order-page.js";
import type { PlanningContext } from "../../../engine/plan/context.js";
import { isListed, type Plan, type PredicatePlan } from "../../../engine/plan/plan.js";
import { planQuery } from "../../../engine/plan/plan-query.js";
import type { Query } from "../../../engine/query.js";
import { Scratch } from "../../../engine/scratch.js";
import { selectRows } from "../../../engine/select/select-rows.js";
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
		const { rows, states: runs } = files.catalog;
		const states = runs.filter((state) => state.rows > 0);
		this.columns = new SnapshotColumns(files);
		this.context = { rows, states, runs: joinRuns(states), columns: this.columns };
		this.scratch.fit(rows);
	}

	plan(query: Query): Plan {
		return planQuery(query, this.context);
	}

	/** Executes a plan of `query`. The rows are a view that the next execution overwrites. */
	run(plan: Plan, { page, limit }: Query): Executed {
		const { scratch, columns } = this;
		scratch.trace.start();
		const selection = selectRows(plan, columns, scratch);
		const taken = orderPage(plan, selection, (page - 1) * limit, limit, columns, scratch);
		return { rows: scratch.page.subarray(0, taken), total: selection.count, steps: scratch.trace.stop() };
	}
}

/**
 * The plans that select the same rows in every other way there is: each predicate's lists as the driver, each
 * column's codes scanned, bitmaps, and whole runs.
 */
export function otherPlans(plan: Plan): Plan[] {
	const { selection, predicates } = plan;
	if (selection === "empty" || selection === "names") return [];
	if (predicates.length === 0) return selection === "merge" ? [{ ...plan, selection: "runs" }] : [];
	const drivenBy = (driver: PredicatePlan) => [driver, ...predicates.filter((each) => each !== driver)];
	return [
		{ ...plan, selection: "bitmap" },
		...predicates
			.filter(isListed)
			.map((driver): Plan => ({ ...plan, selection: "list", predicates: drivenBy(driver) })),
		...predicates
			.filter(({ column }) => columnNamed(column).kind !== "string")
			.map((driver): Plan => ({ ...plan, selection: "scan", predicates: drivenBy(driver) })),
	];
}
