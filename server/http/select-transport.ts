/** Chooses the transport: uWebSockets.js if a binary fits this machine, node:net otherwise. */

import { canSharePort, NodeTransport } from "./node-transport.js";
import type { Transport, TransportOptions } from "./transport.js";
import { findUws, loadUws } from "./uws-library.js";
import { UwsTransport } from "./uws-transport.js";

export const TRANSPORT_CHOICES = ["auto", "uws", "node"] as const;
export type TransportChoice = (typeof TRANSPORT_CHOICES)[number];

/** `--transport uws` was given and the library does not run here. */
export class TransportUnavailableError extends Error {
	constructor(reason: string) {
		super(`uWebSockets.js does not run here: ${reason}`);
		this.name = "TransportUnavailableError";
	}
}

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

/** Threads that can serve one port over `transport`, of `workers` wanted. */
export function workersOf(transport: "uws" | "node", workers: number): number {
	return transport === "uws" || canSharePort() ? workers : 1;
}

/** The transport of `choice`, as {@link resolveTransport} reports it. `sharesPort`: other threads serve the same port. */
export function createTransport(
	choice: TransportChoice,
	options: TransportOptions,
	sharesPort: boolean,
	warn: (message: string) => void,
): Transport {
	if (resolveTransport(choice, warn).name === "node") return new NodeTransport(options, sharesPort);
	const uws = loadUws();
	if ("reason" in uws) throw new TransportUnavailableError(uws.reason);
	return new UwsTransport(uws, options);
}
