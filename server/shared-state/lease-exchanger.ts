/**
 * Runs the exchanges of this host's leases: immediately when a thread requests one, and at each tick those that
 * are due.
 */

import type { Key } from "../keys/key.js";
import type { LeaseAnswer, LeaseAsk } from "../limits/lease-line.js";
import type { LeaseWords } from "../limits/lease-words.js";
import { limitsOf } from "../limits/policy-header.js";
import type { EarlierCounts } from "./earlier-counts.js";
import type { Exchange, LeasedKey } from "./lease-exchange.js";
import { LEASE_SCRIPT } from "./lease-script.js";
import { LeaseTable } from "./lease-table.js";
import type { ScriptRunner } from "./script.js";

export interface LeaseExchangerOptions {
	readonly words: LeaseWords;
	readonly host: string;
	readonly run: string;
	readonly earlier: EarlierCounts;
	readonly runner: ScriptRunner & { readonly connected: boolean };
	/** Whether exchanges may be made over this connection. */
	readonly ready: () => boolean;
	/** The key whose counters are in a slot. */
	readonly keyOf: (slot: number) => Key | undefined;
	/** By the shared clock. */
	readonly nowMs: () => number;
	/** Called for every failed exchange. Returns whether waiting requests should wait for another exchange. */
	readonly onFailure: (error: unknown) => boolean;
}

export class LeaseExchanger {
	readonly table: LeaseTable;
	readonly #options: LeaseExchangerOptions;
	readonly #running = new Set<Promise<void>>();
	/** Exchanges begun, requests granted in all windows, and exchanges without a reply. */
	exchanges = 0;
	granted = 0;
	failures = 0;

	constructor(options: LeaseExchangerOptions) {
		this.#options = options;
		this.table = new LeaseTable(options);
	}

	/** Takes a request of a serving thread; `answer` is called once. */
	ask({ slot, need }: LeaseAsk, answer: (answer: LeaseAnswer) => void): void {
		const { words, keyOf, nowMs } = this.#options;
		const key = keyOf(slot);
		const reply = (outcome: LeaseAnswer["outcome"]) => answer({ kind: "leased", slot, need, outcome });
		if (key === undefined || !words.linked) {
			words.clearAsked(slot);
			// This thread has yet to learn of the key: the request asks again.
			reply(key === undefined ? "granted" : "lost");
			return;
		}
		this.table.ask(leasedKey(key), need, reply, nowMs());
		this.#exchange(slot);
	}

	/** Keys that earlier processes of this host counted in windows that are open. */
	earlierKeys(): LeasedKey[] {
		const { earlier, keyOf, nowMs } = this.#options;
		return earlier
			.slots(nowMs())
			.flatMap((slot) => keyOf(slot) ?? [])
			.map(leasedKey);
	}

	/** Begins the exchanges that are due. */
	exchangeDue(): void {
		for (const slot of this.table.due) this.#exchange(slot);
	}

	/** Resolves when no exchange is in progress. */
	async settled(): Promise<void> {
		while (this.#running.size > 0) await Promise.all(this.#running);
	}

	#exchange(slot: number): void {
		const { runner, ready, nowMs } = this.#options;
		if (!runner.connected || !ready()) return;
		const exchange = this.table.begin(slot, nowMs());
		if (exchange === null) return;
		const running = this.#run(exchange).finally(() => this.#running.delete(running));
		this.#running.add(running);
	}

	async #run(exchange: Exchange): Promise<void> {
		const { runner, nowMs, onFailure } = this.#options;
		this.exchanges++;
		try {
			const reply = await runner.run(LEASE_SCRIPT, exchange.keys, exchange.values);
			this.granted += this.table.finish(exchange, reply, nowMs());
		} catch (error) {
			this.failures++;
			this.table.fail(exchange, onFailure(error));
			return;
		}
		// Other requests may have arrived in the meantime.
		this.#exchange(exchange.slot);
	}
}

function leasedKey(key: Key): LeasedKey {
	return { id: key.id, slot: key.slot, limits: limitsOf(key.rate_limits) };
}
