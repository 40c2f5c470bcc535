/**
 * What a client may ask without a valid key: its address is found, charged, and described in the
 * response's limit headers (docs/API.md §5.2).
 *
 * Loopback addresses are counted but never refused: behind a local proxy that is not in
 * `trusted_proxies`, all clients share one.
 */

import type { Clock } from "../clock.js";
import { type ClientAddresses, isLoopback, networkOf } from "../http/client-address.js";
import type { RequestHead } from "../http/request-head.js";
import type { HeaderBlock } from "../http/transport.js";
import type { AddressLimit } from "../limits/address-limit.js";

export interface ClientLimitsOptions {
	readonly addresses: ClientAddresses;
	/** Requests without a key. */
	readonly keyless: AddressLimit;
	/** Requests with an invalid key. */
	readonly failedKeys: AddressLimit;
	readonly clock: Clock;
}

export type ClientLimitName = "keyless" | "failedKeys";

export class ClientLimits {
	private readonly options: ClientLimitsOptions;

	constructor(options: ClientLimitsOptions) {
		this.options = options;
	}

	/** Address of the client behind the connection from `peer`. */
	addressOf(peer: string, forwardedFor: string | null): string {
		return this.options.addresses.client(peer, forwardedFor);
	}

	/** Counts a request from `peer`. Returns the seconds to wait if it exceeds the limit, else 0. */
	take(limit: ClientLimitName, peer: string, { forwardedFor }: RequestHead): number {
		const address = this.addressOf(peer, forwardedFor);
		const nowMs = this.options.clock.now();
		if (!isLoopback(address)) return this.options[limit].take(networkOf(address), nowMs);
		this.options[limit].count(address, nowMs);
		return 0;
	}

	/** Counts `more` requests for one from `peer` that was taken, whose answer takes as much as several. */
	charge(limit: ClientLimitName, peer: string, { forwardedFor }: RequestHead, more: number): void {
		const name = windowName(this.addressOf(peer, forwardedFor));
		this.options[limit].charge(name, this.options.clock.now(), more);
	}

	/** Seconds to wait if the limit of the client is used up, else 0. Counts nothing. */
	wait(limit: ClientLimitName, peer: string, { forwardedFor }: RequestHead): number {
		const address = this.addressOf(peer, forwardedFor);
		return isLoopback(address) ? 0 : this.options[limit].wait(networkOf(address), this.options.clock.now());
	}

	/** The headers that describe the window. Counts nothing. */
	headers(limit: ClientLimitName, peer: string, { forwardedFor }: RequestHead): HeaderBlock {
		const name = windowName(this.addressOf(peer, forwardedFor));
		return this.options[limit].headers(name, this.options.clock.now());
	}
}

/** What the window of `address` is counted by. */
function windowName(address: string): string {
	return isLoopback(address) ? address : networkOf(address);
}
