/** The programs of other projects that the demo of several hosts runs, and where they are. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export interface Programs {
	readonly redis: string;
	readonly haproxy: string;
}

const PYTHON = "/usr/bin/python3";
/** Debian keeps servers where users have no path to. */
const FOLDERS = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];

/** The first of `names` that is installed. */
function find(...names: string[]): string | undefined {
	return names
		.flatMap((name) => FOLDERS.map((folder) => join(folder, name)))
		.find((path) => existsSync(path));
}

/** Where the programs are, or the Debian packages that are missing. Cost: starts Python once. */
export function findPrograms(): Programs | { readonly missing: readonly string[] } {
	const redis = find("redis-server", "valkey-server");
	const haproxy = find("haproxy");
	const swift = spawnSync(PYTHON, ["-c", "import swift, eventlet"]).status === 0;
	if (redis !== undefined && haproxy !== undefined && swift) return { redis, haproxy };
	return {
		missing: [
			...(redis === undefined ? ["redis-server"] : []),
			...(haproxy === undefined ? ["haproxy"] : []),
			...(swift ? [] : ["python3-swift"]),
		],
	};
}
