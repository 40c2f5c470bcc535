/** Measures a build's stages, counts their tasks, and reports progress. */

import type { CompileStage } from "../compile/compile-month.js";

export type BuildStage = "parse" | "enrich" | CompileStage | "check" | "judge" | "rows" | "publish";

export interface BuildProgress {
	readonly stage: BuildStage;
	/** Tasks of the stage, requested and done; 0 while parsing. */
	readonly tasks: number;
	readonly done: number;
	/** While parsing. */
	readonly bytes?: number;
	/** Null if a source's size is unknown. */
	readonly totalBytes?: number | null;
	readonly rows?: number;
}

export class BuildWatch {
	/** Duration in seconds of each completed stage. */
	readonly seconds: Record<string, number> = {};
	private current: BuildStage | null = null;
	private sinceMs = 0;
	private tasks = 0;
	private done = 0;

	constructor(private readonly onProgress?: (progress: BuildProgress) => void) {}

	/** Ends the current stage and begins the next. */
	begin(stage: BuildStage): void {
		this.end();
		this.current = stage;
		this.tasks = 0;
		this.done = 0;
		this.sinceMs = performance.now();
		this.tell({});
	}

	/** Reports progress within the stage. */
	tell(parsed: Pick<BuildProgress, "bytes" | "totalBytes" | "rows">): void {
		if (this.current === null) return;
		this.onProgress?.({ stage: this.current, tasks: this.tasks, done: this.done, ...parsed });
	}

	/** Counts a task as requested now and as done when it resolves. */
	async count<T>(task: Promise<T>): Promise<T> {
		const stage = this.current;
		this.tasks++;
		const result = await task;
		// A task may end in a later stage, which does not count it.
		if (this.current === stage) this.done++;
		this.tell({});
		return result;
	}

	/** Ends the current stage. */
	end(): void {
		if (this.current !== null) {
			const seconds = (performance.now() - this.sinceMs) / 1000;
			this.seconds[this.current] = (this.seconds[this.current] ?? 0) + seconds;
		}
		this.current = null;
	}
}
