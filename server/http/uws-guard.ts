/**
 * Bounds what uWebSockets.js does not: the number of its connections, and the memory that responses
 * without a body take on connections that are not read.
 *
 * The library reports neither connections nor their buffers, so both are derived from the kernel:
 * - While the process has too many descriptors open, the thread stops listening: the kernel refuses
 *   connections, and the library never meets the limit, at which it would spin in accept.
 * - An address with too many connections is found by a census of sockets, about once a second. Its
 *   requests are refused and their connections closed until the next census.
 * - A response with a body waits for its client (uws-transport.ts). One without is appended to the
 *   library's buffer, however much is there. After some thousand of them, a census finds the addresses
 *   with unread bytes, whose connections are closed on the next such response.
 */

import { networkOf, normalAddress } from "./client-address.js";
import type { ConnectionLimits } from "./connection-limits.js";
import { type AddressSockets, censusOf } from "./socket-census.js";

/** How often descriptors are counted: as many connections as arrive in between must fit into the reserve. */
const WATCH_INTERVAL_MS = 20;
const CENSUS_INTERVAL_MS = 1_000;
/** Responses without a body that are sent before a census: some hundred bytes each. */
const HEADS_PER_CENSUS = 2_000;
/** Bytes that an address which reads its responses may have on their way to it. */
const UNREAD_BYTES_MAX = 256 * 1024;

export interface GuardOptions {
	readonly limits: ConnectionLimits;
	/** Stops or resumes accepting connections. */
	readonly accept: (accepting: boolean) => void;
}

export class UwsGuard {
	private readonly options: GuardOptions;
	private readonly watch: NodeJS.Timeout;
	private accepting = true;
	private counting = false;
	private countedMs = 0;
	private heads = 0;
	/** Networks with too many connections, and those that do not read. */
	private crowded: ReadonlySet<string> = new Set();
	private unreading: ReadonlySet<string> = new Set();

	/** Guards the connections to `port`. */
	constructor(
		private readonly port: number,
		options: GuardOptions,
	) {
		this.options = options;
		this.watch = setInterval(() => this.look(), WATCH_INTERVAL_MS);
		this.watch.unref();
	}

	/** Whether any address has too many connections: only then is the address of a request worth reading. */
	get limitsAddresses(): boolean {
		return this.crowded.size > 0;
	}

	/** Whether the address has too many connections. */
	isCrowded(peer: string): boolean {
		const network = this.options.limits.networkOf(peer);
		return network !== null && this.crowded.has(network);
	}

	/** Counts a response without a body. Returns whether to ask {@link reads} before it is sent. */
	countHead(): boolean {
		this.heads++;
		if (this.heads % HEADS_PER_CENSUS === 0) this.census();
		return this.unreading.size > 0;
	}

	/** Whether the address reads its responses, as far as is known. */
	reads(peer: string): boolean {
		return !this.unreading.has(networkOf(normalAddress(peer)));
	}

	/** The port could not be opened again: the next look tries once more. */
	retry(): void {
		this.accepting = false;
	}

	close(): void {
		clearInterval(this.watch);
	}

	private look(): void {
		const { limits, accept } = this.options;
		const accepting = this.accepting ? !limits.full() : limits.roomy();
		if (accepting !== this.accepting) {
			this.accepting = accepting;
			accept(accepting);
		}
		const { perAddressMax } = limits;
		const due = performance.now() - this.countedMs >= CENSUS_INTERVAL_MS;
		const crowdable = perAddressMax > 0 && limits.openDescriptors >= perAddressMax;
		if (due && (crowdable || this.crowded.size + this.unreading.size > 0)) this.census();
	}

	private async census(): Promise<void> {
		if (this.counting) return;
		this.counting = true;
		const sockets = await censusOf(this.port);
		this.counting = false;
		this.countedMs = performance.now();
		this.crowded = this.crowdedOf(sockets);
		// A proxy reads for those of its clients that do not, and bounds what it holds for them.
		const unreading = sockets.filter(
			({ address, unreadBytesMax }) =>
				unreadBytesMax > UNREAD_BYTES_MAX && !this.options.limits.standsForMany(address),
		);
		this.unreading = new Set(unreading.map(({ address }) => networkOf(address)));
	}

	private crowdedOf(sockets: readonly AddressSockets[]): Set<string> {
		const { limits } = this.options;
		const counts = new Map<string, number>();
		for (const { address, connections } of sockets) {
			const network = limits.networkOf(address);
			if (network !== null) counts.set(network, (counts.get(network) ?? 0) + connections);
		}
		return new Set(
			[...counts].filter(([, count]) => count > limits.perAddressMax).map(([network]) => network),
		);
	}
}
