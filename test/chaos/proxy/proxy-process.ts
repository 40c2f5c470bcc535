/**
 * nginx or HAProxy in a process of its own, with the configuration that is shipped: only the
 * addresses and the certificate are replaced, each where the file has it.
 */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { type HostPorts, withHosts } from "../../../server/demo-hosts/proxy-file.js";
import { makeCertificate } from "../../certificate.js";
import { freePort } from "../../free-port.js";

export const PROXIES = ["nginx", "haproxy"] as const;
export type ProxyName = (typeof PROXIES)[number];

const SHIPPED = { nginx: "nginx.conf", haproxy: "haproxy.cfg" } as const;
const SHIPPED_HOSTS = { nginx: "nginx-hosts.conf", haproxy: "haproxy-hosts.cfg" } as const;
/** Debian keeps servers where users have no path to. */
const FOLDERS = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
const START_MS_MAX = 5_000;
/** Tries to start on other ports. */
const STARTS_MAX = 5;

/** Path of an installed program; undefined if there is none. */
export function findProgram(name: string): string | undefined {
	return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Why the proxy cannot be run here; undefined if it can. */
export function whyNot(name: ProxyName): string | undefined {
	const missing = [name, "openssl"].find((program) => findProgram(program) === undefined);
	return missing === undefined ? undefined : `${missing} is not installed (apt-get install ${missing})`;
}

type Replacement = readonly [from: string, to: string];

/** What HAProxy can do as root alone, as Debian's unit starts it. */
const ROOT_ALONE: readonly Replacement[] = [
	["\tuser haproxy\n", ""],
	["\tgroup haproxy\n", ""],
	["\tchroot /var/lib/haproxy\n", ""],
];

/** Limits by client, raised for tests in which one address stands for many clients. */
const RAISED: Readonly<Record<ProxyName, readonly Replacement[]>> = {
	nginx: [
		["limit_conn rollcall_connections 100;", "limit_conn rollcall_connections 10000;"],
		["rate=200r/s;", "rate=1000000r/s;"],
		["burst=400 nodelay;", "burst=100000 nodelay;"],
	],
	haproxy: [
		["sc0_conn_cur gt 100 }", "sc0_conn_cur gt 10000 }"],
		["sc0_http_req_rate gt 2000 }", "sc0_http_req_rate gt 100000000 }"],
	],
};

/** Whether the limits by client are those of the shipped file, or raised. */
export type ProxyLimits = "shipped" | "raised";

function shipped(file: string): string {
	return readFileSync(fileURLToPath(new URL(`../../../../deploy/${file}`, import.meta.url)), "utf8");
}

/** The shipped file with `replacements` made, each of which must match exactly once. */
function adapted(name: ProxyName, replacements: readonly Replacement[]): string {
	let text = shipped(SHIPPED[name]);
	for (const [from, to] of replacements) {
		assert.equal(text.split(from).length, 2, `${SHIPPED[name]} has "${from}" once`);
		text = text.replace(from, () => to);
	}
	return text;
}

function makeChain(folder: string): void {
	const { key, cert } = makeCertificate(folder);
	const chain = [cert, key].map((path) => readFileSync(path, "utf8")).join("");
	writeFileSync(join(folder, "rollcall.pem"), chain);
}

/** What a proxy is in front of: one server's port, or hosts, by the shipped file for several. */
export type Upstream = number | readonly HostPorts[];

interface Ports {
	readonly tls: number;
	readonly plain: number;
	readonly upstream: Upstream;
}

/** The shipped file for several hosts, with the addresses of these in place of its own. */
function hostsFile(name: ProxyName, hosts: readonly HostPorts[]): string {
	return withHosts(shipped(SHIPPED_HOSTS[name]), hosts);
}

/** Where nginx writes warnings and errors. */
const errorLog = (folder: string) => join(folder, "error.log");

function nginxArguments(
	folder: string,
	{ tls, plain, upstream }: Ports,
	limits: readonly Replacement[],
): string[] {
	const one = shipped("nginx.conf").match(/^upstream rollcall \{.*?^\}\n/ms)?.[0] ?? "";
	const site = adapted("nginx", [
		...limits,
		typeof upstream === "number"
			? ["server 127.0.0.1:8080;", `server 127.0.0.1:${upstream};`]
			: [one, hostsFile("nginx", upstream)],
		["listen 80;", `listen 127.0.0.1:${plain};`],
		["listen 443 ssl http2;", `listen 127.0.0.1:${tls} ssl http2;`],
		["/etc/ssl/rollcall/cert.pem", join(folder, "cert.pem")],
		["/etc/ssl/rollcall/key.pem", join(folder, "key.pem")],
	]);
	writeFileSync(join(folder, "site.conf"), site);
	const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
		(kind) => `${kind}_temp_path ${join(folder, kind)};`,
	);
	const main = [
		process.getuid?.() === 0 ? "user root;" : "",
		`daemon off; worker_processes 1; pid ${join(folder, "pid")}; error_log ${errorLog(folder)} warn;`,
		"events { worker_connections 2048; }",
		`http { access_log off; ${temporary.join(" ")} include ${join(folder, "site.conf")}; }`,
	];
	writeFileSync(join(folder, "nginx.conf"), main.join("\n"));
	return ["-p", folder, "-e", errorLog(folder), "-c", join(folder, "nginx.conf")];
}

function haproxyArguments(
	folder: string,
	{ tls, plain, upstream }: Ports,
	limits: readonly Replacement[],
): string[] {
	const hosts = typeof upstream === "number" ? null : upstream;
	const text = adapted("haproxy", [
		...limits,
		["server rollcall1 127.0.0.1:8080", `server rollcall1 127.0.0.1:${hosts?.[0].port ?? upstream}`],
		...(hosts === null
			? []
			: ([["\tdefault_backend rollcall\n", "\tdefault_backend rollcall_hosts\n"]] as const)),
		...(process.getuid?.() === 0 ? [] : ROOT_ALONE),
		["/run/haproxy/admin.sock", join(folder, "admin.sock")],
		["bind :80\n", `bind 127.0.0.1:${plain}\n`],
		["bind :443 ssl", `bind 127.0.0.1:${tls} ssl`],
		["/etc/ssl/rollcall/rollcall.pem", join(folder, "rollcall.pem")],
	]);
	writeFileSync(join(folder, "haproxy.cfg"), text);
	if (hosts === null) return ["-db", "-f", join(folder, "haproxy.cfg")];
	writeFileSync(join(folder, "haproxy-hosts.cfg"), hostsFile("haproxy", hosts));
	return ["-db", "-f", join(folder, "haproxy.cfg"), "-f", join(folder, "haproxy-hosts.cfg")];
}

export class ProxyProcess {
	private constructor(
		private readonly child: ChildProcess,
		private readonly folder: string,
		/** Port of TLS. */
		readonly port: number,
		/** Port that redirects to TLS. */
		readonly plainPort: number,
	) {}

	/** Starts the proxy in front of `upstream`, on 127.0.0.1. Resolves when it answers for it. */
	static async start(
		name: ProxyName,
		upstream: Upstream,
		limits: ProxyLimits = "raised",
	): Promise<ProxyProcess> {
		const folder = mkdtempSync(join(tmpdir(), `rollcall-${name}-`));
		makeChain(folder);
		const raised = limits === "raised" ? RAISED[name] : [];
		// A free port can be taken by another connection before the proxy binds it: then it ends, and others are tried.
		for (let attempt = 1; ; attempt++) {
			const ports = {
				tls: await freePort(),
				plain: await freePort(),
				upstream,
			};
			const args =
				name === "nginx" ? nginxArguments(folder, ports, raised) : haproxyArguments(folder, ports, raised);
			const child = spawn(findProgram(name) ?? name, args, { stdio: ["ignore", "ignore", "pipe"] });
			const proxy = new ProxyProcess(child, folder, ports.tls, ports.plain);
			const complaint = await proxy.untilServing();
			if (complaint === null) return proxy;
			child.kill("SIGKILL");
			if (attempt === STARTS_MAX) assert.fail(`${name} does not serve: ${complaint}`);
		}
	}

	/** Waits until it answers: null; what it wrote to stderr where it ends or takes too long. */
	private async untilServing(): Promise<string | null> {
		let complaints = "";
		this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
			complaints += text;
		});
		const end = performance.now() + START_MS_MAX;
		while ((await this.status("/v1/health")) !== 200) {
			if (this.child.exitCode !== null || this.child.signalCode !== null) {
				// What it wrote arrives after its exit code.
				await delay(100);
				return `ended with code ${this.child.exitCode}: ${complaints}`;
			}
			if (performance.now() >= end) return `no answer within ${START_MS_MAX} ms: ${complaints}`;
			await delay(50);
		}
		return null;
	}

	/** A connection of its own, through TLS; HTTP/1.1. */
	open(): TLSSocket {
		// The certificate is this test's own: what is tested is what comes through, not who signed it.
		return connect({
			port: this.port,
			host: "127.0.0.1",
			rejectUnauthorized: false,
			ALPNProtocols: ["http/1.1"],
		});
	}

	/** Warnings and errors of nginx so far. */
	complaints(): string {
		return readFileSync(errorLog(this.folder), "utf8");
	}

	/** The user that it runs as; of nginx, its main process. */
	userId(): number {
		const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
		return Number(/^Uid:\t(\d+)/m.exec(status)?.[1]);
	}

	async close(): Promise<void> {
		const ended = once(this.child, "exit");
		this.child.kill("SIGTERM");
		await ended;
		rmSync(this.folder, { recursive: true, force: true });
	}

	/** Status of a request of its own; 0 where the connection fails. */
	status(path: string): Promise<number> {
		return new Promise((resolve) => {
			const socket = this.open();
			let text = "";
			socket.once("secureConnect", () =>
				socket.write(`GET ${path} HTTP/1.1\r\nHost: rollcall.example\r\nConnection: close\r\n\r\n`),
			);
			socket.on("data", (chunk: Buffer) => {
				text += chunk.toString("latin1");
			});
			// What went wrong shows in the status.
			socket.on("error", () => undefined);
			socket.once("close", () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)));
		});
	}
}
