/**
 * The leases of one process, made before the shared store is connected: what its threads ask is answered
 * by the store once there is one, and by "lost" before.
 */

import {
	type LeaseAnswer,
	type LeaseAsk,
	LeaseLine,
	type UsageAnswer,
	type UsageAsk,
} from "../limits/lease-line.js";
import { LeaseWords } from "../limits/lease-words.js";
import { MAX_KEYS } from "../store/store.js";

/** What answers; {@link SharedState} does. */
export interface LeaseStore {
	ask(ask: LeaseAsk, answer: (answer: LeaseAnswer) => void): void;
	/** Resolves whether usage could be read or not. */
	refreshUsage(keyId: string): Promise<void>;
}

export class HostLeases {
	readonly words = LeaseWords.allocate(MAX_KEYS);
	/** For the main thread, where it serves. */
	readonly line: LeaseLine;
	#store: LeaseStore | null = null;

	constructor(denyWhenLost: boolean) {
		this.line = new LeaseLine(this.words, denyWhenLost, (ask) =>
			this.ask(ask, (answer) => this.line.answered(answer)),
		);
	}

	connect(store: LeaseStore): void {
		this.#store = store;
	}

	/** Answers a thread that asks, once. */
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
