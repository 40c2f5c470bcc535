/**
 * How many connections a server accepts: in total, so that descriptors remain for files, and from one
 * address, so that one client cannot take them all.
 *
 * Proxies named in `--trusted-proxies` carry many clients and are not limited by address. While none is
 * named, neither are addresses of this machine, where an unnamed proxy may run.
 */

import { type ClientAddresses, networkOf, normalAddress } from "./client-address.js";
import { descriptorLimit, openDescriptors, reserveOf } from "./descriptors.js";

/** The number of open descriptors is read again after this. */
const COUNT_AGE_MS = 20;
/** Accepting resumes when this share of the limit is reached from above. */
const RESUME_SHARE = 0.95;

export interface ConnectionBounds {
	/** Connections of the process, all threads together; 0: as many as its descriptors allow. */
	readonly max: number;
	/** Connections of one address (IPv6: one /64); 0: any number. */
	readonly perAddressMax: number;
	readonly addresses: ClientAddresses;
}

export class ConnectionLimits {
	readonly perAddressMax: number;
	private readonly addresses: ClientAddresses;
	private readonly openMax: number;
	/** Open descriptors when last counted, and those this thread opened or closed since. */
	private open = 0;
	private countedMs = Number.NEGATIVE_INFINITY;
	private readonly byNetwork = new Map<string, number>();

	constructor({ max, perAddressMax, addresses }: ConnectionBounds) {
		this.perAddressMax = perAddressMax;
		this.addresses = addresses;
		const limit = descriptorLimit();
		const byDescriptors = limit === null ? Number.POSITIVE_INFINITY : limit - reserveOf(limit);
		// What is open before the first connection are files.
		const files = openDescriptors() ?? 0;
		this.openMax = Math.min(byDescriptors, max === 0 ? Number.POSITIVE_INFINITY : files + max);
	}

	/** Whether no further connection fits. Cost: a clock read, and every 20 ms a count of descriptors. */
	full(): boolean {
		this.count();
		return this.open >= this.openMax;
	}

	/** Whether a server that stopped accepting can resume. */
	roomy(): boolean {
		this.count();
		return this.open < this.openMax * RESUME_SHARE;
	}

	/** Descriptors open, as last counted. */
	get openDescriptors(): number {
		this.count();
		return this.open;
	}

	/** Counts a connection from `peer`. Returns false, and counts nothing, if its address has too many. */
	enter(peer: string): boolean {
		this.open++;
		const network = this.networkOf(peer);
		if (network === null) return true;
		const connections = this.byNetwork.get(network) ?? 0;
		if (connections >= this.perAddressMax) return false;
		this.byNetwork.set(network, connections + 1);
		return true;
	}

	/** Counts off a connection that {@link enter} accepted. */
	leave(peer: string): void {
		this.open--;
		const network = this.networkOf(peer);
		const connections = network === null ? undefined : this.byNetwork.get(network);
		if (network === null || connections === undefined) return;
		if (connections <= 1) this.byNetwork.delete(network);
		else this.byNetwork.set(network, connections - 1);
	}

	/** What a connection from `peer` counts for: its address, or its /64 in IPv6; null: it is not limited by address. */
	networkOf(peer: string): string | null {
		if (this.perAddressMax === 0) return null;
		const address = normalAddress(peer);
		return this.addresses.standsForMany(address) || address === "" ? null : networkOf(address);
	}

	/** Whether connections from `peer` may be those of many clients. */
	standsForMany(peer: string): boolean {
		return this.addresses.standsForMany(normalAddress(peer));
	}

	private count(): void {
		const nowMs = performance.now();
		if (nowMs - this.countedMs < COUNT_AGE_MS) return;
		this.countedMs = nowMs;
		this.open = openDescriptors() ?? this.open;
	}
}
