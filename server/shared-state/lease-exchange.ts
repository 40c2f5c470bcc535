/** Types of one exchange about a key's leases, and its layout as arguments and reply of the script. */

import type { LeaseOutcome } from "../limits/lease-line.js";
import { DAY, DAY_MS, endOfWindow, MINUTE, MINUTE_MS, MONTH, monthOf } from "../limits/windows.js";
import { leaseName } from "./names.js";
import type { Reply } from "./script.js";

export const KINDS = [MINUTE, DAY, MONTH] as const;

/** How long grants are kept after their window ends, in seconds. */
const KEPT_S = [120, 3_600, 86_400] as const;

/** The limits of a key by window; null: none. */
export interface LeasedKey {
	readonly id: string;
	readonly slot: number;
	/** By window; Infinity: none. */
	readonly limits: readonly number[];
}

/** What this host knows of one window of a key. */
export interface Cell {
	/** 0: none yet. */
	tag: number;
	/** What this process holds of the window; null: unknown. */
	held: number | null;
	/** What was left at the last sweep, and since when it has been unchanged. */
	left: number;
	idleSinceMs: number;
	fullSinceMs: number;
}

/** A request waiting for a lease. */
export interface Waiter {
	readonly need: number;
	readonly answer: (outcome: LeaseOutcome) => void;
}

/** One window of an exchange. */
export interface WindowPart {
	readonly kind: number;
	readonly tag: number;
	/** -1: none. */
	readonly claim: number;
	/** Requests counted without a lease, which a claim includes: 0 where there is one. */
	readonly overdraft: number;
	readonly need: number;
	/** What is left of the lease. */
	readonly left: number;
	/** What earlier processes of this host counted. */
	readonly earlier: number;
}

/** One exchange to be run. */
export interface Exchange {
	readonly slot: number;
	readonly keys: readonly string[];
	readonly values: readonly (string | number)[];
	readonly parts: readonly WindowPart[];
	readonly waiters: readonly Waiter[];
}

/** What this host knows of a key's leases, and what it has yet to exchange. */
export interface Lease {
	key: LeasedKey;
	readonly cells: readonly Cell[];
	want: number;
	grantedMs: number;
	/** There is something to return or to correct. */
	dirty: boolean;
	ahead: boolean;
	waiters: Waiter[];
	running: Exchange | null;
}

/** The requesting process, and how much it wants. */
export interface Asker {
	readonly host: string;
	readonly run: string;
	readonly seq: number;
	/** Hosts alive. */
	readonly hosts: number;
	readonly want: number;
}

/** An exchange in the layout of lease-script.ts. */
export function layOut(
	key: LeasedKey,
	{ host, run, seq, hosts, want }: Asker,
	parts: readonly WindowPart[],
	nowMs: number,
): Pick<Exchange, "keys" | "values"> {
	const values: (string | number)[] = [host, run, seq, Math.max(1, hosts)];
	for (const { kind, tag, claim, overdraft, need, left, earlier } of parts) {
		const seconds = Math.ceil((endOfWindow(kind, tag - 1) - nowMs) / 1_000) + KEPT_S[kind];
		values.push(key.limits[kind], claim, overdraft, need, want, left, earlier, seconds);
	}
	return { keys: parts.map(({ kind, tag }) => leaseName(key.id, kind, tag)), values };
}

/** One window of a reply. */
export interface WindowReply {
	readonly granted: number;
	readonly total: number;
	readonly own: number;
	readonly held: number;
}

/** The windows of a reply, in the order of the exchange; null: the exchange arrived late. */
export function readReply(reply: Reply): WindowReply[] | null {
	const [known, , ...numbers] = reply as readonly number[];
	if (known === 0) return null;
	return Array.from({ length: numbers.length / 4 }, (_, i) => {
		const [granted, total, own, held] = numbers.slice(i * 4, i * 4 + 4);
		return { granted, total, own, held };
	});
}

/** Whether a limited window that is open at `nowMs` began before `momentMs`. */
export function beganBefore({ limits }: LeasedKey, momentMs: number, nowMs: number): boolean {
	return KINDS.some((kind) => limits[kind] !== Number.POSITIVE_INFINITY && startOf(kind, nowMs) < momentMs);
}

/** Start of the window that contains `nowMs`. */
function startOf(kind: number, nowMs: number): number {
	if (kind === MONTH) return endOfWindow(kind, monthOf(nowMs) - 1);
	const lengthMs = kind === MINUTE ? MINUTE_MS : DAY_MS;
	return Math.floor(nowMs / lengthMs) * lengthMs;
}
