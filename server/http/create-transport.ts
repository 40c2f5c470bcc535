/** Makes the transport that select-transport.ts chose. */

import { NodeTransport } from "./node-transport.js";
import { resolveTransport } from "./select-transport.js";
import {
	type Transport,
	type TransportChoice,
	type TransportOptions,
	TransportUnavailableError,
} from "./transport.js";
import { loadUws } from "./uws-library.js";
import { UwsTransport } from "./uws-transport.js";

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
