/**
 * The client address of a request: the peer of its connection or, if that is a proxy the operator
 * trusts, the address that the proxy reports. `X-Forwarded-For` from any other peer is ignored, since
 * its sender can write anything there.
 */

import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Maximum addresses of the chain that are read, from the right: longer than any real chain of proxies. */
const CHAIN_LENGTH_MAX = 16;

const MAPPED_PREFIX = "0:0:0:0:0:ffff:";

export class ClientAddresses {
	private readonly trusted = new BlockList();
	private readonly none: boolean;

	/** `proxies` are addresses or networks as {@link isNetwork} accepts them. */
	constructor(proxies: readonly string[]) {
		this.none = proxies.length === 0;
		for (const proxy of proxies) {
			const [address, bits] = proxy.split("/");
			const family = isIPv4(address) ? "ipv4" : "ipv6";
			if (bits === undefined) this.trusted.addAddress(address, family);
			else this.trusted.addSubnet(address, Number(bits), family);
		}
	}

	/**
	 * The client behind `peer`: from the right of `forwardedFor`, the first address that is not a
	 * trusted proxy. An entry that is not an address stops the search at the proxy that wrote it.
	 * Cost: some microseconds.
	 */
	client(peer: string, forwardedFor: string | null): string {
		let client = normalAddress(peer);
		if (this.none || forwardedFor === null) return client;
		const chain = forwardedFor.split(",").slice(-CHAIN_LENGTH_MAX).reverse();
		for (const link of chain) {
			if (!this.isTrusted(client)) return client;
			const address = withoutPort(link.trim());
			if (!isIPv4(address) && !isIPv6(address)) return client;
			client = normalAddress(address);
		}
		return client;
	}

	/**
	 * Whether `address`, a normal one, may stand for many clients: a trusted proxy or, while none is
	 * named, this machine, where an unnamed proxy may run.
	 */
	standsForMany(address: string): boolean {
		return this.none ? isLoopback(address) : this.isTrusted(address);
	}

	private isTrusted(address: string): boolean {
		if (isIPv4(address)) return this.trusted.check(address, "ipv4");
		return isIPv6(address) && this.trusted.check(address, "ipv6");
	}
}

/** The address of an entry as proxies write it: bare, with a port, or an IPv6 address in brackets. */
function withoutPort(text: string): string {
	const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
	if (bracketed !== null) return bracketed[1];
	return /^[\d.]+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(":")) : text;
}

/** Whether `text` is an address or a network in CIDR notation: `10.0.0.0/8`, `fd00::/8`. */
export function isNetwork(text: string): boolean {
	const [address, bits, more] = text.split("/");
	if (more !== undefined || !(isIPv4(address) || isIPv6(address)) || address.includes("%")) return false;
	return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128));
}

/**
 * The canonical text of an address, whichever the transport writes: dotted IPv4, also if it is mapped
 * into IPv6, and all eight groups of IPv6. Other texts are returned unchanged.
 */
export function normalAddress(text: string): string {
	if (!isIPv6(text)) return text;
	const groups = ipv6Groups(text);
	const full = groups.map((group) => group.toString(16)).join(":");
	if (!full.startsWith(MAPPED_PREFIX)) return full;
	return groups
		.slice(6)
		.flatMap((group) => [group >> 8, group & 0xff])
		.join(".");
}

/** Whether `address`, a normal one, is a loopback address. */
export function isLoopback(address: string): boolean {
	return address.startsWith("127.") || address === "0:0:0:0:0:0:0:1";
}

/** What limits count by: the address itself or, in IPv6, the /64 that one client is given. */
export function networkOf(address: string): string {
	return address.includes(":") ? address.split(":", 4).join(":") : address;
}

function ipv6Groups(text: string): number[] {
	const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text.split("%", 1)[0]);
	const plain =
		dotted === null
			? text.split("%", 1)[0]
			: `${dotted[1]}${hexPair(dotted[2], dotted[3])}:${hexPair(dotted[4], dotted[5])}`;
	const [left, right] = plain.split("::").map((half) => (half === "" ? [] : half.split(":")));
	const gap = right === undefined ? 0 : 8 - left.length - right.length;
	return [...left, ...Array<string>(gap).fill("0"), ...(right ?? [])].map((group) =>
		Number.parseInt(group, 16),
	);
}

function hexPair(high: string, low: string): string {
	return ((Number(high) << 8) | Number(low)).toString(16);
}
