/**
 * A PostgreSQL server of the benchmark's own: a cluster in the work folder, on a socket there and no
 * port, tuned for a machine that holds all of it in memory. PostgreSQL refuses to run as root, so as
 * root it runs as Debian's user `postgres`.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ownChild } from "../processes/own-children.js";

const DEBIAN_FOLDER = "/usr/lib/postgresql";
const SERVER_USER = "postgres";
const START_SECONDS_MAX = 30;

const SETTINGS: Readonly<Record<string, string>> = {
	listen_addresses: "",
	// More than the table of 2.5 million rows with all of its indexes.
	shared_buffers: "6GB",
	work_mem: "256MB",
	maintenance_work_mem: "1GB",
	effective_cache_size: "12GB",
	random_page_cost: "1.1",
	effective_io_concurrency: "200",
	jit: "off",
	max_parallel_workers_per_gather: "2",
	fsync: "off",
	synchronous_commit: "off",
	full_page_writes: "off",
	max_wal_size: "8GB",
	autovacuum: "off",
};

export interface PostgresServer {
	/** Folder of the socket. */
	readonly socketFolder: string;
	readonly user: string;
	stop(): Promise<void>;
}

/** Folder of the newest installed PostgreSQL's programs; null where there is none. */
export function findPrograms(): string | null {
	if (!existsSync(DEBIAN_FOLDER)) return null;
	const versions = readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a));
	const folders = versions.map((version) => join(DEBIAN_FOLDER, version, "bin"));
	return folders.find((folder) => existsSync(join(folder, "initdb"))) ?? null;
}

/**
 * Starts a server over `folder`, creating its cluster where there is none; null where PostgreSQL is not
 * installed.
 */
export async function startPostgres(folder: string): Promise<PostgresServer | null> {
	const programs = findPrograms();
	if (programs === null) return null;
	const identity = serverIdentity();
	const cluster = join(folder, "cluster");
	const socketFolder = join(folder, "socket");
	for (const path of [folder, socketFolder]) {
		mkdirSync(path, { recursive: true });
		if (identity.uid !== undefined) chownSync(path, identity.uid, identity.gid);
	}
	if (!existsSync(cluster)) {
		const options = [
			"-D",
			cluster,
			"--locale=C",
			"--encoding=UTF8",
			"--auth=trust",
			`--username=${SERVER_USER}`,
		];
		execFileSync(join(programs, "initdb"), options, { ...identity, cwd: folder, stdio: "pipe" });
	}
	await untilEnded(join(cluster, "postmaster.pid"));
	const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socketFolder });
	const args = ["-D", cluster, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])];
	const server = spawn(join(programs, "postgres"), args, {
		...identity,
		cwd: folder,
		stdio: ["ignore", "ignore", "pipe"],
	});
	// Fast mode, as below: a server that is ended at once empties unlogged tables when it is started again.
	ownChild(server, "SIGINT");
	await waitForSocket(server, socketFolder);
	return { socketFolder, user: SERVER_USER, stop: () => stop(server) };
}

/** A client of the server, as far as {@link hasRows} needs one. */
interface Asked {
	query(query: { text: string }): Promise<{ rows: object[] }>;
}

/** Whether a table exists and has rows: an unlogged one is empty after its server was killed. */
export async function hasRows(client: Asked, table: string): Promise<boolean> {
	const found = await client.query({ text: `SELECT 1 WHERE to_regclass('${table}') IS NOT NULL` });
	if (found.rows.length === 0) return false;
	return (await client.query({ text: `SELECT 1 FROM ${table} LIMIT 1` })).rows.length > 0;
}

/** Waits for the server of an earlier run to end, which may still write; removes what a killed one left. */
async function untilEnded(pidFile: string): Promise<void> {
	for (let waited = 0; existsSync(pidFile); waited++) {
		const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
		if (!existsSync(`/proc/${pid}`)) {
			rmSync(pidFile, { force: true });
			return;
		}
		if (waited === START_SECONDS_MAX * 10)
			throw new Error(`process ${pid} has not ended in ${START_SECONDS_MAX} s; ${pidFile} names it`);
		await setTimeout(100);
	}
}

function serverIdentity(): { uid?: number; gid: number } {
	if (process.getuid?.() !== 0) return { gid: process.getgid?.() ?? 0 };
	const id = (flag: string) => Number(execFileSync("id", [flag, SERVER_USER], { encoding: "utf8" }));
	return { uid: id("-u"), gid: id("-g") };
}

async function waitForSocket(server: ChildProcess, socketFolder: string): Promise<void> {
	let said = "";
	server.stderr?.on("data", (chunk: Buffer) => {
		said = `${said}${chunk}`.slice(-2000);
	});
	for (let waited = 0; waited < START_SECONDS_MAX * 10; waited++) {
		if (server.exitCode !== null) throw new Error(`postgres ended with code ${server.exitCode}: ${said}`);
		if (said.includes("ready to accept connections")) return;
		await setTimeout(100);
	}
	server.kill("SIGQUIT");
	throw new Error(`postgres did not start on ${socketFolder} within ${START_SECONDS_MAX} s: ${said}`);
}

/** Stops the server in fast mode: clients are disconnected, and what they wrote is kept. */
async function stop(server: ChildProcess): Promise<void> {
	if (server.exitCode !== null) return;
	const ended = new Promise((resolve) => server.once("exit", resolve));
	server.kill("SIGINT");
	await ended;
}
