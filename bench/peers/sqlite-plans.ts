/** Compiles and loads sqlite-plans.c, against the headers that better-sqlite3 brings along. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PEERS_FOLDER } from "./peer.js";

/** A connection that loads extensions. */
interface Loading {
	loadExtension(file: string): void;
}

const SOURCE = join(PEERS_FOLDER, "sqlite-plans.c");
const HEADERS = join(PEERS_FOLDER, "node_modules", "better-sqlite3", "deps", "sqlite3");

/**
 * Loads it into `connection`, compiled into `folder` on first use: plans then do not depend on bound values, and the SQL
 * function `reprepares()` counts statements that were planned again. Returns whether it could: false without a C
 * compiler.
 */
export function loadPlanControl(connection: Loading, folder: string): boolean {
	const library = join(folder, "sqlite-plans.so");
	if (!existsSync(library)) {
		const args = ["-O2", "-fPIC", "-shared", "-Wall", "-Wextra", `-I${HEADERS}`, SOURCE, "-o", library];
		if (spawnSync("cc", args, { stdio: "ignore" }).status !== 0) return false;
	}
	connection.loadExtension(library);
	return true;
}
