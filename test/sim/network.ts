/** Messages between the hosts of the simulation and the shared store, which arrive in any order, again, or not. */

import type { SimulatedHost } from "./simulated-host.js";

interface Message {
	readonly host: SimulatedHost;
	/** On which it was sent. */
	readonly connection: number;
	readonly toStore: boolean;
	/** Returns the reply; null: none. */
	arrive(): Message | null;
}

export class Network {
	#messages: Message[] = [];

	/** `nowMs`: the world's clock. */
	constructor(private readonly nowMs: () => number) {}

	get isEmpty(): boolean {
		return this.#messages.length === 0;
	}

	/** Sends a message. `arrive` is what its arrival at the store does, and returns what the reply's at the host does. */
	send(host: SimulatedHost, arrive: () => () => void): void {
		const { connection } = host;
		const reply = (take: () => void): Message => ({
			host,
			connection,
			toStore: false,
			arrive: () => {
				take();
				return null;
			},
		});
		this.#messages.push({ host, connection, toStore: true, arrive: () => reply(arrive()) });
	}

	/** Lets message `at` arrive, or, unless `once`, a copy of it. */
	deliver(at: number, once: boolean): void {
		if (this.isEmpty) return;
		const place = at % this.#messages.length;
		const { host, connection, toStore, arrive } = this.#messages[place];
		if (once) this.#messages.splice(place, 1);
		// What was sent before a connection ended may still arrive at the store; nobody takes the reply.
		const isLost = this.nowMs() < host.silentUntilMs || (!toStore && connection !== host.connection);
		const answer = isLost ? null : arrive();
		if (answer !== null) this.#messages.push(answer);
	}

	/** Loses message `at`. Returns whether there was one. */
	lose(at: number): boolean {
		return this.#messages.splice(at % Math.max(1, this.#messages.length), 1).length > 0;
	}

	/** All connections end with the store. */
	loseAll(): void {
		this.#messages = [];
	}
}
