/** The URL of an address that a server listens on. */

import { isIPv6 } from "node:net";

/** `http://HOST:PORT`; an IPv6 address is in brackets. */
export function urlOfAddress(host: string, port: number): string {
	return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Whether `host` stands for all addresses of this machine, which no other machine can connect to by that name. */
export function isEveryAddress(host: string): boolean {
	return host === "0.0.0.0" || host === "::";
}
