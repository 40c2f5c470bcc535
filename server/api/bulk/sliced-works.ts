/**
 * Work that answers wait for, done in this thread between the requests that it answers: a few milliseconds at a time,
 * then whatever else is waiting. Changes are opened and composed so, and pairs of dimensions numbered. Requests for
 * them are retried once the work is done.
 *
 * Bounds: each work is done once for all requests that wait for it, and ends when their clients have disconnected (over
 * node:http, when their connections are reset: a client that closes its side may wait for the answer). All works together
 * take {@link TURN_MS} a turn, or more where requests take long. Of those that take memory, {@link WORKS_MAX} are in
 * progress and {@link QUEUED_MAX} are queued, {@link KEY_QUEUED_MAX} of one key; others are refused.
 */

import { PendingWork } from "../../../engine/index.js";
import type { Clock } from "../../clock.js";
import { RequestPending } from "../../request-pending.js";
import { ApiError } from "../errors.js";

/** How long a thread works before it answers the requests that have arrived, in milliseconds, at least and at most. */
const TURN_MS = 2;
const TURN_MS_MAX = 10;
/**
 * Length of a turn as a share of the time that requests took since the turn before. Without it, one client whose requests take 50 ms
 * each would leave works 4 % of the thread: 0.3 s of work took half a minute.
 */
const TURN_SHARE = 1 / 3;
/** Works in progress that take memory: some tens of bytes per row each. */
export const WORKS_MAX = 2;
/** Works that wait for one of those to end. */
export const QUEUED_MAX = 16;
/** Of these, works that requests of one key began: without a limit one key has all others refused. */
export const KEY_QUEUED_MAX = QUEUED_MAX / 2;
/** How long after it a failure is returned to requests for the same work, in milliseconds. */
const FAILURE_KEPT_MS = 1_000;

/** Works end within a second or so. */
const RETRY_S = 1;
const BUSY_MESSAGE = "the answer is being prepared, or others are before it; retry in a second";

/** Finds results that may need work first. */
export interface Works {
	/**
	 * What `find` returns, unless that is work. Throws {@link RequestPending} while work is in progress, what it
	 * failed with, or `unavailable` where it would be one work too many, or one too many of the key `keyId`.
	 */
	result<T>(find: () => T | PendingWork, keyId: string): T;
}

interface Work extends PendingWork {
	/** Whose request began it. */
	readonly keyId: string;
	readonly settled: Promise<void>;
	readonly settle: () => void;
	/** By request that waits: whether its client has disconnected. */
	readonly waiting: (() => boolean)[];
}

interface Failure {
	readonly name: string;
	readonly error: unknown;
	readonly atMs: number;
}

/** {@link RequestPending} for work, which is to end if nobody waits for it. */
class WorkPending extends RequestPending {
	constructor(private readonly pending: Work) {
		super(pending.settled, BUSY_MESSAGE);
	}

	override settledFor(isGone: () => boolean): Promise<void> {
		this.pending.waiting.push(isGone);
		return this.settled;
	}
}

export class SlicedWorks implements Works {
	/** In the order of their turns. */
	private running: Work[] = [];
	private readonly queued: Work[] = [];
	private failure: Failure | null = null;
	private isScheduled = false;

	/** `clock`: of the failures, which happen in turns of their own. */
	constructor(private readonly clock: Clock) {}

	result<T>(find: () => T | PendingWork, keyId: string): T {
		const found = find();
		return found instanceof PendingWork ? this.take(found, keyId) : found;
	}

	/** Starts `pending`, unless work of its name is in progress or queued. Always throws, as {@link result}. */
	private take(pending: PendingWork, keyId: string): never {
		const { name, work, takesMemory } = pending;
		const { failure } = this;
		if (failure?.name === name && this.clock.now() - failure.atMs < FAILURE_KEPT_MS) throw failure.error;
		const isIt = (each: Work) => each.name === name;
		const known = this.running.find(isIt) ?? this.queued.find(isIt);
		if (known !== undefined) throw new WorkPending(known);
		const isLater = takesMemory && this.inMemory >= WORKS_MAX;
		if (isLater && this.isFullFor(keyId)) this.dropAbandoned();
		if (isLater && this.isFullFor(keyId)) throw new ApiError("unavailable", BUSY_MESSAGE, null, RETRY_S);
		const { promise: settled, resolve: settle } = deferred();
		const added: Work = { name, work, takesMemory, keyId, settled, settle, waiting: [] };
		(isLater ? this.queued : this.running).push(added);
		this.schedule();
		throw new WorkPending(added);
	}

	private isFullFor(keyId: string): boolean {
		const ofKey = this.queued.filter((each) => each.keyId === keyId);
		return this.queued.length >= QUEUED_MAX || ofKey.length >= KEY_QUEUED_MAX;
	}

	/** Removes queued works that nobody waits for. */
	private dropAbandoned(): void {
		for (const each of this.queued.filter(isAbandoned)) {
			this.queued.splice(this.queued.indexOf(each), 1);
			each.settle();
		}
	}

	/** Works in progress that take memory. */
	private get inMemory(): number {
		return this.running.filter(({ takesMemory }) => takesMemory).length;
	}

	/** Has a turn follow once the requests that have arrived are answered. */
	private schedule(): void {
		if (this.isScheduled || this.running.length === 0) return;
		this.isScheduled = true;
		const sinceMs = performance.now();
		setImmediate(() => {
			this.isScheduled = false;
			const nowMs = performance.now();
			const shareMs = (nowMs - sinceMs) * TURN_SHARE;
			this.turn(nowMs + Math.min(Math.max(shareMs, TURN_MS), TURN_MS_MAX));
			this.schedule();
		});
	}

	/** Does the first work until `endMs`, and puts it last. */
	private turn(endMs: number): void {
		const [current, ...others] = this.running;
		let isDone = isAbandoned(current);
		try {
			if (isDone) current.work.return(undefined);
			while (!isDone && performance.now() < endMs) isDone = current.work.next().done === true;
		} catch (error) {
			isDone = true;
			this.failure = { name: current.name, error, atMs: this.clock.now() };
		}
		this.running = isDone ? others : [...others, current];
		if (!isDone) return;
		while (this.queued.length > 0 && this.inMemory < WORKS_MAX)
			this.running.push(this.queued.shift() as Work);
		current.settle();
	}
}

/** Whether the clients of all requests that wait for a work have disconnected. */
function isAbandoned({ waiting }: Work): boolean {
	return waiting.length > 0 && waiting.every((isGone) => isGone());
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
	let resolve = () => {};
	const promise = new Promise<void>((settle) => {
		resolve = settle;
	});
	return { promise, resolve };
}
