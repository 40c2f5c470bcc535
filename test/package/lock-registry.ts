/**
 * A registry of npm on the loopback that has the packages of the lock file, as they are installed here: what
 * `npm install` needs, without a network. Packages for other systems are listed and cannot be downloaded.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { ROOT } from "../docs/runnable-blocks.js";

/** What the lock file says of a package; of a manifest, npm reads the same fields. */
interface Locked {
	readonly version: string;
	/** Where it differs from the name of its folder. */
	readonly name?: string;
	readonly dev?: boolean;
}

interface Version {
	readonly manifest: Locked;
	/** Where it is installed. */
	readonly folder: string;
}

export class LockRegistry {
	/** By name, then version. */
	private readonly packages = new Map<string, Map<string, Version>>();

	private constructor(private readonly server: Server) {
		const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
			packages: Record<string, Locked>;
		};
		for (const [path, manifest] of Object.entries(lock.packages)) {
			if (path === "" || manifest.dev === true) continue;
			const name = manifest.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
			const versions = this.packages.get(name) ?? new Map<string, Version>();
			const { version } = manifest;
			versions.set(version, { manifest: { ...manifest, name }, folder: join(ROOT, path) });
			this.packages.set(name, versions);
		}
	}

	static async start(): Promise<LockRegistry> {
		const server = createServer((request, response) => registry.answer(request, response));
		const registry = new LockRegistry(server);
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		return registry;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
	}

	close(): void {
		this.server.close();
		this.server.closeAllConnections();
	}

	/** `/NAME` is a package's document, `/NAME/-/VERSION` its archive; the slash of a scope is escaped. */
	private answer(request: IncomingMessage, response: ServerResponse): void {
		const [, name, , version] = (request.url ?? "/").split("/").map(decodeURIComponent);
		const versions = this.packages.get(name);
		const folder = versions?.get(version)?.folder;
		if (versions !== undefined && version === undefined) response.end(this.document(name, versions));
		else if (folder !== undefined && existsSync(folder)) sendArchive(folder, response);
		else response.writeHead(404).end();
	}

	private document(name: string, versions: ReadonlyMap<string, Version>): string {
		const numbers = [...versions.keys()];
		const archive = (version: string) => ({
			tarball: `${this.url}${encodeURIComponent(name)}/-/${version}`,
		});
		return JSON.stringify({
			name,
			"dist-tags": { latest: numbers.at(-1) },
			versions: Object.fromEntries(
				numbers.map((version) => [version, { ...versions.get(version)?.manifest, dist: archive(version) }]),
			),
		});
	}
}

function sendArchive(folder: string, response: ServerResponse): void {
	const name = basename(folder);
	// Level 1: nothing is sent far.
	const args = ["-I", "gzip -1", "-c", "-C", dirname(folder), `--exclude=${name}/node_modules`, name];
	const tar = spawn("tar", args, { stdio: ["ignore", "pipe", "inherit"] });
	tar.stdout.pipe(response);
}
