/**
 * Block coverage of our code by V8's precise coverage, the signal that guides the fuzzer. V8 reports,
 * for each function that ran, the ranges that did not run; ranges that no input has run yet are the
 * intersection of all reports.
 */

import { type Profiler, Session } from "node:inspector";

type Stretch = readonly [start: number, end: number];

export class Coverage {
	private readonly session = new Session();
	/** By function: the ranges that no input has run yet. */
	private readonly missing = new Map<string, readonly Stretch[]>();
	private readonly watched = new Map<string, boolean>();

	/** Covers modules whose URL contains one of `parts`. */
	constructor(private readonly parts: readonly string[]) {
		this.session.connect();
		this.session.post("Profiler.enable");
		this.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
	}

	/** Whether anything ran since the last call that never ran before; with `keep`, it is recorded. */
	grew(keep: boolean): boolean {
		let grown = false;
		for (const { url, scriptId, functions } of this.take()) {
			if (!this.watches(url)) continue;
			for (const { ranges } of functions) if (this.isNew(scriptId, ranges, keep)) grown = true;
		}
		return grown;
	}

	close(): void {
		this.session.post("Profiler.stopPreciseCoverage");
		this.session.disconnect();
	}

	private watches(url: string): boolean {
		const known = this.watched.get(url);
		if (known !== undefined) return known;
		const watched = this.parts.some((part) => url.includes(part));
		this.watched.set(url, watched);
		return watched;
	}

	/** Whether more of a function ran than before, by its ranges, the first of which is the function. */
	private isNew(
		scriptId: string,
		[whole, ...inner]: readonly Profiler.CoverageRange[],
		keep: boolean,
	): boolean {
		if (whole.count === 0) return false;
		const name = `${scriptId}:${whole.startOffset}`;
		const known = this.missing.get(name);
		if (known?.length === 0) return false;
		const idle = inner.filter((range) => range.count === 0);
		const now = idle.map(({ startOffset, endOffset }): Stretch => [startOffset, endOffset]);
		const left = known === undefined ? now : common(known, now);
		if (keep) this.missing.set(name, left);
		return known === undefined || lengthOf(left) < lengthOf(known);
	}

	/** The inspector session of the current thread answers synchronously. */
	private take(): readonly Profiler.ScriptCoverage[] {
		let result: readonly Profiler.ScriptCoverage[] = [];
		this.session.post("Profiler.takePreciseCoverage", (error, taken) => {
			if (error !== null) throw error;
			result = taken.result;
		});
		return result;
	}
}

/** The intersection of two lists of ranges. */
function common(a: readonly Stretch[], b: readonly Stretch[]): Stretch[] {
	return a.flatMap(([start, end]) =>
		b
			.map(([from, to]): Stretch => [Math.max(start, from), Math.min(end, to)])
			.filter(([from, to]) => from < to),
	);
}

function lengthOf(stretches: readonly Stretch[]): number {
	return stretches.reduce((sum, [start, end]) => sum + end - start, 0);
}
