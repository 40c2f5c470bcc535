/**
 * Warm-up of a thread: when it has begun to serve, or a new month has become the newest, it answers requests to itself
 * (questions.ts) while no client asks. What clients ask then meets compiled code and mapped files: over 2.5 million rows a
 * thread's first 200 pages take ten times as long as those after 3,000 (docs/OPERATING.md, "Serving"). For as much time as
 * questions take, and after them until that is done, it precomputes what the first queries of some kinds need; in a thread that
 * is never idle, between requests. About a month that is to become the newest it does so ahead, between requests, too, and asks
 * what clients have asked last: what is made of a month once would hold its first clients.
 *
 * Invariants: of the month that is served, a question is asked only when no request has arrived since the last look; a request
 * waits for one question or slice at most, and the pieces of an answer under way for one each; nothing is counted, and no
 * answer is cached but the statistics of states.
 */

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Preparation, Snapshot } from "../../engine/index.js";
import type { Arrivals } from "../api/bulk/arrivals.js";
import type { AnsweredCall } from "../api/operation.js";
import type { RecentCalls } from "../api/recent-calls.js";
import type { Snapshots } from "../api/scope/history-entitlement.js";
import type { Log } from "../log.js";
import type { Asker } from "./asker.js";

/** Rows. A smaller month is answered fast without. */
const ROWS_MIN = 65_536;

/** How long nothing is asked after a request has arrived, in milliseconds: what a question is first to read may take 40. */
const REST_MS = 100;

/**
 * How long it may take, as a multiple of its own work: a thread that is never idle is warmed by its clients, but what is
 * precomputed would hold them.
 */
const PATIENCE = 10;

/** Pause between two slices of a precomputation among requests, in milliseconds: it takes a twentieth of the thread. */
const BUSY_REST_MS = 20;

/**
 * Milliseconds of steps before what clients have asked is answered ahead: the first steps make what the hints of most answers
 * need, and such an answer would make all of it in one slice.
 */
const LEAD_MS = 60;

/** How long a slice of what is done while clients ask is, in milliseconds, but for its last question or step. */
const SLICE_MS = 1;

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
	readonly recentCalls: Pick<RecentCalls<AnsweredCall>, "list">;
}

/** Waits of Node. A turn that does not keep the process alive would come only after another event. */
export const WAITS: Pick<WarmUpOptions, "turn" | "rest"> = {
	turn: () => nextTurn(),
	rest: (ms) => sleep(ms, undefined, { ref: false }),
};

/** What is done about one month: questions, and steps of the precomputation. */
class MonthWork {
	asked = 0;
	/** How long questions took, in milliseconds. */
	askingMs = 0;
	isComputed = false;
	/** How long steps took, in milliseconds. */
	computingMs = 0;

	constructor(
		private readonly precomputation: Generator<void, void>,
		private readonly now: () => number,
	) {}

	/** Does a step or asks the next question, of both for as long; steps alone without `ask`. Throws defects. */
	next(ask: ((number: number) => void) | null): void {
		const from = this.now();
		if (ask === null || (!this.isComputed && this.computingMs < this.askingMs)) {
			this.isComputed = this.precomputation.next().done === true;
			this.computingMs += this.now() - from;
		} else {
			ask(this.asked++);
			this.askingMs += this.now() - from;
		}
	}
}

export class WarmUp {
	/** Months that have been warmed up while they were the newest, or are. */
	private readonly months = new WeakSet<Snapshot>();
	private readonly works = new WeakMap<Snapshot, MonthWork>();

	constructor(
		private readonly thread: WarmedThread,
		private readonly asker: Asker,
		private readonly precomputationOf: (month: Snapshot) => Generator<void, void>,
		private readonly log: Pick<Log, "info" | "error">,
		private readonly options: WarmUpOptions,
	) {}

	/**
	 * Warms up a month that is to become the newest, in slices of {@link SLICE_MS}, for at most `mostMs` milliseconds: answers
	 * about it what clients have asked last, whose code is compiled, and which they are likely to ask again. {@link run} does
	 * what was left.
	 */
	*ahead(month: Snapshot, mostMs: number): Preparation {
		if (this.options.ms === 0 || month.rows < ROWS_MIN) return;
		const { now } = this.options;
		const work = this.workFor(month);
		const calls = this.thread.recentCalls.list();
		let asked = 0;
		const askNext = () => this.asker.again(month, calls[asked++]);
		const end = now() + mostMs;
		try {
			for (let begun = now(); begun < end && !(work.isComputed && asked === calls.length); ) {
				const isAskable = asked < calls.length && (work.isComputed || work.computingMs >= LEAD_MS);
				work.next(isAskable ? askNext : null);
				if (now() - begun < SLICE_MS) continue;
				yield;
				begun = now();
			}
		} catch (error) {
			this.failed(month, error);
		}
	}

	/** Asks about the newest month, unless it has done so. Resolves when that is over; logs how many questions, or a defect. */
	async run(): Promise<void> {
		const { latest } = this.thread.loaded;
		if (this.options.ms === 0 || latest === null || this.months.has(latest)) return;
		this.months.add(latest);
		if (latest.rows < ROWS_MIN) return;
		try {
			const questions = await this.ask(latest);
			// It may become the newest again, and goes on then.
			if (this.thread.loaded.latest !== latest) this.months.delete(latest);
			if (questions > 0) this.log.info({ month: latest.month, questions }, "warmed up");
		} catch (error) {
			this.failed(latest, error);
		}
	}

	/** Resolves to the number of questions asked, when the time is over or another month is newer. Rejects with defects. */
	private async ask(month: Snapshot): Promise<number> {
		const { loaded, arrivals } = this.thread;
		const { ms, now, isOver, turn, rest } = this.options;
		const begun = now();
		const work = this.workFor(month);
		const askNext = (number: number) => this.asker.about(month, number);
		for (
			// A thread that has been asked may be asked again before long: it rests first.
			let arrived = 0;
			(work.askingMs < ms || !work.isComputed) && now() - begun < PATIENCE * ms;
		) {
			await turn();
			if (isOver() || loaded.latest !== month) break;
			if (arrivals.count === arrived) {
				work.next(work.askingMs >= ms ? null : askNext);
				continue;
			}
			arrived = arrivals.count;
			await rest(REST_MS);
		}
		await this.computeAmongRequests(month, work);
		return work.asked;
	}

	/** Precomputes what is left in slices of {@link SLICE_MS}. Resolves when that is done, or another month is newer. */
	private async computeAmongRequests(month: Snapshot, work: MonthWork): Promise<void> {
		const { loaded } = this.thread;
		const { now, isOver, rest } = this.options;
		while (!work.isComputed && !isOver() && loaded.latest === month) {
			for (const begun = now(); !work.isComputed && now() - begun < SLICE_MS; ) work.next(null);
			if (!work.isComputed) await rest(BUSY_REST_MS);
		}
	}

	private workFor(month: Snapshot): MonthWork {
		const known = this.works.get(month);
		if (known !== undefined) return known;
		const work = new MonthWork(this.precomputationOf(month), this.options.now);
		this.works.set(month, work);
		return work;
	}

	/** Logs a defect. A month that cannot answer one request may answer others; verification finds damage. */
	private failed({ month }: Snapshot, error: unknown): void {
		this.log.error({ month, err: error }, "warming up failed");
	}
}
