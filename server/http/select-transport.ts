/** Chooses the transport: uWebSockets.js where its binary fits this machine, node:http elsewhere. */

import { NodeTransport } from "./node-transport.js";
import type { Transport, TransportOptions } from "./transport.js";
import { loadUws, UwsTransport } from "./uws-transport.js";

export const TRANSPORT_CHOICES = ["auto", "uws", "node"] as const;
export type TransportChoice = (typeof TRANSPORT_CHOICES)[number];

/** `--transport uws` was asked for and cannot be had here. */
export class TransportUnavailableError extends Error {
	constructor(reason: string) {
		super(`uWebSockets.js does not run here: ${reason}`);
		this.name = "TransportUnavailableError";
	}
}

/**
 * What `choice` comes to on this machine. `auto` falls back to node:http and says so through `warn`.
 * Throws {@link TransportUnavailableError} where `uws` was asked for and has no binary here.
 */
export function resolveTransport(choice: TransportChoice, warn: (message: string) => void): "uws" | "node" {
	if (choice === "node") return "node";
	const uws = loadUws();
	if (!("reason" in uws)) return "uws";
	if (choice === "uws") throw new TransportUnavailableError(uws.reason);
	warn(
		`serving over node:http, at about a third of the rate: uWebSockets.js does not run here: ${uws.reason}`,
	);
	return "node";
}

/** The transport of `choice`, as {@link resolveTransport} tells it. */
export function createTransport(
	choice: TransportChoice,
	options: TransportOptions,
	warn: (message: string) => void,
): Transport {
	if (resolveTransport(choice, warn) === "node") return new NodeTransport(options);
	const uws = loadUws();
	if ("reason" in uws) throw new TransportUnavailableError(uws.reason);
	return new UwsTransport(uws, options);
}
