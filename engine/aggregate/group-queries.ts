/**
 * The questions to a snapshot that group rows, and the two ways to answer them: at once, or in slices (sliced-work.ts)
 * where the pairs of two dimensions have to be numbered first.
 */

import { invariant, type StateRun } from "../../formats/index.js";
import type { PlanningContext } from "../plan/context.js";
import { queryOf } from "../plan/filter-queries.js";
import type { Plan } from "../plan/plan.js";
import { planQuery } from "../plan/plan-query.js";
import type { Filters, Geography } from "../query.js";
import type { Scratch } from "../scratch.js";
import { PendingWork } from "../sliced-work.js";
import {
	type Aggregate,
	type AggregateRequest,
	aggregateRows,
	type GroupingContext,
	groupSelection,
} from "./aggregate.js";
import {
	type ComparedGroups,
	type ComparedMonth,
	type ComparedRequest,
	compareGroups,
} from "./compared-groups.js";
import { Dimension } from "./dimensions.js";
import { LargeOffices } from "./large-offices.js";
import type { MergedGroupsCache } from "./merged-groups.js";
import { listOffices, type OfficesPage, type OfficesRequest } from "./offices.js";
import { pairNumbers, pairNumbersInSlices } from "./pair-numbers.js";
import { RankedOffices } from "./ranked-offices.js";
import { StateGroups } from "./state-groups.js";

export class GroupQueries {
	/** Numbers pairs of dimensions at once, or leaves that to slices. */
	private readonly whole: GroupingContext;
	private readonly sliced: GroupingContext;

	constructor(
		private readonly context: PlanningContext,
		states: readonly StateRun[],
		scratch: Scratch,
	) {
		const { columns } = context;
		const stateGroups = new StateGroups(states, columns);
		const rankedOffices = new RankedOffices(stateGroups, columns);
		const largeOffices = new LargeOffices(states, columns);
		const groups = { stateGroups, rankedOffices, largeOffices };
		this.whole = { states, columns, scratch, findPairs: pairNumbers, ...groups };
		this.sliced = { ...this.whole, findPairs: pairNumbersInSlices };
	}

	/**
	 * Precomputes the groups of states, the ranks of their offices and the largest offices, in steps of a fraction of a
	 * millisecond. Changes no answer.
	 */
	*prepare(): Generator<void, void> {
		const { stateGroups, rankedOffices, largeOffices } = this.whole;
		yield* stateGroups.prepare();
		yield* rankedOffices.prepare();
		yield* largeOffices.prepare(rankedOffices);
	}

	/** How many of the rows that filters and a grant leave each group has. Cost O(rows + groups). */
	aggregate(request: AggregateRequest, filters: Filters, geography: Geography | null): Aggregate {
		return atOnce(aggregateRows(request, this.planOf(filters, geography), this.whole));
	}

	/** {@link aggregate}, or the work after which it takes milliseconds and this returns its result. */
	aggregateInSlices(
		request: AggregateRequest,
		filters: Filters,
		geography: Geography | null,
	): Aggregate | PendingWork {
		return aggregateRows(request, this.planOf(filters, geography), this.sliced);
	}

	/**
	 * The offices of the rows that filters and a grant leave, of which filters only those on state, country,
	 * city and office count. Cost O(rows + offices), plus the rows of the offices on the page.
	 */
	offices(request: OfficesRequest, filters: Filters, geography: Geography | null): OfficesPage {
		return atOnce(listOffices(request, filters, this.planOf(filters, geography), this.whole));
	}

	/** {@link offices}, or the work after which it takes milliseconds and this returns its result. */
	officesInSlices(
		request: OfficesRequest,
		filters: Filters,
		geography: Geography | null,
	): OfficesPage | PendingWork {
		return listOffices(request, filters, this.planOf(filters, geography), this.sliced);
	}

	/**
	 * The groups of the rows that filters and a grant leave, compared with those of `older`, an older month of the same
	 * library; or the work after which it takes milliseconds. Cost O(rows + groups) of both months.
	 */
	comparedInSlices(
		older: GroupQueries,
		merges: MergedGroupsCache,
		request: ComparedRequest,
		filters: Filters,
		geography: Geography | null,
	): ComparedGroups | PendingWork {
		const before = older.comparedMonth(request, filters, geography);
		const now = this.comparedMonth(request, filters, geography);
		const merged = merges.find(
			[older.context.columns, this.context.columns],
			before.dimension,
			now.dimension,
		);
		return merged instanceof PendingWork ? merged : compareGroups(request, before, now, merged);
	}

	private comparedMonth(
		{ by }: ComparedRequest,
		filters: Filters,
		geography: Geography | null,
	): ComparedMonth {
		const dimension = new Dimension(by, this.context.columns);
		return {
			dimension,
			count: (taker) =>
				atOnce(groupSelection([dimension], this.planOf(filters, geography), taker, this.whole)),
		};
	}

	private planOf(filters: Filters, geography: Geography | null): Plan {
		return planQuery(queryOf(filters, geography), this.context);
	}
}

/** A result that nothing was left to do for. */
function atOnce<T>(found: T | PendingWork): T {
	invariant(!(found instanceof PendingWork), "pairs are numbered at once");
	return found;
}
