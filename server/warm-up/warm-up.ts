/**
 * Warm-up of a thread: when it has begun to serve, or a new month has become the newest, it answers requests to itself
 * (questions.ts) while no client asks. What clients ask then meets compiled code and mapped files: over 2.5 million rows a
 * thread's first 200 pages take ten times as long as those after 3,000 (docs/OPERATING.md, "Serving"). For as much time as
 * questions take, and after them until that is done, it precomputes what the first queries of some kinds need.
 *
 * Invariants: a question is asked, or a step computed, only when no request has arrived since the last look, so that a request
 * waits for one of them at most, and the pieces of an answer under way for one each; nothing is counted, and no answer is cached but the statistics of states.
 */

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Snapshot } from "../../engine/index.js";
import type { Arrivals } from "../api/bulk/arrivals.js";
import type { Snapshots } from "../api/scope/history-entitlement.js";
import type { Log } from "../log.js";
import type { Ask } from "./asker.js";

/** Rows. A smaller month is answered fast without. */
const ROWS_MIN = 65_536;

/** How long nothing is asked after a request has arrived, in milliseconds: what a question is first to read may take 40. */
const REST_MS = 100;

/** How long it may take, as a multiple of its own work: a thread that is never idle is warmed by its clients. */
const PATIENCE = 10;

export interface WarmUpOptions {
	/** Most milliseconds of questions about one month; 0: no warm-up. */
	readonly ms: number;
	/** Monotonic, in milliseconds. */
	readonly now: () => number;
	/** Whether the thread is to end. */
	readonly isOver: () => boolean;
	/** Resolves when other events have been handled. */
	readonly turn: () => Promise<void>;
	/** Resolves after some milliseconds. */
	readonly rest: (ms: number) => Promise<void>;
}

/** What a warm-up sees of its thread. */
export interface WarmedThread {
	readonly loaded: Pick<Snapshots, "latest">;
	readonly arrivals: Arrivals;
}

/** Waits of Node. A turn that does not keep the process alive would come only after another event. */
export const WAITS: Pick<WarmUpOptions, "turn" | "rest"> = {
	turn: () => nextTurn(),
	rest: (ms) => sleep(ms, undefined, { ref: false }),
};

export class WarmUp {
	/** Months that have been warmed up, or are. */
	private readonly months = new WeakSet<Snapshot>();

	constructor(
		private readonly thread: WarmedThread,
		private readonly askAbout: Ask,
		private readonly log: Pick<Log, "info" | "error">,
		private readonly options: WarmUpOptions,
	) {}

	/** Asks about the newest month, unless it has done so. Resolves when that is over; logs how many questions, or a defect. */
	async run(): Promise<void> {
		const { latest } = this.thread.loaded;
		if (this.options.ms === 0 || latest === null || this.months.has(latest)) return;
		this.months.add(latest);
		if (latest.rows < ROWS_MIN) return;
		try {
			const questions = await this.ask(latest);
			if (questions > 0) this.log.info({ month: latest.month, questions }, "warmed up");
		} catch (error) {
			// A month that cannot answer one request may answer others; verification finds damage.
			this.log.error({ month: latest.month, err: error }, "warming up failed");
		}
	}

	/** Resolves to the number of questions asked, when the time is over or another month is newer. Rejects with defects. */
	private async ask(month: Snapshot): Promise<number> {
		const { loaded, arrivals } = this.thread;
		const { ms, now, isOver, turn, rest } = this.options;
		const begun = now();
		const precomputation = month.precompute();
		let asked = 0;
		let asking = 0;
		let computing = 0;
		let isComputed = false;
		for (let arrived = arrivals.count; (asking < ms || !isComputed) && now() - begun < PATIENCE * ms; ) {
			await turn();
			if (isOver() || loaded.latest !== month) break;
			if (arrivals.count !== arrived) {
				arrived = arrivals.count;
				await rest(REST_MS);
				continue;
			}
			const from = now();
			if (!isComputed && (computing < asking || asking >= ms)) {
				isComputed = precomputation.next().done === true;
				computing += now() - from;
			} else {
				this.askAbout(month, asked);
				asked++;
				asking += now() - from;
			}
		}
		return asked;
	}
}
