/** The transports that tests run over, and which of them run on this machine and Node version. */

import { test } from "node:test";
import { canSharePort } from "../../server/http/select-transport.js";
import { findUws, loadUws, useUws } from "../../server/http/uws-library.js";
import { foundOnce } from "../prebuilt.js";

export const TRANSPORTS = ["uws", "node"] as const;
export type TransportName = (typeof TRANSPORTS)[number];

// A binary is tried in a process of its own: once a run, not once a file. One that does not run is tried by all.
const binary = foundOnce("uws", () => {
	const found = findUws();
	return "file" in found ? found.file : null;
});
if (binary !== null) useUws(binary);

/** Why `transport` does not run here, for the `skip` of a test; false: it does. */
export function whyNotOver(transport: TransportName): string | false {
	const library = transport === "uws" ? loadUws() : {};
	return "reason" in library ? `uWebSockets.js does not run here: ${library.reason}` : false;
}

/** Why threads cannot share a port over `transport` here; false: they can. */
export function whyNotShared(transport: TransportName): string | false {
	if (transport === "uws") return whyNotOver(transport);
	return canSharePort() ? false : "threads share a port over node:net on Node 22.12 and later";
}

/** The fastest transport that runs here, for tests that need a server and not a certain transport. */
export const ANY_TRANSPORT: TransportName = whyNotOver("uws") === false ? "uws" : "node";

/** The transports that run here. Each that doesn't becomes one skipped test by the name of `what`. */
export function transportsHere(what: string): readonly TransportName[] {
	return TRANSPORTS.filter((transport) => {
		const reason = whyNotOver(transport);
		if (reason !== false) test(`${what}, over ${transport}`, { skip: reason });
		return reason === false;
	});
}
