/**
 * What the shared store of the simulation lost, and what may follow from it: a host that does not claim its grants
 * before others are granted them may still use them.
 */

import { RECOVERY_MS } from "../../server/shared-state/recovery.js";
import { CLOCK_ERROR_MS_MAX } from "./invariants.js";
import type { SimulatedStore } from "./shared-store.js";

export class Losses {
	/** Grants that were lost and not claimed yet, by window and host. */
	#lost = new Map<string, Map<string, number>>();
	/** Grants that were not claimed in time, by window. */
	readonly #unclaimed = new Map<string, number>();
	#lostMs = Number.NEGATIVE_INFINITY;

	constructor(private readonly store: SimulatedStore) {}

	/** The store is about to lose data. */
	begin(nowMs: number): void {
		this.#lostMs = nowMs;
		const before = this.#lost;
		this.#lost = new Map(
			[...this.store.windows].map(([name, { own }]) => [
				name,
				new Map([...own, ...(before.get(name) ?? [])]),
			]),
		);
		for (const [name, hosts] of before) if (!this.#lost.has(name)) this.#lost.set(name, hosts);
	}

	/** An exchange of `host` was executed. Returns whether it was granted something before all had time to claim. */
	exchanged(name: string, host: string, granted: number, nowMs: number): boolean {
		const lost = this.#lost.get(name);
		if (lost === undefined) return false;
		lost.delete(host);
		if (granted === 0) return false;
		this.#lost.delete(name);
		const own = this.store.windows.get(name)?.own;
		let unclaimed = 0;
		for (const [each, requests] of lost) unclaimed += Math.max(0, requests - (own?.get(each) ?? 0));
		this.#unclaimed.set(name, (this.#unclaimed.get(name) ?? 0) + unclaimed);
		return nowMs < this.#lostMs + RECOVERY_MS - CLOCK_ERROR_MS_MAX;
	}

	/** Whether hosts have time to claim. */
	isRecovering(nowMs: number): boolean {
		return nowMs < this.#lostMs + RECOVERY_MS;
	}

	/** Windows of which the store lost grants of `host`, which it has not claimed yet. */
	unclaimedBy(host: string): string[] {
		return [...this.#lost].filter(([, hosts]) => (hosts.get(host) ?? 0) > 0).map(([name]) => name);
	}

	/** How many requests of a window may pass beyond its limit. */
	unclaimed(name: string): number {
		return this.#unclaimed.get(name) ?? 0;
	}
}
