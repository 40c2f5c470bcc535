/** The store: permissions of its folder, what it refuses to open or read, and concurrent processes. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
	chmodSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { open } from "lmdb";
import { keyOfRecord } from "../../server/keys/key-of-record.js";
import { convertKey } from "../../server/keys/lifecycle.js";
import { STORE_ERROR_CODES, StoreError, type StoreErrorCode } from "../../server/store/errors.js";
import { MAX_KEYS } from "../../server/store/record-checks.js";
import { AUDIT_ACTIONS, STORE_VERSION } from "../../server/store/records.js";
import { Store } from "../../server/store/store.js";
import { TURNSTILE, takeTurnSync } from "../../server/store/turnstile.js";
import { addKey, scratchFolder, scratchStore } from "./scratch.js";

const CREATE_KEYS = fileURLToPath(new URL("create-keys.js", import.meta.url));
const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));

function failsWith(code: StoreErrorCode, action: () => unknown, message = /./): void {
	assert.throws(
		action,
		(error) => error instanceof StoreError && error.code === code && message.test(error.message),
	);
}

/** Writes `value` as another version of the program, or a bug, might have. */
async function tamper(t: TestContext, database: string, key: string, value: unknown): Promise<string> {
	const dataFolder = scratchFolder(t);
	const store = Store.open({ dataFolder, create: true });
	await addKey(store);
	await store.close();
	const root = open({ path: join(dataFolder, "keys"), noSubdir: false });
	await root.openDB({ name: database }).put(key, value);
	await root.close();
	return dataFolder;
}

test("error codes, audit actions and the version of the store are frozen", () => {
	assert.deepEqual(STORE_ERROR_CODES, [
		"not_found",
		"unopenable",
		"unsupported_version",
		"corrupt_record",
		"read_failed",
		"write_failed",
		"limit_exceeded",
		"in_use",
	]);
	assert.deepEqual(AUDIT_ACTIONS, ["create", "suspend", "resume", "revoke", "rotate", "convert"]);
	assert.equal(STORE_VERSION, 3);
});

test("a store's folder and files become accessible to their owner only", async (t) => {
	const dataFolder = join(scratchFolder(t), "a", "b");
	const store = scratchStore(t, dataFolder);
	assert.equal(store.path, join(dataFolder, "keys"));
	const modes = () => {
		const files = readdirSync(store.path).map((file) => join(store.path, file));
		return [store.path, ...files].map((path) => (statSync(path).mode & 0o777).toString(8));
	};
	assert.deepEqual(modes(), ["700", "600", "600"]);
	await addKey(store);
	chmodSync(store.path, 0o755);
	for (const file of readdirSync(store.path)) chmodSync(join(store.path, file), 0o644);
	scratchStore(t, dataFolder);
	assert.deepEqual(modes(), ["700", "600", "600"]);
});

test("a missing store is created only on request", (t) => {
	const dataFolder = scratchFolder(t);
	assert.equal(Store.exists(dataFolder), false);
	failsWith("not_found", () => Store.open({ dataFolder, create: false }));
	assert.equal(Store.exists(dataFolder), false);
});

test("a folder that cannot be a store is refused by name", (t) => {
	const dataFolder = scratchFolder(t);
	writeFileSync(join(dataFolder, "keys"), "not a folder");
	failsWith(
		"unopenable",
		() => Store.open({ dataFolder, create: true }),
		/keys: the store of keys can't be opened: EEXIST(?!.*restore)/,
	);
});

test("an unwritable folder is refused with fitting advice, not as damaged", {
	skip: process.platform !== "linux" && "only Linux has a folder that nobody may write",
}, () => {
	failsWith(
		"unopenable",
		() => Store.open({ dataFolder: "/sys", create: true }),
		/^\/sys\/keys: the store of keys can't be opened: E[A-Z]+: .*; keys and counts are written there, so it has to belong to the user who runs this, on a disk that is not read-only$/,
	);
});

test("a data file that would crash LMDB is refused before it is opened", async (t) => {
	const sound = scratchFolder(t);
	const store = Store.open({ dataFolder: sound, create: true });
	await store.close();
	const bytes = readFileSync(join(sound, "keys", "data.mdb"));
	const changed = (offset: number) => {
		const copy = Buffer.from(bytes);
		copy[offset] ^= 1;
		return copy;
	};
	const table: [name: string, content: Buffer, fault: RegExp][] = [
		["other bytes", Buffer.from("not a database".repeat(1_000)), /first page lacks the magic number/],
		["zeroes", Buffer.alloc(20_000), /first page lacks the magic number/],
		["one byte", bytes.subarray(0, 1), /first page lacks the magic number/],
		["one page", bytes.subarray(0, 4_096), /ends after 4096 bytes/],
		["another version", changed(28), /data version 3; this program reads version 2/],
		["a broken second page", changed(4_096 + 24), /second page lacks the magic number/],
	];
	for (const [, content, fault] of table) {
		const dataFolder = scratchFolder(t);
		mkdirSync(join(dataFolder, "keys"));
		writeFileSync(join(dataFolder, "keys", "data.mdb"), content);
		failsWith("unopenable", () => Store.open({ dataFolder, create: true }), fault);
	}
});

test("an empty data file is a store yet to be created", (t) => {
	const dataFolder = scratchFolder(t);
	mkdirSync(join(dataFolder, "keys"));
	writeFileSync(join(dataFolder, "keys", "data.mdb"), "");
	assert.deepEqual(scratchStore(t, dataFolder).keys(), []);
});

test("another version's store is refused, expected and found named", async (t) => {
	const dataFolder = await tamper(t, "meta", "version", STORE_VERSION + 1);
	failsWith(
		"unsupported_version",
		() => Store.open({ dataFolder, create: true }),
		/version 4.*reads version 3.*newer program/,
	);
});

test("a store of version 2 is migrated when it is opened, so that programs before conversions say what they lack", async (t) => {
	const dataFolder = await tamper(t, "meta", "version", 2);
	const store = Store.open({ dataFolder, create: false });
	const [{ id }] = store.keys();
	await convertKey(store, id, "enterprise", { by: "test", nowMs: Date.now() });
	await store.close();
	const root = open({ path: join(dataFolder, "keys"), noSubdir: false });
	const version = root.openDB<number, string>({ name: "meta" }).get("version");
	await root.close();
	assert.equal(version, STORE_VERSION);
});

test("a store of version 1 is migrated when it is opened, and its keys have no bulk entitlement", async (t) => {
	const dataFolder = await tamper(t, "meta", "version", 1);
	const store = scratchStore(t, dataFolder);
	const [record] = store.keys();
	assert.equal("bulk" in record.scope, false);
	assert.equal(keyOfRecord(record).scope.bulk, undefined);
	assert.throws(() => Store.open({ dataFolder: `${dataFolder}/none`, create: false }));
	assert.equal(scratchStore(t, dataFolder).keys().length, 1);
});

test("a store's secret is random, and the same for every process that opens it", (t) => {
	const dataFolder = scratchFolder(t);
	const secret = scratchStore(t, dataFolder).secret("cursors");
	assert.equal(secret.length, 32);
	assert.deepEqual(scratchStore(t, dataFolder).secret("cursors"), secret);
	assert.notDeepEqual(scratchStore(t, scratchFolder(t)).secret("cursors"), secret);
});

test("a record of another shape is refused by name", async (t) => {
	const dataFolder = await tamper(t, "keys", "key_odd", { id: "key_odd", tier: "gold" });
	const store = scratchStore(t, dataFolder);
	failsWith("corrupt_record", () => store.key("key_odd"), /key key_odd is not as this version writes it/);
	failsWith("corrupt_record", () => store.keys());
});

test("a store that is full refuses a key and stays as it was", async (t) => {
	const dataFolder = await tamper(t, "meta", "next_slot", MAX_KEYS);
	const store = scratchStore(t, dataFolder);
	await assert.rejects(addKey(store), { code: "limit_exceeded", message: /holds 131072 keys/ });
	assert.equal(store.keys().length, 1);
	assert.equal(store.generation(), 1);
});

test("a change that throws is rolled back", async (t) => {
	const store = scratchStore(t);
	const { record } = await addKey(store);
	const change = store.change(record.id, () => {
		throw new RangeError("no");
	});
	await assert.rejects(change, RangeError);
	assert.deepEqual(store.key(record.id), record);
	assert.equal(store.generation(), 1);
});

test("a flush that throws half-way is rolled back", async (t) => {
	const store = scratchStore(t);
	const { id } = (await addKey(store)).record;
	await assert.rejects(
		store.flushCounts((counts) => {
			counts.putUsage(id, 20_000, [1, 2, 3]);
			throw new RangeError("no");
		}),
		RangeError,
	);
	assert.deepEqual(store.usage(id, 20_000), []);
	await store.flushCounts((counts) => counts.putUsage(id, 20_000, [4]));
	assert.deepEqual(store.usage(id, 20_000), [4]);
});

test("two stores open in one thread write concurrently without a deadlock", async (t) => {
	const dataFolder = scratchFolder(t);
	const one = scratchStore(t, dataFolder);
	const other = scratchStore(t, dataFolder);
	const { id } = (await addKey(one)).record;
	for (let round = 0; round < 50; round++) {
		const third = Store.open({ dataFolder, create: true });
		await Promise.all([
			one.flushCounts((counts) => counts.putUsage(id, 10, [round])),
			addKey(other),
			addKey(third),
			one.pruneUsage(5),
			addKey(one),
		]);
		await third.close();
	}
	assert.equal(one.keys().length, 151);
	assert.equal(other.generation(), 151);
	assert.deepEqual(other.usage(id, 10), [49]);
});

test("usage is pruned by day, for every key", async (t) => {
	const store = scratchStore(t);
	await store.flushCounts((counts) => {
		for (const day of [10, 11, 12]) for (const id of ["key_a", "key_b"]) counts.putUsage(id, day, [day]);
	});
	assert.equal(await store.pruneUsage(12), 4);
	assert.equal(await store.pruneUsage(12), 0);
	assert.deepEqual(store.usageOfDay(11), []);
	assert.deepEqual(
		store.usageOfDay(12).map(({ keyId, record }) => [keyId, record]),
		[
			["key_a", [12]],
			["key_b", [12]],
		],
	);
});

test("many processes create keys concurrently, each with its own slot and audit entry", async (t) => {
	const dataFolder = scratchFolder(t);
	const processes = 6;
	const codes = await Promise.all(
		Array.from({ length: processes }, () => {
			const child = spawn(process.execPath, [MAIN, "keys", "create", "--tier", "demo", "--data", dataFolder]);
			return new Promise((resolve) => child.on("close", resolve));
		}),
	);
	assert.deepEqual(codes, new Array(processes).fill(0));
	const store = scratchStore(t, dataFolder);
	const numbers = Array.from({ length: processes }, (_, i) => i);
	assert.deepEqual(
		store.keys().map((key) => key.slot),
		numbers,
	);
	assert.deepEqual(
		store.auditSince(0).map((entry) => entry.seq - 1),
		numbers,
	);
});

/**
 * Starts a process that opens the store `openings` times and creates `keys` keys each time; returns its
 * exit code and errors.
 */
function startCreating(dataFolder: string, openings: number, keys: number) {
	const child = spawn(process.execPath, [CREATE_KEYS, dataFolder, String(openings), String(keys)], {
		stdio: ["ignore", "ignore", "pipe"],
	});
	return Promise.all([new Promise((resolve) => child.on("close", resolve)), text(child.stderr)]);
}

/** Starts another process's turn at the store, which ends when the returned function is called. */
function anothersTurn(store: Store): () => void {
	const lock = join(store.path, TURNSTILE);
	// The name of a lock held by a live process.
	const name = takeTurnSync(realpathSync(store.path), () => readlinkSync(lock));
	symlinkSync(name, lock);
	return () => rmSync(lock);
}

test("nothing is committed while another process opens the store", async (t) => {
	const store = scratchStore(t);
	const endTurn = anothersTurn(store);
	const added = addKey(store);
	await delay(100);
	assert.equal(store.generation(), 0);
	endTurn();
	await added;
	assert.equal(store.generation(), 1);
});

test("a store is not opened during another process's turn", async (t) => {
	const dataFolder = scratchFolder(t);
	const endTurn = anothersTurn(scratchStore(t, dataFolder));
	const opener = startCreating(dataFolder, 1, 0);
	let ended = false;
	void opener.then(() => {
		ended = true;
	});
	await delay(1_500);
	assert.equal(ended, false);
	endTurn();
	assert.deepEqual(await opener, [0, ""]);
});

test("processes that open, change and close a store concurrently lose no key", async (t) => {
	const dataFolder = scratchFolder(t);
	const processes = 4;
	const rounds = 12;
	const ends = await Promise.all(
		Array.from({ length: processes }, () => startCreating(dataFolder, rounds, 1)),
	);
	assert.deepEqual(ends, new Array(processes).fill([0, ""]));
	const store = scratchStore(t, dataFolder);
	assert.deepEqual(
		store.keys().map((key) => key.slot),
		Array.from({ length: processes * rounds }, (_, i) => i),
	);
	assert.equal(store.generation(), processes * rounds);
	assert.deepEqual(readdirSync(store.path).sort(), ["data.mdb", "lock.mdb"]);
});
