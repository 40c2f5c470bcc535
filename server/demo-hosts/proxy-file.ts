/** The HAProxy file of the demo: the shipped backend over the demo's hosts, behind one plain port. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SHIPPED = fileURLToPath(new URL("../../../deploy/haproxy-hosts.cfg", import.meta.url));

/** The address of the shipped files' first host. */
const EXAMPLE = "10.0.0.1:8080";

export interface HostPorts {
	readonly port: number;
	readonly adminPort: number;
}

/** The shipped file `text` for several hosts, with the addresses of `hosts` in place of its own. */
export function withHosts(text: string, hosts: readonly HostPorts[]): string {
	const lines = text.split("\n").flatMap((line) => {
		if (!/^\tserver /.test(line)) return [line];
		// The first host's lines are the examples of all.
		if (!line.includes(EXAMPLE)) return [];
		return hosts.map(({ port, adminPort }, i) =>
			line
				.replace(EXAMPLE, `127.0.0.1:${port}`)
				.replace("port 9100", `port ${adminPort}`)
				.replaceAll("host1", `host${i + 1}`),
		);
	});
	return lines.join("\n");
}

/** Text of a file that serves `hosts` at `port` of this machine. */
export function proxyFile(port: number, hosts: readonly HostPorts[]): string {
	return `defaults
	mode http
	timeout connect 2s
	timeout client 15s
	timeout server 15s
frontend rollcall
	bind 127.0.0.1:${port}
	default_backend rollcall_hosts
${withHosts(readFileSync(SHIPPED, "utf8"), hosts)}`;
}
