/** How often each kind of selection and each way to a page was taken. */

import assert from "node:assert/strict";
import type { Plan } from "../../../engine/plan/plan.js";
import type { TraceStep } from "../../../engine/trace.js";

export class Ways {
	private readonly counts = new Map<string, number>();

	count(way: string): void {
		this.counts.set(way, (this.counts.get(way) ?? 0) + 1);
	}

	/** Counts what a plan selects with and what its page took, each once. */
	note(plan: Plan, steps: readonly TraceStep[]): void {
		const seen = new Set([`select ${plan.selection}`]);
		for (const { path, outcome } of steps) seen.add(outcome === "done" ? path : `${path}, ${outcome}`);
		if (steps.length > 0) seen.add(`index ${plan.order.scan.source}`);
		for (const { negated, terms } of plan.predicates) {
			if (negated) seen.add("complement");
			if (terms.length > 1) seen.add("union");
			for (const { slice, bitmap } of terms) {
				seen.add(`slice ${slice.source}`);
				if (plan.selection === "bitmap") seen.add(bitmap === null ? "bitmap row by row" : `bitmap ${bitmap}`);
			}
		}
		for (const way of seen) this.count(way);
	}

	/** Fails unless each of `expected` was taken at least `least` times. */
	check(expected: readonly string[], least: number): void {
		const rare = expected.filter((way) => (this.counts.get(way) ?? 0) < least);
		assert.deepEqual(rare, [], `each way is taken at least ${least} times: ${this}`);
	}

	/** Whether each of `expected` was taken at least `least` times. */
	have(expected: readonly string[], least: number): boolean {
		return expected.every((way) => (this.counts.get(way) ?? 0) >= least);
	}

	toString(): string {
		return [...this.counts]
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([way, times]) => `${way} ${times}`)
			.join(", ");
	}
}
