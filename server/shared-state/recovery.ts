/**
 * What heartbeats say about the shared store's data, and how this host recovers from its loss. It does no input or
 * output.
 *
 * - An unknown epoch: the store is new, or lost everything. Hosts claim their grants and send all usage again.
 * - Another run of the server: it was restarted, or a replica took over, and it may lack the newest writes. Hosts claim
 *   their grants.
 * - In both cases windows that were open get no new grants for {@link RECOVERY_MS}, in which hosts claim.
 *
 * Invariant: nothing but heartbeats is sent over a connection before one was answered on it and its reply was applied,
 * since another store may answer there.
 */

import type { LeasedKey } from "./lease-exchange.js";
import type { LeaseTable } from "./lease-table.js";
import type { Beat } from "./script-calls.js";

/** How long hosts have to claim their grants after the shared store lost data, in milliseconds. */
export const RECOVERY_MS = 3_000;

/** Hosts know the shared clock to this precision, in milliseconds (shared-clock.ts). */
const CLOCK_ERROR_MS = 500;

/** What a heartbeat requires of this host before {@link Recovery.recovered}. */
export interface Loss {
	/** The epoch was unknown: all usage is to be sent again, and the epoch to be stored. */
	readonly newEpoch: boolean;
	/** The store lost everything that this host had given it. */
	readonly emptied: boolean;
	/** Another run of the server answers, which this process had not met when it started. */
	readonly tookOver: boolean;
	/** Whether grants are to be claimed. */
	readonly claims: boolean;
	/** Of the connection on which it was heard. */
	readonly connection: number;
}

export class Recovery {
	/** The server that answered the last heartbeat; null: none was answered. */
	#server: string | null = null;
	#connection = 0;
	#greeted = false;

	constructor(private readonly table: LeaseTable) {}

	/** Whether anything but heartbeats may be sent. */
	get greeted(): boolean {
		return this.#greeted;
	}

	/** The connection ended. */
	disconnected(): void {
		this.#connection++;
		this.#greeted = false;
	}

	/** A heartbeat was answered. `known` is the epoch that this host has stored; null: none. */
	heard(beat: Beat, known: string | null): Loss {
		const newEpoch = beat.epoch !== known;
		const newServer = beat.server !== this.#server;
		const first = this.#server === null;
		this.#server = beat.server;
		// An epoch that starts with r replaces one that a host knows; the process before may have met it just now.
		if ((newEpoch && known !== null) || beat.epoch.startsWith("r")) this.#freeze(beat.epochMs);
		const restarted = newServer && beat.server.startsWith("r");
		if (restarted) this.#freeze(beat.serverMs);
		const tookOver = restarted && !first;
		// The process before may have ended before its claims arrived; later ones would come too late.
		const starts = first && beat.nowMs < Math.max(beat.epochMs, beat.serverMs) + RECOVERY_MS;
		return {
			newEpoch,
			emptied: newEpoch && known !== null,
			tookOver,
			claims: newEpoch || tookOver || starts,
			connection: this.#connection,
		};
	}

	/** What {@link heard} required has been done. `keys` are those that earlier processes counted. */
	recovered({ claims, connection }: Loss, keys: () => Iterable<LeasedKey>, nowMs: number): void {
		if (claims) this.table.claimAll(keys(), nowMs);
		// Otherwise the connection ended meanwhile.
		if (connection === this.#connection) this.#greeted = true;
	}

	/** A host whose clock is ahead may have been granted some of a window that began after the loss by the store's clock. */
	#freeze(lostMs: number): void {
		this.table.freeze(lostMs + CLOCK_ERROR_MS, lostMs + RECOVERY_MS);
	}
}
