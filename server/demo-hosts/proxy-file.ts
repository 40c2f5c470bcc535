/** The HAProxy file of the demo: the shipped backend over the demo's hosts, behind one plain port. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SHIPPED = fileURLToPath(new URL("../../../deploy/haproxy-hosts.cfg", import.meta.url));

export interface HostPorts {
	readonly port: number;
	readonly adminPort: number;
}

/** Text of a file that serves `hosts` at `port` of this machine. */
export function proxyFile(port: number, hosts: readonly HostPorts[]): string {
	const backend = readFileSync(SHIPPED, "utf8").replaceAll(/^\tserver .*\n/gm, "");
	const servers = hosts.map(
		(host, i) => `\tserver host${i + 1} 127.0.0.1:${host.port} check port ${host.adminPort}\n`,
	);
	return `defaults
	mode http
	timeout connect 2s
	timeout client 15s
	timeout server 15s
frontend rollcall
	bind 127.0.0.1:${port}
	default_backend rollcall_hosts
${backend}${servers.join("")}`;
}
