/**
 * What this host was granted of every key's windows, and what to request next: the state machine behind the
 * words that serving threads take from. It does no input or output, and its clocks are passed in.
 *
 * ```
 * ask ─▶ begin ─▶ (an exchange, lease-script.ts) ─▶ finish │ fail
 *                 ▲ one at a time per key
 * sweep: leases that were not used for a while are taken back and returned by the next exchange
 * ```
 *
 * Invariants:
 * - A host claims the sum of the grants it knows of, less what it returned. A grant whose reply was lost is not
 *   included, so it is released.
 * - Exchanges are numbered; the number increases with every exchange begun, whatever its outcome.
 */

import type { LeaseOutcome } from "../limits/lease-line.js";
import { LEASE_MAX, type LeaseWords } from "../limits/lease-words.js";
import { endOfWindow, Moment } from "../limits/windows.js";
import type { EarlierCounts } from "./earlier-counts.js";
import {
	beganBefore,
	type Cell,
	type Exchange,
	KINDS,
	type Lease,
	type LeasedKey,
	layOut,
	readReply,
	type Waiter,
	type WindowPart,
} from "./lease-exchange.js";
import type { Reply } from "./script.js";

/** Milliseconds after which an unused lease is returned. */
export const IDLE_MS = 1_000;
/** Milliseconds before a window found full is requested again: other hosts may return part of it. */
const FULL_RETRY_MS = 500;
/** A lease that is requested again within this time, in milliseconds, grows by the factor {@link GROWTH}. */
const BUSY_MS = 1_000;
/** A lease that is requested again after this time, in milliseconds, shrinks to what is needed. */
const RARE_MS = 4_000;
const GROWTH = 4;
const WANT_MAX = LEASE_MAX >> 2;
/** Leases below this are not renewed early: their keys are rarely used, or near their limit. */
const AHEAD_MIN = 8;

export interface LeaseBookOptions {
	readonly words: LeaseWords;
	/** Persistent across restarts, unique among hosts. No spaces. */
	readonly host: string;
	/** Unique among the processes of the host. No spaces. */
	readonly run: string;
	/** Absent: there were no earlier processes. */
	readonly earlier?: Pick<EarlierCounts, "of">;
}

export class LeaseTable {
	readonly #words: LeaseWords;
	readonly #options: LeaseBookOptions;
	readonly #leases = new Map<number, Lease>();
	/** Slots that need an exchange. */
	readonly #due = new Set<number>();
	/** Slots with part of a lease left, or with a window known to be full. */
	readonly #active = new Set<number>();
	readonly #moment = new Moment();
	#seq = 0;
	/** Hosts with a recent heartbeat, including this one. */
	hosts = 1;
	#frozenBeforeMs = 0;
	#frozenUntilMs = 0;

	constructor(options: LeaseBookOptions) {
		this.#options = options;
		this.#words = options.words;
	}

	/** Slots to call {@link begin} for. */
	get due(): Iterable<number> {
		return this.#due;
	}

	/** Keys of which this host holds a lease or recently held one. */
	get size(): number {
		return this.#leases.size;
	}

	/** Requests room for `need` requests of `key`; 0: an early renewal. `answer` is called once. */
	ask(key: LeasedKey, need: number, answer: (outcome: LeaseOutcome) => void, nowMs: number): void {
		const lease = this.#leaseOf(key, nowMs);
		if (need === 0) lease.ahead = true;
		else lease.waiters.push({ need, answer });
		this.#due.add(key.slot);
	}

	/** The next exchange of a slot; null: none is due, or one is in progress. `nowMs` is of the shared clock. */
	begin(slot: number, nowMs: number): Exchange | null {
		const lease = this.#leases.get(slot);
		if (lease === undefined || lease.running !== null) return null;
		this.#due.delete(slot);
		if (this.#isFrozen(lease, nowMs)) {
			answerAll(lease.waiters.splice(0), "lost");
			lease.ahead = false;
		}
		const { waiters, ahead, dirty } = lease;
		if (waiters.length === 0 && !ahead && !dirty) return null;
		lease.waiters = [];
		lease.ahead = false;
		lease.dirty = false;
		const need = waiters.reduce((most, waiter) => Math.max(most, waiter.need), ahead ? 1 : 0);
		if (need > 0) this.#adapt(lease, nowMs);
		const parts = this.#parts(lease, need, nowMs);
		const { host, run } = this.#options;
		const asker = { host, run, seq: ++this.#seq, hosts: this.hosts, want: Math.max(need, lease.want) };
		const exchange: Exchange = { slot, parts, waiters, ...layOut(lease.key, asker, parts, nowMs) };
		lease.running = exchange;
		return exchange;
	}

	/** Applies the reply of an exchange. Returns how many requests were granted, in all windows. */
	finish(exchange: Exchange, reply: Reply, nowMs: number): number {
		const lease = this.#ended(exchange);
		if (lease === null) return 0;
		let sum = 0;
		const windows = readReply(reply);
		// The store has a newer exchange of this process, so that one's claim stands.
		if (windows === null) {
			this.#settle(lease, exchange, "lost");
			return 0;
		}
		let outcome: LeaseOutcome = "granted";
		for (const [i, part] of exchange.parts.entries()) {
			const { granted, total, own, held } = windows[i];
			const cell = this.#cell(lease, part.kind, part.tag, nowMs);
			cell.held = held;
			this.#words.setElsewhere(exchange.slot, part.kind, part.tag, total - own);
			sum += granted;
			if (granted > 0) {
				this.#words.setFull(exchange.slot, part.kind, 0);
				this.#words.grant(exchange.slot, part.kind, part.tag, granted);
				this.#words.setLowWater(exchange.slot, part.kind, granted >= AHEAD_MIN ? granted >> 1 : 0);
				cell.idleSinceMs = nowMs;
				cell.left = -1;
				continue;
			}
			const room = lease.key.limits[part.kind] - total;
			if (part.need === 0 || room >= part.need) continue;
			if (room <= 0) {
				this.#words.setFull(exchange.slot, part.kind, part.tag);
				cell.fullSinceMs = nowMs;
				outcome = "full";
			} else if (outcome === "granted") outcome = "short";
		}
		this.#settle(lease, exchange, outcome);
		return sum;
	}

	/** The exchange may or may not have been executed. With `again`, waiting requests wait for the next one. */
	fail(exchange: Exchange, again: boolean): void {
		const lease = this.#ended(exchange);
		if (lease === null) return;
		// What no claim includes must be reported again.
		for (const { kind, tag, overdraft } of exchange.parts)
			if (overdraft > 0) this.#words.overdraw(exchange.slot, kind, tag, overdraft);
		lease.dirty = true;
		this.#due.add(exchange.slot);
		if (again) lease.waiters.push(...exchange.waiters);
		else answerAll(exchange.waiters, "lost");
		this.#settle(lease, { slot: exchange.slot, waiters: [] }, "lost");
	}

	/**
	 * Finds leases to return (if `returning`), windows that ended, and windows to request again. Cost: about ten
	 * nanoseconds per key that holds a lease.
	 */
	sweep(nowMs: number, returning: boolean): void {
		for (const slot of this.#active) {
			const lease = this.#leases.get(slot);
			if (lease?.running != null) continue;
			let watched = false;
			if (lease !== undefined) {
				for (const kind of KINDS) watched = this.#sweepCell(lease, kind, nowMs, returning) || watched;
				if (lease.dirty) this.#due.add(slot);
			}
			if (!watched) this.#active.delete(slot);
		}
	}

	/** Removes keys whose windows have all ended. */
	prune(nowMs: number): void {
		for (const [slot, lease] of this.#leases) {
			const { running, waiters, dirty } = lease;
			if (this.#active.has(slot) || running !== null || waiters.length > 0 || dirty) continue;
			if (lease.cells.every(({ tag }, kind) => tag === 0 || endOfWindow(kind, tag) < nowMs))
				this.#leases.delete(slot);
		}
	}

	/** Takes back the rest of every lease, to be returned by the exchanges that are then due. */
	returnAll(): void {
		for (const [slot, lease] of this.#leases) {
			for (const kind of KINDS) if (this.#takeBack(lease, kind) > 0) lease.dirty = true;
			if (lease.dirty) this.#due.add(slot);
		}
	}

	/** Claims all grants again, and what earlier processes counted of `keys`: the shared store may have lost them. */
	claimAll(keys: Iterable<LeasedKey>, nowMs: number): void {
		for (const key of keys) this.#leaseOf(key, nowMs);
		for (const [slot, lease] of this.#leases) {
			lease.dirty = true;
			this.#due.add(slot);
		}
	}

	/** Suspends grants until `untilMs` in windows that began before `beforeMs`. By the shared clock. */
	freeze(beforeMs: number, untilMs: number): void {
		this.#frozenBeforeMs = Math.max(this.#frozenBeforeMs, beforeMs);
		this.#frozenUntilMs = Math.max(this.#frozenUntilMs, untilMs);
	}

	/** Answers all waiting requests: no lease will be granted. */
	abandon(): void {
		for (const lease of this.#leases.values()) answerAll(lease.waiters.splice(0), "lost");
	}

	#leaseOf(key: LeasedKey, nowMs: number): Lease {
		const known = this.#leases.get(key.slot);
		if (known !== undefined) {
			known.key = key;
			return known;
		}
		const made: Lease = {
			key,
			cells: KINDS.map(() => ({ tag: 0, held: null, left: 0, idleSinceMs: nowMs, fullSinceMs: 0 })),
			want: 1,
			grantedMs: Number.NEGATIVE_INFINITY,
			dirty: false,
			ahead: false,
			waiters: [],
			running: null,
		};
		this.#leases.set(key.slot, made);
		return made;
	}

	/** The cell of a window, reset if it belongs to an earlier window. */
	#cell(lease: Lease, kind: number, tag: number, nowMs: number): Cell {
		const cell = lease.cells[kind];
		if (cell.tag === tag) return cell;
		cell.tag = tag;
		cell.held = null;
		cell.left = 0;
		cell.idleSinceMs = nowMs;
		cell.fullSinceMs = 0;
		return cell;
	}

	#adapt(lease: Lease, nowMs: number): void {
		const sinceMs = nowMs - lease.grantedMs;
		if (sinceMs < BUSY_MS) lease.want = Math.min(WANT_MAX, lease.want * GROWTH);
		else if (sinceMs > RARE_MS) lease.want = 1;
		lease.grantedMs = nowMs;
	}

	#parts(lease: Lease, need: number, nowMs: number): WindowPart[] {
		this.#moment.set(nowMs);
		const { slot, limits } = lease.key;
		return KINDS.filter((kind) => limits[kind] !== Number.POSITIVE_INFINITY).map((kind) => {
			const tag = this.#moment.index(kind) + 1;
			const cell = this.#cell(lease, kind, tag, nowMs);
			const overdraft = this.#words.takeOverdraft(slot, kind, tag);
			const unreported = cell.held === null ? overdraft : 0;
			if (cell.held !== null) cell.held += overdraft;
			const left = this.#words.left(slot, kind, tag);
			const enough = left >= need && left > this.#words.lowWater(slot, kind);
			const earlier = this.#options.earlier?.of(slot, kind, tag) ?? 0;
			const claim = cell.held ?? -1;
			return { kind, tag, claim, overdraft: unreported, need: enough ? 0 : need, left, earlier };
		});
	}

	/** Whether grants are suspended: the shared store lost its data, and hosts have yet to claim their grants. */
	#isFrozen(lease: Lease, nowMs: number): boolean {
		return nowMs < this.#frozenUntilMs && beganBefore(lease.key, this.#frozenBeforeMs, nowMs);
	}

	#ended(exchange: Exchange): Lease | null {
		const lease = this.#leases.get(exchange.slot);
		if (lease === undefined || lease.running !== exchange) return null;
		lease.running = null;
		return lease;
	}

	#settle(lease: Lease, { slot, waiters }: Pick<Exchange, "slot" | "waiters">, outcome: LeaseOutcome): void {
		this.#words.clearAsked(slot);
		answerAll(waiters, outcome);
		if (lease.waiters.length > 0 || lease.ahead) this.#due.add(slot);
		this.#active.add(slot);
	}

	/** Whether a cell needs to be watched. */
	#sweepCell(lease: Lease, kind: number, nowMs: number, returning: boolean): boolean {
		const cell = lease.cells[kind];
		if (cell.tag === 0) return false;
		const { slot } = lease.key;
		if (endOfWindow(kind, cell.tag - 1) + IDLE_MS < nowMs) {
			this.#words.takeAll(slot, kind, cell.tag);
			this.#words.takeOverdraft(slot, kind, cell.tag);
			cell.tag = 0;
			cell.held = null;
			return false;
		}
		if (cell.fullSinceMs > 0 && nowMs - cell.fullSinceMs >= FULL_RETRY_MS) {
			cell.fullSinceMs = 0;
			this.#words.setFull(slot, kind, 0);
		}
		const left = this.#words.left(slot, kind, cell.tag);
		if (left !== cell.left) {
			cell.left = left;
			cell.idleSinceMs = nowMs;
		} else if (
			returning &&
			left > 0 &&
			nowMs - cell.idleSinceMs >= IDLE_MS &&
			this.#takeBack(lease, kind) > 0
		) {
			lease.dirty = true;
		}
		return cell.left > 0 || cell.fullSinceMs > 0;
	}

	#takeBack(lease: Lease, kind: number): number {
		const cell = lease.cells[kind];
		if (cell.held === null) return 0;
		const taken = this.#words.takeAll(lease.key.slot, kind, cell.tag);
		cell.held -= taken;
		cell.left = 0;
		return taken;
	}
}

function answerAll(waiters: readonly Waiter[], outcome: LeaseOutcome): void {
	for (const { answer } of waiters) answer(outcome);
}
