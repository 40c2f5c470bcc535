/**
 * Finds a uWebSockets.js binary for this machine and Node version. The only file that touches the package;
 * uws-transport.ts uses it through the types here.
 */

import type { TemplatedApp, us_listen_socket, us_socket } from "uWebSockets.js";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, us_socket } from "uWebSockets.js";

/** What the transport uses of the library. */
export interface UwsLibrary {
	App(): TemplatedApp;
	/** Undocumented settings; "silent" leaves out the header that names the library. */
	_cfg(setting: string): void;
	us_listen_socket_close(socket: us_listen_socket): void;
	us_socket_local_port(socket: us_socket): number;
}

/**
 * The library, or why there is none. The binary is loaded itself, not through the package's entry, which
 * would fall back to a JavaScript server that does not keep the contract.
 */
export function loadUws(): UwsLibrary | { readonly reason: string } {
	const require = createRequire(import.meta.url);
	const name = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
	try {
		const entry = dirname(require.resolve("uWebSockets.js"));
		const file = [join(entry, "..", "binaries", name), join(entry, name)].find((path) => existsSync(path));
		if (file === undefined) return { reason: `it has no binary ${name}` };
		return require(file) as UwsLibrary;
	} catch (error) {
		return { reason: (error as Error).message };
	}
}
