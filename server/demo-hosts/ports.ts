/**
 * Ports of the demo of several hosts, from that of HAProxy, P: hosts serve at P + 1, P + 2 …, their admin ports are
 * P + 101 …, Redis is at P + {@link REDIS}, the object store at P + {@link STORE} and a few above.
 */

import type { HostPorts } from "./proxy-file.js";

/** Hosts that there are ports for. */
export const HOSTS_MAX = 99;
export const REDIS = 200;
export const STORE = 210;
/** The highest port that HAProxy can have. */
export const PORT_MAX = 65_535 - STORE - 10;

export function hostPorts(port: number, hosts: number): HostPorts[] {
	return Array.from({ length: hosts }, (_, i) => ({ port: port + 1 + i, adminPort: port + 101 + i }));
}
