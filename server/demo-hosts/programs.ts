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

/** Where the programs are, or the Debian packages that are missing. Cost: starts Python once. */
export function findPrograms(
	folders: readonly string[] = FOLDERS,
	python = PYTHON,
): Programs | { readonly missing: readonly string[] } {
	/** The first of `names` that is installed. */
	const find = (...names: string[]) =>
		names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
	const redis = find("redis-server", "valkey-server");
	const haproxy = find("haproxy");
	const swift = spawnSync(python, ["-c", "import swift, eventlet"]).status === 0;
	if (redis !== undefined && haproxy !== undefined && swift) return { redis, haproxy };
	return {
		missing: [
			...(redis === undefined ? ["redis-server"] : []),
			...(haproxy === undefined ? ["haproxy"] : []),
			...(swift ? [] : ["python3-swift"]),
		],
	};
}
