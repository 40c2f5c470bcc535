/**
 * Takes a page of rows that are counted but not found: tests the code of each row in the order of rows until the page
 * is full. States that end before the page are left out by their counts.
 */

import { type Codes, columnNamed, invariant, type Range } from "../../formats/index.js";
import { countRows, type Run } from "../columns/runs.js";
import { scanCodes } from "../kernels/codes.js";
import { onlyTerm, type Plan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { NEAR_BUDGET, NEAR_STEPS_MAX, PROBE_BLOCK } from "../tuning.js";
import type { PageRequest } from "./page-window.js";

/** Runs of which the number of matching rows is known. */
interface Counted {
	readonly runs: readonly Run[];
	readonly matches: number;
}

/** What rows are tested for, and how far. */
interface Test {
	readonly codes: Codes;
	readonly asked: Range;
	readonly descending: boolean;
	readonly limit: number;
	/** Matches before the page that are still to be passed. */
	skip: number;
	taken: number;
	/** Rows that may still be tested. */
	budget: number;
}

/**
 * Writes the page's rows of the `count` that a `counted` plan selects to
 * `scratch.page`; returns how many, or null where the page is much farther than a uniform distribution has it. Cost
 * O(rows up to the page), at most {@link NEAR_BUDGET} times what that distribution takes. Uses `scratch.list`.
 */
export function testInOrder(
	{ plan, offset, limit, columns, scratch }: PageRequest,
	count: number,
): number | null {
	const [predicate] = plan.predicates;
	const term = onlyTerm(predicate);
	invariant(term !== null, "what is counted is one term");
	const descending = plan.order.order === "desc";
	const test: Test = {
		codes: columns.codes.get(columnNamed(predicate.column)),
		asked: term.codes,
		descending,
		limit,
		skip: offset,
		taken: 0,
		budget: Math.max(NEAR_STEPS_MAX, NEAR_BUDGET * ((offset + limit) / count) * countRows(plan.runs)),
	};
	for (const { runs, matches } of inOrder(countedRuns(plan, count), descending)) {
		if (test.skip >= matches) {
			test.skip -= matches;
			continue;
		}
		for (const run of inOrder(runs, descending)) {
			testRun(run, test, scratch);
			if (test.taken === limit) return limit;
			if (test.budget <= 0) return null;
		}
	}
	return null;
}

/** Takes the matching rows of a run until the page is full or the budget is spent. */
function testRun(run: Run, test: Test, { list, page, work }: Scratch): void {
	const { codes, asked, descending, limit } = test;
	for (let passed = 0; passed < run.to - run.from && test.budget > 0; passed += PROBE_BLOCK) {
		const block = blockOf(run, passed, descending);
		const found = scanCodes(codes, block, asked, list, 0);
		work.add(PROBE_BLOCK);
		test.budget -= PROBE_BLOCK;
		let next = test.skip;
		while (next < found && test.taken < limit) {
			page[test.taken++] = list[descending ? found - 1 - next : next];
			next++;
		}
		if (test.taken === limit) return;
		test.skip = next - found;
	}
}

/** The runs of each state with its matches, or all runs where these are counted together. */
function countedRuns({ states, parts, runs }: Plan, count: number): readonly Counted[] {
	if (states.length !== parts.length) return [{ runs, matches: count }];
	return states.map(({ first, rows }, i) => ({
		runs: [{ from: first, to: first + rows }],
		matches: parts[i].to - parts[i].from,
	}));
}

function inOrder<T>(items: readonly T[], descending: boolean): readonly T[] {
	return descending && items.length > 1 ? [...items].reverse() : items;
}

/** The rows of a run after the `passed` first or, descending, last ones, at most a block of them. */
function blockOf({ from, to }: Range, passed: number, descending: boolean): Range {
	if (descending) return { from: Math.max(from, to - passed - PROBE_BLOCK), to: to - passed };
	return { from: from + passed, to: Math.min(to, from + passed + PROBE_BLOCK) };
}
