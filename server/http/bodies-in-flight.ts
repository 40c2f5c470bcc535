/**
 * Bounds request bodies that have begun and are not complete, by key, by client address and in bytes
 * for the thread: a client can announce a body and never send it, at no cost to itself.
 *
 * Bounds are by declared length, since that is what may arrive.
 */

import type { ClientAddresses } from "./client-address.js";
import { networkOf } from "./client-address.js";

/** Maximum incomplete bodies of one key, and of one address (IPv6: one /64). */
const PER_KEY_MAX = 64;
const PER_ADDRESS_MAX = 256;
/** Maximum declared bytes of all incomplete bodies of a thread. */
const BYTES_MAX = 64 * 1024 * 1024;

/** A place for one body. */
export interface BodyPlace {
	release(): void;
}

export class BodiesInFlight {
	private readonly byOwner = new Map<string, number>();
	private bytes = 0;

	constructor(private readonly addresses: ClientAddresses) {}

	/**
	 * Takes a place for a body of `declared` bytes of key `keyId` from `address`, a normal one. Returns
	 * why there is none, in words safe to send, if too many are incomplete. REQUIRES: each place is
	 * released once.
	 */
	take(keyId: string, address: string, declared: number): BodyPlace | string {
		const key = `key ${keyId}`;
		const network = this.addresses.standsForMany(address) ? null : `address ${networkOf(address)}`;
		if ((this.byOwner.get(key) ?? 0) >= PER_KEY_MAX) return tooMany("key", PER_KEY_MAX);
		if (network !== null && (this.byOwner.get(network) ?? 0) >= PER_ADDRESS_MAX)
			return tooMany("address", PER_ADDRESS_MAX);
		if (this.bytes + declared > BYTES_MAX) return "the service is receiving too many request bodies";
		const owners = network === null ? [key] : [key, network];
		for (const owner of owners) this.byOwner.set(owner, (this.byOwner.get(owner) ?? 0) + 1);
		this.bytes += declared;
		return { release: () => this.release(owners, declared) };
	}

	private release(owners: readonly string[], declared: number): void {
		this.bytes -= declared;
		for (const owner of owners) {
			const left = (this.byOwner.get(owner) ?? 0) - 1;
			if (left > 0) this.byOwner.set(owner, left);
			else this.byOwner.delete(owner);
		}
	}
}

function tooMany(owner: string, most: number): string {
	return `this ${owner} has ${most} requests whose bodies are incomplete, the most allowed; send their bodies first`;
}
