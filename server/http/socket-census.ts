/**
 * What the kernel knows of the connections to one port, by client address: uWebSockets.js reports
 * neither connections nor the bytes that it holds for them. Linux only.
 */

import { readFile } from "node:fs/promises";

/** Both tables of one network namespace: all its sockets, those of other programs included. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

const ESTABLISHED = "01";
const CLOSE_WAIT = "08";

/** The connections of one address. */
export interface AddressSockets {
	/** Canonical text, as normalAddress gives it. */
	readonly address: string;
	readonly connections: number;
	/** Bytes sent and not acknowledged on the connection that has most of them. */
	readonly unreadBytesMax: number;
}

interface Count {
	connections: number;
	unreadBytesMax: number;
}

/** The connections to `port`, by address; empty if the kernel does not tell. Cost: about 2 µs a socket of the machine. */
export async function censusOf(port: number): Promise<AddressSockets[]> {
	const byAddress = new Map<string, Count>();
	for (const table of TABLES) {
		let text: string;
		try {
			text = await readFile(table, "latin1");
		} catch {
			// Not Linux, or without IPv6.
			continue;
		}
		addTable(byAddress, text, port);
	}
	return [...byAddress].map(([hex, count]) => ({ address: addressOf(hex), ...count }));
}

function addTable(byAddress: Map<string, Count>, text: string, port: number): void {
	const portHex = port.toString(16).toUpperCase().padStart(4, "0");
	let at = text.indexOf("\n") + 1;
	while (at > 0 && at < text.length) {
		const end = text.indexOf("\n", at);
		addSocket(byAddress, text.slice(at, end < 0 ? text.length : end), portHex);
		at = end < 0 ? text.length : end + 1;
	}
}

/** A line `sl: local:port remote:port state tx:rx …`, all in hexadecimal. */
function addSocket(byAddress: Map<string, Count>, line: string, portHex: string): void {
	const [, local, remote, state, queues] = line.trim().split(/\s+/, 5);
	if (queues === undefined || !local.endsWith(`:${portHex}`)) return;
	if (state !== ESTABLISHED && state !== CLOSE_WAIT) return;
	const address = remote.slice(0, remote.indexOf(":"));
	const unread = Number.parseInt(queues, 16);
	const count = byAddress.get(address);
	if (count === undefined) {
		byAddress.set(address, { connections: 1, unreadBytesMax: unread });
		return;
	}
	count.connections++;
	count.unreadBytesMax = Math.max(count.unreadBytesMax, unread);
}

/** The address that the kernel writes as 32-bit words of this machine's byte order (little-endian). */
function addressOf(hex: string): string {
	const bytes = Buffer.from(hex, "hex");
	bytes.swap32();
	if (bytes.length === 4) return [...bytes].join(".");
	const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i));
	const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
	return mapped ? [...bytes.subarray(12)].join(".") : groups.map((group) => group.toString(16)).join(":");
}
