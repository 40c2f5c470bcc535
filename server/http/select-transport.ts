/**
 * Chooses the transport: uWebSockets.js if a binary fits this machine, node:net otherwise. Loads neither, since
 * the main thread of several chooses and does not serve.
 */

import { type TransportChoice, TransportUnavailableError } from "./transport.js";
import { findUws } from "./uws-library.js";

/** What serves HTTP on this machine. */
export interface ResolvedTransport {
	readonly name: "uws" | "node";
	/** Path of the uWebSockets.js binary; null over node:net. */
	readonly uwsBinary: string | null;
}

/**
 * The transport that `choice` selects on this machine. `auto` falls back to node:net and reports it
 * through `warn`. Throws {@link TransportUnavailableError} if `uws` was given and has no binary here.
 */
export function resolveTransport(
	choice: TransportChoice,
	warn: (message: string) => void,
): ResolvedTransport {
	if (choice === "node") return { name: "node", uwsBinary: null };
	const uws = findUws();
	if (!("reason" in uws)) return { name: "uws", uwsBinary: uws.file };
	if (choice === "uws") throw new TransportUnavailableError(uws.reason);
	warn(
		`serving over node:net, at about three quarters of the rate: uWebSockets.js does not run here (${uws.reason}); docs/RUNTIMES.md says how to install it`,
	);
	return { name: "node", uwsBinary: null };
}

/** Whether threads of this Node can listen on one port over node:net: 22.12 and later, where the kernel has SO_REUSEPORT. */
export function canSharePort(): boolean {
	const [major, minor] = process.versions.node.split(".").map(Number);
	return process.platform === "linux" && (major > 22 || (major === 22 && minor >= 12));
}

/** Threads that can serve one port over `transport`, of `workers` wanted. */
export function workersOf(transport: "uws" | "node", workers: number): number {
	return transport === "uws" || canSharePort() ? workers : 1;
}
