/** `bench peers`: installs the peers for the benchmark alone, and lists what is installed. */

import { spawnSync } from "node:child_process";
import { Command } from "commander";
import { loadPeerModule, PEERS_FOLDER } from "../peers/peer.js";
import { findPrograms } from "../peers/postgres-server.js";

const MODULES = ["@duckdb/node-api", "better-sqlite3", "pg"];

export function peersCommand(): Command {
	return new Command("peers")
		.description("install the databases the engine is held to; better-sqlite3 compiles for a minute or two")
		.option("--list", "tell what is installed, install nothing", false)
		.action((flags: { list: boolean }) => {
			if (!flags.list) {
				const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
					cwd: PEERS_FOLDER,
					stdio: "inherit",
				});
				if (npm.status !== 0) throw new Error(`npm ci in ${PEERS_FOLDER} ended with code ${npm.status}`);
			}
			for (const name of MODULES) {
				const there = loadPeerModule(name) !== null;
				process.stdout.write(`${name}: ${there ? "installed" : "not installed"}\n`);
			}
			const postgres = findPrograms();
			process.stdout.write(`postgresql: ${postgres ?? "not installed: apt-get install postgresql"}\n`);
		});
}
