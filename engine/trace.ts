/**
 * The execution of a query, step by step: which access path each ordering step took, its estimated cost, how
 * much was read, and what was abandoned. Off except in `Snapshot.analyze`; then it costs a few small objects
 * per query.
 */

/** Access paths of an ordering step. */
export type AccessPath =
	/** Rows are already in sort order. */
	| "take in order"
	/** Rows that were counted by an order are tested in the order of rows, up to the page. */
	| "test in order"
	/** Rows that were counted by block are found in the page's blocks. */
	| "seek blocks"
	/** Rows that are counted along the order are found at the page's positions. */
	| "seek positions"
	/** Several states' orders are merged. */
	| "merge states"
	/** The index of a sort column is scanned from its beginning and tested against the bitmap. */
	| "index scan"
	/** Peers are counted one by one up to the page. */
	| "count peers"
	/** The rows between two stored cuts of the order are taken out of the bitmap. */
	| "seek cuts"
	/** The page is found in the orders of the few states that the rows are of. */
	| "seek states"
	/** Rows whose names match are counted by the cost of the match. */
	| "best match"
	/** All rows are listed and the page is selected by key. */
	| "top-N";

/** Estimated costs of the paths to a page, in nanoseconds; null if a path does not exist. */
export interface PathEstimates {
	readonly indexScan: number;
	readonly seekCuts: number | null;
	readonly topN: number;
	/** Positions of the index at which the page should begin and end. */
	readonly from: number;
	readonly to: number;
}

/** One step. Nested steps follow the step that they belong to. */
export interface TraceStep {
	readonly level: number;
	readonly path: AccessPath;
	/** The sort column, or `id`. */
	readonly column: string;
	/** Rows to be ordered. */
	readonly rows: number;
	/** Elements of codes, indexes and bitmaps read, including those of nested steps. */
	readonly elements: number;
	/** Given up: the page was farther away than estimated, and another path was taken. */
	readonly outcome: "done" | "given up";
	/** Estimates that the choice of this path was based on; null if there was no choice. */
	readonly estimates: PathEstimates | null;
}

/** A step in progress. */
export type OpenStep = { -readonly [K in keyof TraceStep]: TraceStep[K] };

/** Placeholder for a step while tracing is off. */
const UNTRACED: OpenStep = {
	level: 0,
	path: "take in order",
	column: "",
	rows: 0,
	elements: 0,
	outcome: "done",
	estimates: null,
};

export class Trace {
	private recorded: OpenStep[] | null = null;
	private level = 0;

	/** Records from here on. */
	start(): void {
		this.recorded = [];
		this.level = 0;
	}

	/** Stops recording; the steps since {@link start}. */
	stop(): readonly TraceStep[] {
		const steps = this.recorded ?? [];
		this.recorded = null;
		return steps;
	}

	/** Begins a step; `elements` is the number that the query has read so far. */
	begin(
		path: AccessPath,
		column: string,
		rows: number,
		elements: number,
		estimates: PathEstimates | null = null,
	): OpenStep {
		if (this.recorded === null) return UNTRACED;
		const step: OpenStep = {
			level: this.level,
			path,
			column,
			rows,
			elements: -elements,
			outcome: "done",
			estimates,
		};
		this.recorded.push(step);
		this.level++;
		return step;
	}

	/** Ends the innermost step. */
	end(step: OpenStep, elements: number, outcome: TraceStep["outcome"] = "done"): void {
		if (this.recorded === null) return;
		step.elements += elements;
		step.outcome = outcome;
		this.level--;
	}
}
