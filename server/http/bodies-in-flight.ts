/**
 * Bounds request bodies that have begun and are not complete, by key, by client address and in bytes
 * for the thread: a client can announce a body and never send it, at no cost to itself.
 *
 * Bounds are by declared length, since that is what may arrive. Keys and addresses are counted only while so
 * many bodies are incomplete that one of them could exceed its bound: most bodies arrive with their head, and
 * an address takes longer to format than such a request to answer.
 */

import type { ClientAddresses } from "./client-address.js";
import { networkOf } from "./client-address.js";

/** Maximum incomplete bodies of one key, and of one address (IPv6: one /64). */
const PER_KEY_MAX = 64;
const PER_ADDRESS_MAX = 256;
/** Maximum declared bytes of all incomplete bodies of a thread. */
const BYTES_MAX = 64 * 1024 * 1024;
/** Counting begins with this many bodies, and ends when half of them are left, so that it begins rarely. */
const COUNTED_MIN = Math.min(PER_KEY_MAX, PER_ADDRESS_MAX);

/** A place for one body. */
export class BodySlot {
	private found: readonly string[] | null = null;

	constructor(
		private readonly keyId: string,
		readonly declared: number,
		private readonly addressOf: () => string,
		private readonly addresses: ClientAddresses,
	) {}

	/** What the body is counted by: its key and, if it stands for one client, its address. */
	get owners(): readonly string[] {
		if (this.found !== null) return this.found;
		const address = this.addressOf();
		const key = `key ${this.keyId}`;
		this.found = this.addresses.standsForMany(address) ? [key] : [key, `address ${networkOf(address)}`];
		return this.found;
	}
}

export class BodiesInFlight {
	private readonly places = new Set<BodySlot>();
	/** Bodies by owner; null: there are fewer than any owner may have. */
	private byOwner: Map<string, number> | null = null;
	private bytes = 0;

	constructor(private readonly addresses: ClientAddresses) {}

	/**
	 * Takes a place for a body of `declared` bytes of key `keyId` from the client at `addressOf()`, a normal
	 * address. Returns why there is none, in words safe to send, if too many are incomplete. REQUIRES: each place
	 * is released.
	 */
	take(keyId: string, declared: number, addressOf: () => string): BodySlot | string {
		const place = new BodySlot(keyId, declared, addressOf, this.addresses);
		if (this.places.size >= COUNTED_MIN) {
			const counts = this.counted();
			const [key, network] = place.owners;
			if ((counts.get(key) ?? 0) >= PER_KEY_MAX) return tooMany("key", PER_KEY_MAX);
			if (network !== undefined && (counts.get(network) ?? 0) >= PER_ADDRESS_MAX)
				return tooMany("address", PER_ADDRESS_MAX);
		}
		if (this.bytes + declared > BYTES_MAX) return "the service is receiving too many request bodies";
		this.places.add(place);
		this.bytes += declared;
		if (this.byOwner !== null) countOwners(this.byOwner, place, 1);
		return place;
	}

	/** Gives a place back; false, and nothing is done, if it was given back before. */
	release(place: BodySlot): boolean {
		if (!this.places.delete(place)) return false;
		this.bytes -= place.declared;
		if (this.byOwner === null) return true;
		if (this.places.size <= COUNTED_MIN / 2) this.byOwner = null;
		else countOwners(this.byOwner, place, -1);
		return true;
	}

	private counted(): ReadonlyMap<string, number> {
		if (this.byOwner === null) {
			this.byOwner = new Map();
			for (const place of this.places) countOwners(this.byOwner, place, 1);
		}
		return this.byOwner;
	}
}

function countOwners(counts: Map<string, number>, { owners }: BodySlot, change: 1 | -1): void {
	for (const owner of owners) {
		const left = (counts.get(owner) ?? 0) + change;
		if (left > 0) counts.set(owner, left);
		else counts.delete(owner);
	}
}

function tooMany(owner: string, most: number): string {
	return `this ${owner} has ${most} requests whose bodies are incomplete, the most allowed; send their bodies first`;
}
