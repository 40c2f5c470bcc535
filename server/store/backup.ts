/**
 * Backups of the store: one file with every key, its counts, its usage and the audit log, as of one moment,
 * made while servers run. It is the data file of an LMDB environment.
 *
 * Invariants: a backup exists only if it is complete, was read back, and is readable by its owner alone (0600);
 * a restore replaces the data file by one rename, so that a power loss leaves the previous keys or those of the
 * backup, and keeps the previous one in a folder beside it.
 */

import {
	chmodSync,
	copyFileSync,
	existsSync,
	linkSync,
	mkdirSync,
	renameSync,
	rmSync,
	statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncPath } from "../../formats/files/durable.js";
import { KEYS_FOLDER } from "../../formats/index.js";
import { dataFileFault } from "./data-file.js";
import { DATA_FILE, LOCK_FILE } from "./environment.js";
import { StoreError } from "./errors.js";
import { requireDataFolder } from "./folder.js";
import { runningServers } from "./presence.js";
import { Store } from "./store.js";
import type { TableSchemas } from "./table.js";

/** Numbers of records in a backup. */
export interface BackupContents {
	readonly keys: number;
	readonly audit_entries: number;
	readonly bytes: number;
}

/**
 * Writes a backup of the store of `dataFolder` to `file`. `tables`: as in {@link Store.readAll}. Errors: those of {@link Store}, `in_use` if the file
 * exists.
 */
export async function backUpStore(
	dataFolder: string,
	file: string,
	tables: TableSchemas,
): Promise<BackupContents> {
	if (existsSync(file)) throw new StoreError("in_use", file, "there is a file already");
	const aside = `${file}.${process.pid}.partial`;
	try {
		mkdirSync(join(aside, KEYS_FOLDER), { recursive: true, mode: 0o700 });
		const store = Store.open({ dataFolder, create: false });
		try {
			await store.copyTo(join(aside, KEYS_FOLDER));
		} finally {
			await store.close();
		}
		const copy = join(aside, KEYS_FOLDER, DATA_FILE);
		const contents = await readThrough(aside, tables);
		chmodSync(copy, 0o600);
		syncPath(copy);
		renameSync(copy, file);
		syncPath(dirname(file));
		return contents;
	} catch (error) {
		throw asStoreError(error, file);
	} finally {
		rmSync(aside, { recursive: true, force: true });
	}
}

/**
 * Replaces the store of `dataFolder` by the backup `file`. Returns its contents and the folder of the previous
 * store; null: there was none. Errors: `in_use` while a server runs, and those of {@link Store} for an invalid
 * backup.
 */
export async function restoreStore(
	dataFolder: string,
	file: string,
	tables: TableSchemas,
): Promise<BackupContents & { readonly kept: string | null }> {
	requireDataFolder(dataFolder);
	requireBackup(file);
	const target = join(dataFolder, KEYS_FOLDER);
	const aside = join(dataFolder, `${KEYS_FOLDER}-restoring-${process.pid}`);
	try {
		mkdirSync(join(aside, KEYS_FOLDER), { recursive: true, mode: 0o700 });
		const copy = join(aside, KEYS_FOLDER, DATA_FILE);
		copyFileSync(file, copy);
		const contents = await readThrough(aside, tables).catch((error) => {
			// The folder that it names is of the copy, and is removed.
			throw error instanceof StoreError ? notIntact(file, error.reason, error) : error;
		});
		rmSync(join(aside, KEYS_FOLDER, LOCK_FILE), { force: true });
		syncPath(copy);
		syncPath(join(aside, KEYS_FOLDER));
		requireStopped(target);
		const kept = keep(target);
		if (existsSync(target)) {
			rmSync(join(target, LOCK_FILE), { force: true });
			renameSync(copy, join(target, DATA_FILE));
			syncPath(target);
		} else {
			renameSync(join(aside, KEYS_FOLDER), target);
			syncPath(dataFolder);
		}
		return { ...contents, kept };
	} catch (error) {
		throw asStoreError(error, target);
	} finally {
		rmSync(aside, { recursive: true, force: true });
	}
}

/** Throws StoreError, which names `file`, unless it is a data file of LMDB. */
function requireBackup(file: string): void {
	if (!existsSync(file)) throw new StoreError("not_found", file, "no such backup");
	const stat = statSync(file);
	if (!stat.isFile()) throw notIntact(file, "it is a folder or a device");
	const fault = stat.size === 0 ? "the file is empty" : dataFileFault(file, "it");
	if (fault !== null) throw notIntact(file, fault);
}

function notIntact(file: string, reason: string, cause?: StoreError): StoreError {
	return new StoreError(
		cause?.code ?? "unopenable",
		file,
		`this is no intact backup of keys: ${reason}`,
		cause,
	);
}

function requireStopped(path: string): void {
	const servers = existsSync(path) ? runningServers(path) : [];
	if (servers.length === 0) return;
	const message = `a server (process ${servers.join(", ")}) runs on these keys; stop it first`;
	throw new StoreError("in_use", path, message);
}

/** Reads every record of the store in `dataFolder`, which no other process has open. */
async function readThrough(dataFolder: string, tables: TableSchemas): Promise<BackupContents> {
	const { size } = statSync(join(dataFolder, KEYS_FOLDER, DATA_FILE));
	if (size === 0) throw new StoreError("unopenable", dataFolder, "the file is empty");
	const store = Store.open({ dataFolder, create: false });
	try {
		const counts = store.readAll(tables);
		return { keys: counts.get("keys") ?? 0, audit_entries: counts.get("audit") ?? 0, bytes: size };
	} finally {
		await store.close();
	}
}

function today(): string {
	return new Date().toISOString().slice(0, 10);
}

function freeName(name: string): string {
	if (!existsSync(name)) return name;
	for (let n = 2; ; n++) if (!existsSync(`${name}-${n}`)) return `${name}-${n}`;
}

/** Keeps the data file in the folder of keys `target` in a folder beside it, whose path is returned; null: there is none. */
function keep(target: string): string | null {
	if (!existsSync(join(target, DATA_FILE))) return null;
	const kept = freeName(`${target}-replaced-${today()}`);
	mkdirSync(kept, { mode: 0o700 });
	linkSync(join(target, DATA_FILE), join(kept, DATA_FILE));
	syncPath(kept);
	syncPath(dirname(kept));
	return kept;
}

function asStoreError(error: unknown, path: string): unknown {
	if (error instanceof StoreError) return error;
	if (error instanceof Error && "syscall" in error)
		return new StoreError("write_failed", path, error.message, error);
	return error;
}
