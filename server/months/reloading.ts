/**
 * Reloads the months of one thread between requests: what takes long of it is done ahead, a slice at a time, while other
 * events are handled. Answers change in one step, as they do without, at a look after that. Threads look at the same
 * moments, and change at one of them: the first at which all have been ready since before it.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Library } from "../../engine/index.js";
import type { Clock } from "../clock.js";
import type { Scheduler } from "../scheduler.js";
import { LOOKS, type OpenedPublications, type OtherThreads } from "./opened-publications.js";

const LOOK_INTERVAL_MS = 200;
/** A look is at most this early, and late by the rest of the interval: then it is taken for the one that it is. */
const EARLY_MS_MAX = LOOK_INTERVAL_MS / 4;
/** Looks after the one that found something to prepare until it is served, at most: under a load whose turns are long, the reload does the rest at once. */
const LOOKS_MAX = 3;
/** And at least, where there are other threads: one of them may have found it a look later. */
const LOOKS_AMONG_OTHERS = 2;

const NO_OTHERS: OtherThreads = { exist: false, areReadyAt: () => true, tell: () => undefined };

type Preparation = ReturnType<Library["prepareReload"]>;

export interface ReloadingOptions {
	readonly library: Pick<Library, "prepareReload">;
	/** Follows each preparation, also one that fails. */
	readonly reload: () => void;
	readonly onFault: (error: unknown) => void;
	/** Whether the thread is to end. */
	readonly isOver: () => boolean;
	/** Which of the process's threads this is; null: it is alone. */
	readonly thread: { readonly publications: OpenedPublications; readonly thread: number } | null;
	readonly clock: Clock;
}

export class Reloading {
	private state: "looking" | "preparing" | "prepared" = "looking";
	/** Looks since the preparation began. */
	private looks = 0;
	private readonly others: OtherThreads;

	constructor(private readonly options: ReloadingOptions) {
		const { thread } = options;
		this.others = thread?.publications.othersThan(thread.thread) ?? NO_OTHERS;
	}

	/** Whether it prepares what a later look is to reload. */
	get isPreparing(): boolean {
		return this.state === "preparing";
	}

	/** Looks now and then; returns what ends that. */
	start(scheduler: Scheduler): () => void {
		return scheduler.everyAligned(LOOK_INTERVAL_MS, () => this.look());
	}

	/** Looks for what was published: prepares it if that is still to be done, otherwise reloads. */
	look(): void {
		if (this.state === "looking") this.find();
		else if (this.isDue(++this.looks)) {
			if (this.state === "prepared") this.state = "looking";
			this.options.reload();
		}
	}

	private isDue(looks: number): boolean {
		if (looks >= LOOKS_MAX || this.state === "preparing") return looks === LOOKS_MAX;
		const { others } = this;
		return !others.exist || (looks >= LOOKS_AMONG_OTHERS && others.areReadyAt(this.lookNow()));
	}

	private find(): void {
		const { library, reload, onFault } = this.options;
		const work = library.prepareReload();
		try {
			const { done, value } = work.next();
			if (done === true) reload();
			else void this.prepare(work, value);
		} catch (error) {
			onFault(error);
			reload();
		}
	}

	/** Does the rest of the work, which has yielded `wait`. */
	private async prepare(work: Preparation, wait: Promise<void> | undefined): Promise<void> {
		const { onFault, isOver } = this.options;
		this.state = "preparing";
		this.others.tell(null);
		this.looks = 0;
		try {
			await wait;
			for (const next of work) {
				await next;
				await nextTurn();
				if (isOver() || this.looks >= LOOKS_MAX) break;
			}
		} catch (error) {
			onFault(error);
		} finally {
			this.others.tell((this.lookNow() + 1) % LOOKS);
			this.state = this.looks >= LOOKS_MAX ? "looking" : "prepared";
		}
	}

	/** The number of the last look, of whichever thread. */
	private lookNow(): number {
		return Math.floor((this.options.clock.now() + EARLY_MS_MAX) / LOOK_INTERVAL_MS) % LOOKS;
	}
}
