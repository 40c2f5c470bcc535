/**
 * The store of keys, usage, counters and the audit log: an LMDB environment in the data folder that
 * commands and running servers, any number of processes and threads, open at the same time.
 * The only file that imports lmdb.
 *
 * Invariants:
 * - The folder is readable by its owner alone (0700): hashes and usage are private.
 * - Every change of a key and its audit entry are one transaction, and `generation` is the sequence
 *   number of the newest entry; so all changes since a remembered generation can be found.
 * - Opening, committing and closing take turns (turnstile.ts), or commits would be lost.
 * - What is read has been checked against its schema (records.ts); anything else is `corrupt_record`.
 */

import { chmodSync, existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import type { ZodType } from "zod";
import { KEYS_FOLDER } from "../../formats/index.js";
import { DataFile, dataFileFault } from "./data-file.js";
import { commitErrorOf, DATA_FILE, ENVIRONMENT, LOCK_FILE, REMEDY, reason } from "./environment.js";
import { StoreError, skipCorrupt } from "./errors.js";
import { openingFault, prepareFolder, refuseFile } from "./folder.js";
import type { KeyRecord } from "./key-record.js";
import { checkedRecord, MAX_KEYS, needsMigration, requireFreeSlot } from "./record-checks.js";
import {
	type AuditEntry,
	type CounterRecord,
	type CountsWriter,
	type EditKey,
	RECORD_SCHEMAS,
	type SecretName,
	STORE_VERSION,
	type UsageRecord,
} from "./records.js";
import { claimSecrets } from "./secrets.js";
import { Table, type TableSchemas } from "./table.js";
import { takeTurn, takeTurnSync } from "./turnstile.js";

export interface StoreOptions {
	readonly dataFolder: string;
	/** Whether to create the folder of keys if it does not exist; otherwise that is `not_found`. */
	readonly create: boolean;
}

export class Store implements CountsWriter {
	/** Folder of the database. */
	readonly path: string;
	readonly #root: RootDatabase;
	readonly #meta: Database<number, string>;
	readonly #keys: Database<unknown, string>;
	readonly #audit: Database<unknown, number>;
	readonly #counters: Database<unknown, string>;
	readonly #usage: Database<unknown, [number, string]>;
	readonly #secrets: Database<unknown, string>;
	#lastFailed = false;
	readonly #file: DataFile;
	/** The folder's canonical path, by which turns are taken. */
	readonly #folder: string;

	private constructor(path: string, root: RootDatabase) {
		this.path = path;
		this.#root = root;
		this.#meta = root.openDB({ name: "meta" });
		this.#keys = root.openDB({ name: "keys" });
		this.#audit = root.openDB({ name: "audit" });
		this.#counters = root.openDB({ name: "counters" });
		this.#usage = root.openDB({ name: "usage" });
		this.#secrets = root.openDB({ name: "secrets" });
		this.#file = new DataFile(join(path, DATA_FILE));
		this.#folder = realpathSync(path);
	}

	/** Whether `dataFolder` has a store. */
	static exists(dataFolder: string): boolean {
		return existsSync(join(dataFolder, KEYS_FOLDER));
	}

	/** Opens the store of `dataFolder`. Errors: `not_found`, `unopenable`, `unsupported_version`. */
	static open({ dataFolder, create }: StoreOptions): Store {
		const path = join(dataFolder, KEYS_FOLDER);
		refuseFile(dataFolder);
		if (!create && !existsSync(path))
			throw new StoreError("not_found", path, "no keys have been created yet");
		try {
			prepareFolder(path);
			return takeTurnSync(realpathSync(path), () => Store.#openAlone(path));
		} catch (error) {
			if (error instanceof StoreError) throw error;
			throw new StoreError("unopenable", path, openingFault(error), error);
		}
	}

	static #openAlone(path: string): Store {
		const fault = dataFileFault(join(path, DATA_FILE));
		if (fault !== null) throw new StoreError("unopenable", path, `${fault}; ${REMEDY}`);
		const store = new Store(path, open({ path, ...ENVIRONMENT }));
		// Independent of the umask at their creation.
		for (const name of [DATA_FILE, LOCK_FILE]) chmodSync(join(path, name), 0o600);
		store.#claimVersion();
		store.#put(() => claimSecrets(store.#secrets));
		return store;
	}

	#claimVersion(): void {
		const version = this.#read(() => this.#meta.get("version"));
		if (needsMigration(this.path, version)) this.#put(() => this.#meta.putSync("version", STORE_VERSION));
	}

	#put(write: () => void): void {
		try {
			write();
		} catch (error) {
			throw this.#writeFailure(error);
		}
	}

	/** The random bytes named `name`, the same for all processes and after every restart. */
	secret(name: SecretName): Uint8Array {
		const value = this.#read(() => this.#secrets.get(name));
		return this.#checked(RECORD_SCHEMAS.secrets, value, `secret ${name}`);
	}

	/** Whether the folder still contains the open database; writes to one moved away are lost. Cost: a stat. */
	inPlace(): boolean {
		return this.#file.inPlace();
	}

	/** Number of the newest change, 0 for a new store. Includes commits of other processes. Cost: a point read. */
	generation(): number {
		return this.#read(() => {
			// A read transaction lasts to the end of the event turn; a poll needs the newest commit.
			this.#root.resetReadTxn();
			return this.#meta.get("generation") ?? 0;
		});
	}

	/** Number of keys that can still be created; a slot is never given twice. */
	freeSlots(): number {
		return MAX_KEYS - this.#read(() => this.#meta.get("next_slot") ?? 0);
	}

	/** The key `id`, or undefined. */
	key(id: string): KeyRecord | undefined {
		const value = this.#read(() => this.#keys.get(id));
		return value === undefined ? undefined : this.#checked(RECORD_SCHEMAS.keys, value, `key ${id}`);
	}

	/** Every key, by creation. With `onCorrupt`, corrupt records are skipped and reported; else they throw. */
	keys(onCorrupt?: (error: StoreError) => void): KeyRecord[] {
		const records = this.#read(() => [...this.#keys.getKeys()])
			.map((id) => skipCorrupt(() => this.key(id), onCorrupt))
			.filter((record) => record !== undefined);
		return records.sort((a, b) => a.slot - b.slot);
	}

	/** Audit entries numbered above `generation`, oldest first. */
	auditSince(generation: number): AuditEntry[] {
		const entries = this.#read(() => [...this.#audit.getRange({ start: generation + 1 })]);
		return entries.map(({ key, value }) => this.#checked(RECORD_SCHEMAS.audit, value, `audit entry ${key}`));
	}

	/**
	 * One change of one key, atomic and isolated among all processes. `edit` gets the stored key and, for a new
	 * one, a fresh slot; it returns the key to store with its audit entry, or null for no change. Returns what
	 * is then stored. Errors: `write_failed`, `limit_exceeded`, and any error of `edit`, which rolls the
	 * transaction back.
	 */
	async change(id: string, edit: EditKey): Promise<KeyRecord | undefined> {
		return this.transaction(() => this.changeNow(id, edit));
	}

	/** As {@link change}, within a larger transaction. REQUIRES: inside {@link transaction}. */
	changeNow(id: string, edit: EditKey): KeyRecord | undefined {
		const current = this.key(id);
		const freshSlot = this.#meta.get("next_slot") ?? 0;
		const edited = edit(current, freshSlot);
		if (edited === null) return current;
		const { record, change } = edited;
		if (current === undefined) {
			requireFreeSlot(this.path, record, freshSlot);
			this.#meta.put("next_slot", freshSlot + 1);
		}
		this.#keys.put(id, record);
		const seq = (this.#meta.get("generation") ?? 0) + 1;
		this.#audit.put(seq, { seq, ...change } satisfies AuditEntry);
		this.#meta.put("generation", seq);
		return record;
	}

	/** The database `name` of other records, created if it does not exist; `schema` checks what is read. */
	table<T>(name: string, schema: ZodType<T>): Table<T> {
		const check = (value: unknown, key: string) => this.#checked(schema, value, `${name} ${key}`);
		return new Table(this.#root.openDB<unknown, string>({ name }), { read: (f) => this.#read(f), check });
	}

	/** Counts of the key `keyId` as last flushed; null if it was never used. */
	counter(keyId: string): CounterRecord | null {
		const value = this.#read(() => this.#counters.get(keyId));
		return value === undefined ? null : this.#checked(RECORD_SCHEMAS.counters, value, `counters of ${keyId}`);
	}

	/** Every key's counts as last flushed. */
	counters(): { keyId: string; record: CounterRecord }[] {
		const entries = this.#read(() => [...this.#counters.getRange()]);
		return entries.map(({ key, value }) => ({
			keyId: key,
			record: this.#checked(RECORD_SCHEMAS.counters, value, `counters of ${key}`),
		}));
	}

	/** Requests of the key `keyId` on `day` (days since 1970) by endpoint code; empty if there are none. */
	usage(keyId: string, day: number): UsageRecord {
		const value = this.#read(() => this.#usage.get([day, keyId]));
		if (value === undefined) return [];
		return this.#checked(RECORD_SCHEMAS.usage, value, `usage of ${keyId} on day ${day}`);
	}

	/** Every key's usage on `day`. */
	usageOfDay(day: number): { keyId: string; record: UsageRecord }[] {
		const range = { start: [day], end: [day + 1] } as unknown as Record<"start" | "end", [number, string]>;
		const entries = this.#read(() => [...this.#usage.getRange(range)]);
		return entries.map(({ key, value }) => ({
			keyId: key[1],
			record: this.#checked(RECORD_SCHEMAS.usage, value, `usage of ${key[1]} on day ${day}`),
		}));
	}

	/** REQUIRES: inside {@link Store.flushCounts}. */
	putCounter(keyId: string, record: CounterRecord): void {
		this.#counters.put(keyId, record);
	}

	/** REQUIRES: inside {@link Store.flushCounts}. */
	putUsage(keyId: string, day: number, record: UsageRecord): void {
		this.#usage.put([day, keyId], record);
	}

	/** Runs `write` in one transaction. Errors: `write_failed`, and any error of `write`. */
	async flushCounts<T>(write: (counts: CountsWriter) => T): Promise<T> {
		return this.transaction(() => write(this));
	}

	/** Removes usage of days before `day`. Returns the number of records removed. Error: `write_failed`. */
	async pruneUsage(day: number): Promise<number> {
		return this.flushCounts(() => {
			const end = [day] as unknown as [number, string];
			const stale = [...this.#usage.getKeys({ end })];
			for (const key of stale) this.#usage.remove(key);
			return stale.length;
		});
	}

	/**
	 * Reads every record of every database; returns their numbers by database. Each is checked against its schema, of
	 * which `tables` has those of {@link table} by name; a database of neither, of another version of the program, is
	 * only decoded. Errors: `corrupt_record`, `read_failed`.
	 */
	readAll(tables: TableSchemas): ReadonlyMap<string, number> {
		const schemas: TableSchemas = { ...tables, ...RECORD_SCHEMAS };
		const counts = new Map<string, number>();
		for (const name of this.#read(() => [...this.#root.getKeys()]).map(String)) {
			const records = this.#read(() => [...this.#root.openDB({ name }).getRange()]);
			const schema = schemas[name];
			if (schema !== undefined)
				for (const { key, value } of records) this.#checked(schema, value, `${name} ${String(key)}`);
			counts.set(name, records.length);
		}
		return counts;
	}

	/** Copies the committed state to `data.mdb` in `folder`, without free pages. Error: `read_failed`. */
	async copyTo(folder: string): Promise<void> {
		try {
			await this.#root.backup(folder, true);
		} catch (error) {
			throw new StoreError("read_failed", this.path, `copying failed: ${reason(error)}`, error);
		}
	}

	/** Waits until everything written is on disk, and closes. Error: `write_failed`. */
	async close(): Promise<void> {
		try {
			// After a failed transaction lmdb waits for a flush that only another transaction triggers.
			if (this.#lastFailed) await this.#root.transaction(() => undefined);
			await this.#root.flushed;
			this.#file.close();
			const leave = () => this.#root.close();
			// No other process opens a database that was moved away.
			await (this.inPlace() ? takeTurn(this.#folder, leave) : leave());
		} catch (error) {
			throw this.#writeFailure(await commitErrorOf(error));
		}
	}

	#checked<T>(schema: ZodType<T>, value: unknown, what: string): T {
		return checkedRecord(this.path, schema, value, what);
	}

	/** Reads access mapped memory, so a damaged file must not be read. */
	#read<T>(read: () => T): T {
		const fault = this.#file.fault();
		if (fault !== null) throw new StoreError("read_failed", this.path, `${fault}; ${REMEDY}`);
		try {
			return read();
		} catch (error) {
			// Errors of LMDB and of the system have a code; any other means a value that cannot be decoded.
			const code = (error as NodeJS.ErrnoException).code === undefined ? "corrupt_record" : "read_failed";
			throw new StoreError(code, this.path, `a read failed: ${reason(error)}`, error);
		}
	}

	/**
	 * Runs `write` in one transaction; an error of `write` rolls it back. The promise settles once the
	 * transaction is committed: visible to every process, and durable if this process is killed. Waiting for
	 * the lock that all writers share does not block this thread, so a writer that holds it for long does not
	 * stop the thread, and two stores opened in one thread cannot deadlock.
	 */
	async transaction<T>(write: () => T): Promise<T> {
		let thrown: { error: unknown } | null = null;
		const fault = this.#file.inPlace() ? this.#file.fault() : "data.mdb was moved or replaced";
		if (fault !== null) throw new StoreError("write_failed", this.path, `nothing was written: ${fault}`);
		try {
			const attempt = () => {
				try {
					return write();
				} catch (error) {
					thrown = { error };
					throw error;
				}
			};
			const result = await takeTurn(this.#folder, () => this.#root.childTransaction(attempt));
			this.#lastFailed = false;
			return result;
		} catch (error) {
			// An error of the callback is the caller's; any other is LMDB's.
			if (thrown !== null) throw (thrown as { error: unknown }).error;
			this.#lastFailed = true;
			throw this.#writeFailure(await commitErrorOf(error));
		}
	}

	#writeFailure(error: unknown): StoreError {
		if (error instanceof StoreError) return error;
		return new StoreError("write_failed", this.path, `nothing was written: ${reason(error)}`, error);
	}
}
