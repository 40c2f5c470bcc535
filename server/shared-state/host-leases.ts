/**
 * The leases of one process, created before the shared store is connected. Requests of its threads are passed
 * to the store once it is connected, and answered with "lost" before that.
 */

import type { Clock } from "../clock.js";
import {
	type LeaseAnswer,
	type LeaseAsk,
	LeaseLine,
	type UsageAnswer,
	type UsageAsk,
} from "../limits/lease-line.js";
import { LeaseWords } from "../limits/lease-words.js";
import { MAX_KEYS } from "../store/record-checks.js";

/** Answers the requests of threads; implemented by `SharedState`. */
export interface LeaseStore {
	ask(ask: LeaseAsk, answer: (answer: LeaseAnswer) => void): void;
	/** The shared clock, exactly, even if the machine's was set just now. */
	nowMs(): number;
	/** Resolves to whether usage could be read. */
	refreshUsage(keyId: string): Promise<void>;
}

export class HostLeases {
	readonly words = LeaseWords.allocate(MAX_KEYS);
	/** For the main thread, if it serves requests itself. */
	readonly line: LeaseLine;
	#store: LeaseStore | null = null;

	constructor(denyWhenLost: boolean) {
		this.line = new LeaseLine(this.words, denyWhenLost, (ask) =>
			this.ask(ask, (answer) => this.line.answered(answer)),
		);
	}

	/** The clock of the shared store as this host last read it; until then `machine`'s. */
	sharedClock(machine: Clock): Clock {
		return { now: () => this.#store?.nowMs() ?? machine.now() };
	}

	connect(store: LeaseStore): void {
		this.#store = store;
	}

	/** Replies to a thread's request, once. */
	readonly ask = (ask: LeaseAsk | UsageAsk, answer: (answer: LeaseAnswer | UsageAnswer) => void): void => {
		const store = this.#store;
		if (ask.kind === "lease") {
			if (store === null) answer({ kind: "leased", slot: ask.slot, need: ask.need, outcome: "lost" });
			else store.ask(ask, answer);
			return;
		}
		const read = () => answer({ kind: "usage read", keyId: ask.keyId });
		void (store?.refreshUsage(ask.keyId) ?? Promise.resolve()).then(read);
	};
}
