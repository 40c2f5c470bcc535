/**
 * Ports for programs that must be told one before they listen. They lie below the range from which the kernel
 * takes the local ports of outgoing connections, so that no connection of another test gets one in the meantime.
 */

import { readFileSync } from "node:fs";
import { claimPort } from "../server/http/claim-port.js";
import { ListenError } from "../server/http/transport.js";

/** Above 10,080, to which `fetch` refuses to connect. */
const FIRST = 10_081;
const ATTEMPTS_MAX = 100;
const RANGE_FILE = "/proc/sys/net/ipv4/ip_local_port_range";

/** The first of `count` ports in a row on which nothing listens now. */
export async function freePort(count = 1): Promise<number> {
	const [firstOutgoing] = readFileSync(RANGE_FILE, "utf8").trim().split(/\s+/).map(Number);
	for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
		const port = FIRST + Math.floor(Math.random() * (firstOutgoing - FIRST - count));
		const free = await Promise.all(Array.from({ length: count }, (_, i) => isFree(port + i)));
		if (free.every(Boolean)) return port;
	}
	throw new Error(`no ${count} free ports in a row between ${FIRST} and ${firstOutgoing}`);
}

async function isFree(port: number): Promise<boolean> {
	try {
		await claimPort("127.0.0.1", port);
		return true;
	} catch (error) {
		if (error instanceof ListenError) return false;
		throw error;
	}
}
