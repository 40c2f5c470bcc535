/**
 * Limits over shared counters, for one thread or many.
 *
 * A request is first compared with every window, so that a refused one changes no counter. Then it is reserved
 * in each, the longest window first, and released if a later window has filled in the meantime. A reservation
 * that is held briefly and then released can only cause the refusal of a request that the same full window
 * would refuse anyway.
 *
 * If several windows are full, the longest determines the code and the wait: it will still be full when the
 * others have room.
 *
 * If several hosts share the limits, a request is first taken from this host's lease of every window
 * (lease-words.ts), and then counted here as on a single host.
 */

import type { HeaderBlock } from "../http/transport.js";
import type { Key } from "../keys/key.js";
import { type SharedCounters, windowWord } from "./counters.js";
import type { LeaseLine } from "./lease-line.js";
import { LimitHeaders } from "./limit-headers.js";
import type { Decision, Limits, Quota, WindowUse } from "./limits.js";
import { type Policy, policyOf } from "./policy-header.js";
import { largeRefusalMessage, neverMessage, refusalCode, refusalMessage } from "./refusal-messages.js";
import { ENDPOINT_CODES, type Endpoint } from "./usage-codes.js";
import { DAY, endOfWindow, isNearEnd, MINUTE, MONTH, Moment, startOfMonth, WINDOW_NAMES } from "./windows.js";

const LONGEST_FIRST = [MONTH, DAY, MINUTE] as const;
const WINDOW_WORDS = [windowWord(MINUTE), windowWord(DAY), windowWord(MONTH)] as const;
const NONE = -1;
/** Results of an attempt to take from the leases; others are the full window. */
const PENDING = -2;
const LOST = -3;

export class SharedLimits implements Limits {
	readonly #counters: SharedCounters;
	/** Null: keys are not shared. */
	readonly #leases: LeaseLine | null;
	readonly #moment = new Moment();
	/** By slot; recreated when the key or the month changes. */
	readonly #policies: (Policy | undefined)[] = [];
	readonly #headersOf: LimitHeaders[] = [];
	/** For the current request: requests counted in each window, and the tag of the window that contains them. */
	readonly #used = [0, 0, 0];
	/** What other hosts were granted of each window, of the request at hand. */
	readonly #elsewhere = [0, 0, 0];
	readonly #held = [0, 0, 0];
	/** Valid for the current second: whether each window is about to end, and the seconds until then as text. */
	#second = Number.NaN;
	readonly #nearEnd = [false, false, false];
	readonly #resetTexts = ["", "", ""];

	constructor(counters: SharedCounters, leases: LeaseLine | null = null) {
		this.#counters = counters;
		this.#leases = leases;
	}

	take(key: Key, endpoint: Endpoint, nowMs: number, requests = 1): Decision {
		const policy = this.#at(key, nowMs);
		const leases = this.#leases;
		if (leases === null) return this.#countHere(policy, endpoint, this.#reserve(policy, requests), requests);
		const outcome = this.#takeFromLeases(leases, policy, requests);
		let full: number;
		if (outcome === NONE) {
			this.#readElsewhere(leases, policy);
			full = this.#reserveEach(policy, requests);
		} else {
			const decision = this.#decideWithoutLease(leases, policy, outcome, requests);
			if (decision !== null) return decision;
			full = this.#reserve(policy, requests);
		}
		// Also what was counted without a lease: it is reported as used, so a refusal leaves it to be used.
		if (full !== NONE) this.#giveLeaseBack(leases, policy, requests);
		return this.#countHere(policy, endpoint, full, requests);
	}

	/** Counts what was reserved, or refuses it for the window `full`. */
	#countHere(policy: Policy, endpoint: Endpoint, full: number, requests: number): Decision {
		if (full !== NONE) return this.#refuse(policy, full, requests);
		const { slot } = policy.key;
		this.#counters.count(slot, ENDPOINT_CODES[endpoint], this.#moment.day, this.#second, requests);
		return { allowed: true, code: null, headers: this.#headers(policy) };
	}

	giveBack(key: Key, endpoint: Endpoint, nowMs: number, requests = 1): void {
		const policy = this.#at(key, nowMs);
		if (this.#leases !== null) this.#giveLeaseBack(this.#leases, policy, requests);
		for (const kind of LONGEST_FIRST) {
			this.#counters.release(key.slot, WINDOW_WORDS[kind], this.#moment.index(kind) + 1, requests);
		}
		this.#counters.count(key.slot, ENDPOINT_CODES[endpoint], this.#moment.day, this.#second, -requests);
	}

	check(key: Key, nowMs: number): Decision {
		const policy = this.#at(key, nowMs);
		const full = this.#lookAll(policy);
		if (full !== NONE) return this.#refuse(policy, full);
		return { allowed: true, code: null, headers: this.#headers(policy) };
	}

	peek(key: Key, nowMs: number): Decision {
		const policy = this.#at(key, nowMs);
		this.#lookAll(policy);
		return { allowed: true, code: null, headers: this.#headers(policy) };
	}

	quota(key: Key, nowMs: number): Quota | null {
		const limit = key.rate_limits.monthly_quota;
		if (limit === null) return null;
		this.#at(key, nowMs);
		const used = this.#look(key.slot, MONTH);
		const resetsAt = startOfMonth(this.#held[MONTH]);
		return { limit, used, resets_at: new Date(resetsAt).toISOString() };
	}

	windows(key: Key, nowMs: number): WindowUse[] {
		const { limits, limited } = this.#at(key, nowMs);
		return limited.map((kind) => ({
			window: WINDOW_NAMES[kind],
			limit: limits[kind],
			used: this.#look(key.slot, kind),
			resets_in_s: Number(this.#resetText(kind)),
		}));
	}

	/**
	 * The decision on a request that its leases had no room for, by `outcome` of {@link #takeFromLeases}. Null: it is
	 * to be counted on this host alone.
	 */
	#decideWithoutLease(leases: LeaseLine, policy: Policy, outcome: number, requests: number): Decision | null {
		const { slot } = policy.key;
		if (outcome === PENDING)
			return {
				allowed: false,
				code: "pending",
				settled: leases.wait(slot, requests),
				headers: this.#peek(policy),
			};
		if (outcome !== LOST) {
			this.#lookAll(policy);
			return this.#refuse(policy, outcome, requests);
		}
		if (leases.denyWhenLost && policy.limits[MONTH] !== Number.POSITIVE_INFINITY)
			return {
				allowed: false,
				code: "unavailable",
				message: LOST_MESSAGE,
				retryAfterS: LOST_RETRY_S,
				headers: `${this.#peek(policy)}\r\nRetry-After: ${LOST_RETRY_S}`,
			};
		for (const kind of policy.limited) {
			leases.words.overdraw(slot, kind, this.#moment.index(kind) + 1, requests);
		}
		return null;
	}

	/** Takes `requests` from the leases of all limited windows, or from none. Returns {@link NONE} if taken. */
	#takeFromLeases(leases: LeaseLine, policy: Policy, requests: number): number {
		const { words } = leases;
		const { slot } = policy.key;
		let ahead = false;
		for (let i = policy.limited.length - 1; i >= 0; i--) {
			const kind = policy.limited[i];
			const tag = this.#moment.index(kind) + 1;
			const left = words.take(slot, kind, tag, requests);
			if (left >= 0) {
				ahead ||= left < words.lowWater(slot, kind);
				continue;
			}
			for (let longer = i + 1; longer < policy.limited.length; longer++) {
				const taken = policy.limited[longer];
				words.giveBack(slot, taken, this.#moment.index(taken) + 1, requests);
			}
			return this.#outcomeWithoutLease(leases, policy, kind, requests);
		}
		if (ahead) leases.askAhead(slot);
		return NONE;
	}

	/** How to proceed with a window whose lease is used up. */
	#outcomeWithoutLease(leases: LeaseLine, policy: Policy, kind: number, requests: number): number {
		const { slot } = policy.key;
		for (let i = policy.limited.length - 1; i >= 0; i--) {
			const limited = policy.limited[i];
			if (leases.words.isFull(slot, limited, this.#moment.index(limited) + 1)) return limited;
		}
		if (leases.lost) return LOST;
		return leases.isShort(slot, requests) ? kind : PENDING;
	}

	#giveLeaseBack({ words }: LeaseLine, policy: Policy, requests: number): void {
		for (const kind of policy.limited) {
			words.giveBack(policy.key.slot, kind, this.#moment.index(kind) + 1, requests);
		}
	}

	#peek(policy: Policy): HeaderBlock {
		this.#lookAll(policy);
		return this.#headers(policy);
	}

	/** Sets the time and finds the key's policy. */
	#at(key: Key, givenMs: number): Policy {
		const nowMs = this.#leases === null ? givenMs : givenMs + this.#leases.words.clockOffsetMs;
		const moment = this.#moment;
		moment.set(nowMs);
		const second = Math.floor(nowMs / 1000);
		if (second !== this.#second) this.#tick(second);
		const known = this.#policies[key.slot];
		if (known !== undefined && known.key === key && known.month === moment.month) return known;
		const made = policyOf(key, moment.month);
		this.#policies[key.slot] = made;
		this.#headersOf[key.slot] = new LimitHeaders(made);
		return made;
	}

	#tick(second: number): void {
		this.#second = second;
		for (const kind of LONGEST_FIRST) {
			this.#nearEnd[kind] = isNearEnd(kind, this.#moment.index(kind), second * 1000);
			this.#resetTexts[kind] = String(endOfWindow(kind, this.#moment.index(kind)) / 1000 - second);
		}
	}

	#look(slot: number, kind: number): number {
		const tag = this.#moment.index(kind) + 1;
		const here = this.#counters.look(slot, WINDOW_WORDS[kind], tag, this.#nearEnd[kind]);
		const elsewhere = this.#leases === null ? 0 : this.#leases.words.elsewhere(slot, kind, tag);
		const used = here + elsewhere;
		this.#elsewhere[kind] = elsewhere;
		this.#used[kind] = used;
		this.#held[kind] = this.#counters.heldTag;
		return used;
	}

	/** Sets what other hosts were granted of every window. */
	#readElsewhere({ words }: LeaseLine, { key }: Policy): void {
		for (const kind of LONGEST_FIRST) {
			this.#elsewhere[kind] = words.elsewhere(key.slot, kind, this.#moment.index(kind) + 1);
		}
	}

	/** Checks every window. Returns the longest that is full, or {@link NONE}. */
	#lookAll(policy: Policy, requests = 1): number {
		let full = NONE;
		for (const kind of LONGEST_FIRST) {
			if (this.#look(policy.key.slot, kind) + requests > policy.limits[kind] && full === NONE) full = kind;
		}
		return full;
	}

	/** Reserves `requests` in every window. Returns the longest that was full, with none reserved, or {@link NONE}. */
	#reserve(policy: Policy, requests: number): number {
		const full = this.#lookAll(policy, requests);
		return full === NONE ? this.#reserveEach(policy, requests) : full;
	}

	/**
	 * As {@link #reserve}, without comparing with every window before: for a request that its leases had room for, which
	 * no window refuses unless its limit was lowered.
	 */
	#reserveEach(policy: Policy, requests: number): number {
		const { slot } = policy.key;
		for (const kind of LONGEST_FIRST) {
			const tag = this.#moment.index(kind) + 1;
			const nearEnd = this.#nearEnd[kind];
			const word = WINDOW_WORDS[kind];
			const used = this.#counters.reserve(slot, word, tag, nearEnd, policy.limits[kind], requests);
			this.#held[kind] = this.#counters.heldTag;
			if (used < 0) {
				for (let longer = MONTH; longer > kind; longer--) {
					this.#counters.release(slot, WINDOW_WORDS[longer], this.#held[longer], requests);
				}
				this.#lookAll(policy);
				return kind;
			}
			this.#used[kind] = used + this.#elsewhere[kind];
		}
		return NONE;
	}

	#refuse(policy: Policy, full: number, requests = 1): Decision {
		const wait = this.#resetText(full);
		// Every 429 has the header, also where waiting does not help (docs/API.md §5.3).
		const headers = `${this.#headers(policy)}\r\nRetry-After: ${wait}`;
		const limit = policy.limitTexts[full];
		const most = Math.min(...policy.limits);
		if (requests > most && requests > 1) {
			// The code is of the window that the message names, which may be another than the one that is full.
			const never = policy.limits.indexOf(most);
			const code = refusalCode(policy.key.tier, never);
			const message = neverMessage(never, most, requests);
			return { allowed: false, code, message, headers, retryAfterS: null, most };
		}
		const code = refusalCode(policy.key.tier, full);
		const left = Math.max(0, policy.limits[full] - this.#used[full]);
		const message =
			requests === 1
				? refusalMessage(full, limit, wait, this.#held[full])
				: largeRefusalMessage(full, policy.limits[full], left, requests, wait);
		return { allowed: false, code, message, headers, retryAfterS: Number(wait), most: null };
	}

	/** The binding window's headers, the draft's two fields, and the quota's. */
	#headers(policy: Policy): HeaderBlock {
		const headers = this.#headersOf[policy.key.slot];
		for (const kind of policy.limited) {
			if (this.#held[kind] === this.#moment.index(kind) + 1) continue;
			// Near a window's end another thread may have begun the next.
			const resets = [MINUTE, DAY, MONTH].map((window) => this.#resetText(window));
			return headers.block(this.#used, resets, Number.NaN);
		}
		return headers.block(this.#used, this.#resetTexts, this.#second);
	}

	/** Whole seconds to the end of the window with the counts of `kind`, at least 1. */
	#resetText(kind: number): string {
		if (this.#held[kind] === this.#moment.index(kind) + 1) return this.#resetTexts[kind];
		return String(endOfWindow(kind, this.#held[kind] - 1) / 1000 - this.#second);
	}
}

const LOST_MESSAGE = "The limits of this key cannot be checked at the moment; retry in a few seconds.";
const LOST_RETRY_S = 5;
