/**
 * Reloads the months of one thread between requests: what takes long of it is done ahead, a slice at a time, while other
 * events are handled. Answers change in one step, as they do without, at a later poll. Threads poll at the same moments,
 * and change at one of them: the first before which all were ready.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Preparation } from "../../engine/index.js";
import type { Clock } from "../clock.js";
import { type Scheduler, WAITED_SHARE_MIN } from "../scheduler.js";
import { type OpenedPublications, type OtherThreads, POLL_NUMBERS } from "./opened-publications.js";

const POLL_INTERVAL_MS = 200;
/** How early a timer may fire. A poll that is late by less than the rest of the interval still has its own number. */
const EARLY_MS_MAX = POLL_INTERVAL_MS * WAITED_SHARE_MIN;
/** Minimum where there are other threads, since one of them may find it a poll later. */
const POLLS_AMONG_OTHERS = 2;

const NO_OTHERS: OtherThreads = { exist: false, areReadyAt: () => true, tell: () => undefined };

export interface ReloadingOptions {
	/** Does ahead what makes the next reload, and what follows it, long. */
	readonly prepare: () => Preparation;
	/** Maximum polls from finding something to prepare to reloading: where a busy thread needs longer, the reload does the rest at once. */
	readonly pollsMax: number;
	/** Follows each preparation, also one that fails. `wasPrepared`: whether there was something to prepare. */
	readonly reload: (wasPrepared: boolean) => void;
	readonly onFault: (error: unknown) => void;
	/** Whether the thread is to end. */
	readonly isOver: () => boolean;
	/** Which of the process's threads this is; null: it is alone. */
	readonly thread: { readonly publications: OpenedPublications; readonly thread: number } | null;
	readonly clock: Clock;
}

export class Reloading {
	private state: "polling" | "preparing" | "prepared" = "polling";
	/** Polls since the preparation began. */
	private polls = 0;
	private isAbandoned = false;
	private readonly others: OtherThreads;

	constructor(private readonly options: ReloadingOptions) {
		const { thread } = options;
		this.others = thread?.publications.othersThan(thread.thread) ?? NO_OTHERS;
	}

	/** Whether it prepares what a later poll is to reload. */
	get isPreparing(): boolean {
		return this.state === "preparing";
	}

	/** Polls until the returned function is called. */
	start(scheduler: Scheduler): () => void {
		return scheduler.everyAligned(POLL_INTERVAL_MS, () => this.poll());
	}

	/**
	 * Ends a preparation in progress, since months were reloaded meanwhile: what it was to prepare is served by now, or in
	 * quarantine, where its files may be damaged.
	 */
	abandon(): void {
		this.isAbandoned = true;
	}

	/** Prepares what was published if that is still to be done, otherwise reloads. */
	poll(): void {
		if (this.state === "polling") this.find();
		else if (this.isDue(++this.polls)) {
			if (this.state === "prepared") this.state = "polling";
			this.options.reload(true);
		}
	}

	private isDue(polls: number): boolean {
		const { others } = this;
		const { pollsMax } = this.options;
		if (polls >= pollsMax || this.state === "preparing") return polls === pollsMax;
		return !others.exist || (polls >= POLLS_AMONG_OTHERS && others.areReadyAt(this.pollNumber()));
	}

	private find(): void {
		const { prepare, reload, onFault } = this.options;
		const work = prepare();
		try {
			const { done, value } = work.next();
			if (done === true) reload(false);
			else void this.prepare(work, value);
		} catch (error) {
			onFault(error);
			reload(false);
		}
	}

	/** Does the rest of the work, which has yielded `wait`. */
	private async prepare(work: Preparation, wait: Promise<void> | undefined): Promise<void> {
		const { onFault, isOver, pollsMax } = this.options;
		this.state = "preparing";
		this.others.tell(null);
		this.polls = 0;
		this.isAbandoned = false;
		try {
			await wait;
			for (const next of work) {
				await next;
				await nextTurn();
				if (isOver() || this.isAbandoned || this.polls >= pollsMax) break;
			}
		} catch (error) {
			onFault(error);
		} finally {
			this.others.tell((this.pollNumber() + 1) % POLL_NUMBERS);
			this.state = this.polls >= pollsMax ? "polling" : "prepared";
		}
	}

	/** The number of the last poll, which is the same in all threads. */
	private pollNumber(): number {
		return Math.floor((this.options.clock.now() + EARLY_MS_MAX) / POLL_INTERVAL_MS) % POLL_NUMBERS;
	}
}
