/**
 * The package as `npm i -g` leaves it: the files that `npm pack` chooses, the packages that are not for
 * development, and the command on a PATH. Made without a registry, from the packages of this checkout.
 */

import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../docs/runnable-blocks.js";

export interface PackedFile {
	readonly path: string;
	readonly size: number;
}

interface Locked {
	readonly dev?: boolean;
	readonly devOptional?: boolean;
	readonly optional?: boolean;
}

let packed: readonly PackedFile[] | undefined;

/** Files of the package, asked of npm once. Nothing is compiled: dist/ is as it is. */
export function packedFiles(): readonly PackedFile[] {
	packed ??= askPacked();
	return packed;
}

function askPacked(): PackedFile[] {
	const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
	const printed = execFileSync("npm", args, {
		cwd: ROOT,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
	});
	const answer = JSON.parse(printed) as { files: PackedFile[] }[] | Record<string, { files: PackedFile[] }>;
	// npm 12 names the package; earlier ones list it.
	return Object.values(answer)[0].files;
}

/**
 * Folders below node_modules/ that an installation has, from the lock file. `optional` also those that it
 * can do without; the binary of the database for this machine is optional by name only.
 */
export function installedPackages(optional: boolean): string[] {
	const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
		packages: Record<string, Locked>;
	};
	return Object.entries(lock.packages)
		.filter(([path, { dev, devOptional, optional: isOptional }]) => {
			if (path === "" || dev === true) return false;
			const needed = path.startsWith("node_modules/@lmdb/");
			return optional || needed || (isOptional !== true && devOptional !== true);
		})
		.map(([path]) => path)
		.filter((path) => lstatSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined);
}

/** Bytes of the files of a package, without those of packages inside it. */
export function packageBytes(path: string): number {
	return readdirSync(path, { withFileTypes: true })
		.filter(({ name }) => name !== "node_modules")
		.reduce((sum, entry) => {
			const inner = join(path, entry.name);
			return sum + (entry.isDirectory() ? packageBytes(inner) : lstatSync(inner).size);
		}, 0);
}

/** Installs below `prefix`; gives an environment whose PATH finds `rollcall` there. */
export function install(prefix: string, optional: boolean): NodeJS.ProcessEnv {
	const home = join(prefix, "lib/node_modules/rollcall");
	for (const { path } of packedFiles()) {
		mkdirSync(dirname(join(home, path)), { recursive: true });
		cpSync(join(ROOT, path), join(home, path));
	}
	const foreignBinary = (path: string) =>
		/\/uws_\w+\.node$/.test(path) && !path.endsWith(`_${process.arch}_${process.versions.modules}.node`);
	for (const path of installedPackages(optional)) {
		const from = join(ROOT, path);
		const filter = (source: string) => !foreignBinary(source) && source !== join(from, "node_modules");
		cpSync(from, join(home, path), { recursive: true, filter });
	}
	const bin = join(prefix, "bin");
	mkdirSync(bin);
	const { bin: commands } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
		bin: Record<string, string>;
	};
	for (const [name, script] of Object.entries(commands)) {
		chmodSync(join(home, script), 0o755);
		symlinkSync(join(home, script), join(bin, name));
	}
	const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
	const path = `${bin}:${dirname(process.execPath)}:${env.PATH}`;
	return { ...env, PATH: path };
}
