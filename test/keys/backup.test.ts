/**
 * Backups of the keys: taken beside a running server, complete, private, and restored only where no
 * server runs.
 */

import assert from "node:assert/strict";
import {
	existsSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { open } from "lmdb";
import { openAccess } from "../../server/open-access.js";
import { HostIdentity } from "../../server/shared-state/host-identity.js";
import { KeyCopy } from "../../server/shared-state/key-copy.js";
import { outboxOf, storedElsewhere } from "../../server/shared-state/usage-exchange.js";
import { signupTables } from "../../server/signup/signup-records.js";
import { backUpStore, restoreStore } from "../../server/store/backup.js";
import { StoreError, type StoreErrorCode } from "../../server/store/errors.js";
import { RECORD_SCHEMAS } from "../../server/store/records.js";
import { Store } from "../../server/store/store.js";
import { TABLE_SCHEMAS } from "../../server/store-tables.js";
import { runCommandLine } from "../command-line.js";
import { addKey, NOON_MS, SetClock, scratchFolder } from "./scratch.js";

/** A store whose first key has been used `requests` times. */
async function usedStore(t: TestContext, requests: number): Promise<{ dataFolder: string; text: string }> {
	const dataFolder = scratchFolder(t);
	const store = Store.open({ dataFolder, create: true });
	const { text } = await addKey(store);
	await addKey(store, { name: "other" });
	await store.close();
	const access = openAccess({ dataFolder, clock: new SetClock(), onError: assert.ifError });
	const found = access.authenticator.authenticate({ authorization: null, xApiKey: text }, NOON_MS);
	assert.ok(found.ok);
	for (let i = 0; i < requests; i++) access.limits.take(found.key, "/v1/licenses", NOON_MS);
	await access.close();
	return { dataFolder, text };
}

async function refusedWith(code: StoreErrorCode, message: RegExp, work: Promise<unknown>): Promise<void> {
	await assert.rejects(
		work,
		(error) => error instanceof StoreError && error.code === code && message.test(error.message),
	);
}

async function contentsOf(dataFolder: string) {
	const store = Store.open({ dataFolder, create: false });
	const keys = store.keys();
	const contents = {
		keys,
		counters: keys.map(({ id }) => store.counter(id)),
		audit: store.auditSince(0),
		all: Object.fromEntries(store.readAll(TABLE_SCHEMAS)),
	};
	await store.close();
	return contents;
}

test("a backup brings back keys, counts, usage and changes, and keeps what it replaces", async (t) => {
	const { dataFolder } = await usedStore(t, 7);
	const file = join(dataFolder, "keys.backup");
	const before = await contentsOf(dataFolder);
	assert.deepEqual(before.all, { meta: 3, keys: 2, audit: 2, counters: 1, usage: 1, secrets: 1 });
	const { bytes, ...backed } = await backUpStore(dataFolder, file, TABLE_SCHEMAS);
	assert.deepEqual(backed, { keys: 2, audit_entries: 2 });
	assert.equal(statSync(file).size, bytes);
	assert.equal(statSync(file).mode & 0o777, 0o600);
	const store = Store.open({ dataFolder, create: false });
	await addKey(store, { name: "made since" });
	await store.close();
	const { kept } = await restoreStore(dataFolder, file, TABLE_SCHEMAS);
	assert.deepEqual(await contentsOf(dataFolder), before);
	assert.equal(statSync(join(dataFolder, "keys")).mode & 0o777, 0o700);
	assert.ok(kept !== null && existsSync(join(kept, "data.mdb")));
	assert.ok(
		readdirSync(dataFolder).every((name) => !name.includes("restoring") && !name.includes("partial")),
	);
});

test("a missing or damaged folder of keys is replaced", async (t) => {
	const { dataFolder } = await usedStore(t, 1);
	const file = join(dataFolder, "keys.backup");
	await backUpStore(dataFolder, file, TABLE_SCHEMAS);
	const before = await contentsOf(dataFolder);
	rmSync(join(dataFolder, "keys"), { recursive: true });
	assert.equal((await restoreStore(dataFolder, file, TABLE_SCHEMAS)).kept, null);
	writeFileSync(join(dataFolder, "keys", "data.mdb"), "garbage".repeat(10_000));
	await restoreStore(dataFolder, file, TABLE_SCHEMAS);
	assert.deepEqual(await contentsOf(dataFolder), before);
});

test("a truncated, empty, foreign or newer backup replaces nothing", async (t) => {
	const { dataFolder } = await usedStore(t, 1);
	const file = join(dataFolder, "keys.backup");
	await backUpStore(dataFolder, file, TABLE_SCHEMAS);
	const sound = readFileSync(file);
	const before = await contentsOf(dataFolder);
	const refused = async (code: StoreErrorCode, message: RegExp) => {
		await refusedWith(code, message, restoreStore(dataFolder, file, TABLE_SCHEMAS));
		await refusedWith(code, new RegExp(`^${file}: `), restoreStore(dataFolder, file, TABLE_SCHEMAS));
		assert.deepEqual(await contentsOf(dataFolder), before);
		assert.deepEqual(
			readdirSync(dataFolder).filter((name) => name.includes("restoring")),
			[],
		);
	};
	truncateSync(file, 8_192);
	await refused("unopenable", /cut short/);
	writeFileSync(file, "");
	await refused("unopenable", /empty/);
	writeFileSync(file, "not a database".repeat(2_000));
	await refused("unopenable", /: this is no intact backup of keys: it is no LMDB database: .* magic number$/);
	await refusedWith(
		"unopenable",
		/: this is no intact backup of keys: it is a folder or a device$/,
		restoreStore(dataFolder, scratchFolder(t), TABLE_SCHEMAS),
	);
	rmSync(file);
	await refused("not_found", /no such backup/);
	writeFileSync(file, sound);
	await refusedWith("in_use", /a file already/, backUpStore(dataFolder, file, TABLE_SCHEMAS));
});

test("under a server keys are backed up while counts go on, and not restored until it has stopped", async (t) => {
	const { dataFolder, text } = await usedStore(t, 3);
	const access = openAccess({ dataFolder, clock: new SetClock(), onError: assert.ifError });
	const found = access.authenticator.authenticate({ authorization: null, xApiKey: text }, NOON_MS);
	assert.ok(found.ok);
	const { key } = found;
	let counting = true;
	t.after(() => {
		counting = false;
	});
	let counted = 3;
	const load = (async () => {
		while (counting) {
			if (access.limits.take(key, "/v1/licenses", NOON_MS).allowed) counted++;
			await delay(1);
		}
	})();
	const file = join(dataFolder, "keys.backup");
	for (let i = 0; i < 5; i++) {
		const atLeast = (await contentsOf(dataFolder)).counters[0]?.month.count ?? 0;
		await backUpStore(dataFolder, `${file}.${i}`, TABLE_SCHEMAS);
		const copied = scratchFolder(t);
		await restoreStore(copied, `${file}.${i}`, TABLE_SCHEMAS);
		const { counters, keys } = await contentsOf(copied);
		const count = counters[0]?.month.count ?? 0;
		assert.equal(keys.length, 2);
		assert.ok(count >= atLeast && count <= counted, `${atLeast} ≤ ${count} ≤ ${counted}`);
	}
	await refusedWith(
		"in_use",
		new RegExp(`process ${process.pid}\\) runs on these keys`),
		restoreStore(dataFolder, `${file}.0`, TABLE_SCHEMAS),
	);
	counting = false;
	await load;
	await access.close();
	assert.equal((await restoreStore(dataFolder, `${file}.0`, TABLE_SCHEMAS)).keys, 2);
});

/** A store with every table that the server makes, and one that only earlier versions made. */
async function storeOfAllTables(t: TestContext) {
	const { dataFolder } = await usedStore(t, 1);
	const store = Store.open({ dataFolder, create: false });
	signupTables(store);
	outboxOf(store);
	storedElsewhere(store, () => null);
	new KeyCopy(store);
	await HostIdentity.open(store);
	await store.close();
	await put(dataFolder, "key_ids", "0".repeat(64), "k1");
	return dataFolder;
}

async function put(dataFolder: string, database: string, key: string, value: unknown): Promise<void> {
	const root = open({ path: join(dataFolder, "keys"), noSubdir: false, maxDbs: 32 });
	await root.openDB({ name: database }).put(key, value);
	await root.close();
}

test("a backup is checked in every database, and one that an earlier version made is kept", async (t) => {
	const dataFolder = await storeOfAllTables(t);
	const file = join(dataFolder, "keys.backup");
	const known = [...Object.keys(RECORD_SCHEMAS), ...Object.keys(TABLE_SCHEMAS)];
	const found = Object.keys((await contentsOf(dataFolder)).all);
	assert.deepEqual(found.sort(), [...known, "key_ids"].sort());
	await backUpStore(dataFolder, file, TABLE_SCHEMAS);
	for (const database of known) {
		await restoreStore(dataFolder, file, TABLE_SCHEMAS);
		await put(dataFolder, database, "damaged", { of: "nothing" });
		const refused = backUpStore(dataFolder, `${file}.${database}`, TABLE_SCHEMAS);
		await refusedWith("corrupt_record", new RegExp(`${database} damaged`), refused);
	}
});

test("leftovers of a killed server do not block a restore", async (t) => {
	const { dataFolder } = await usedStore(t, 1);
	const file = join(dataFolder, "keys.backup");
	await backUpStore(dataFolder, file, TABLE_SCHEMAS);
	writeFileSync(join(dataFolder, "keys", `server.${process.pid}`), `${process.pid} another-boot 1`);
	writeFileSync(join(dataFolder, "keys", "server.999999999"), "999999999");
	assert.equal((await restoreStore(dataFolder, file, TABLE_SCHEMAS)).keys, 2);
});

test("the commands say what they did, and refuse in one line", async (t) => {
	const { dataFolder } = await usedStore(t, 1);
	const file = join(dataFolder, "keys.backup");
	const run = (...args: string[]) => runCommandLine("server", ["keys", ...args, "--data", dataFolder]);
	const backed = await run("backup", "--out", file, "--json");
	assert.equal(backed.code, 0, backed.stderr);
	assert.deepEqual(JSON.parse(backed.stdout), {
		file,
		keys: 2,
		audit_entries: 2,
		bytes: statSync(file).size,
	});
	const restored = await run("restore", "--from", file);
	assert.equal(restored.code, 0, restored.stderr);
	assert.match(restored.stdout, /^2 keys are back; what was there is in .*keys-replaced-\d{4}-\d\d-\d\d\n$/);
	const again = await run("backup", "--out", file);
	assert.equal(again.code, 1);
	assert.match(again.stderr, /^error: .*a file already\n$/);
	assert.equal((await run("restore")).code, 2);
});

test("the store's files are accessible to their owner only, for any umask", async (t) => {
	const before = process.umask(0);
	t.after(() => process.umask(before));
	const { dataFolder } = await usedStore(t, 1);
	for (const name of readdirSync(join(dataFolder, "keys"))) {
		assert.equal(statSync(join(dataFolder, "keys", name)).mode & 0o077, 0, name);
	}
});
