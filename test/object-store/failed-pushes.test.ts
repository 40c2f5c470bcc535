/** Work on many files in parallel, such as a push, ends with its first failure. */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { confirmPushed, pushFiles } from "../../builder/object-store/push-month.js";
import { snapshotFolder } from "../../formats/index.js";
import { FILES_PARALLEL, inParallel, type ObjectStore } from "../../formats/object-store/index.js";
import { prebuilt } from "../prebuilt.js";
import { build } from "./months-rig.js";

test("work in parallel ends with its first failure or with its signal, and says which", async () => {
	const begun: number[] = [];
	const items = Array.from({ length: 20 }, (_, i) => i);
	let over = 0;
	const failing = inParallel(items, 4, async (item, signal) => {
		begun.push(item);
		if (item === 2) throw new Error("the first");
		await delay(10_000, undefined, { signal }).finally(() => {
			over++;
		});
	});
	await assert.rejects(failing, /^Error: the first$/);
	assert.deepEqual([begun, over], [[0, 1, 2, 3], 3], "the others have ended");
	const ending = new AbortController();
	ending.abort(new Error("given up"));
	await assert.rejects(
		inParallel(items, 4, async () => assert.fail(), ending.signal),
		/^Error: given up$/,
	);
	await inParallel([], 4, async () => assert.fail(), ending.signal);
	const done: number[] = [];
	await inParallel(items, 3, async (item) => void done.push(item));
	assert.deepEqual(done, items);
});

const MONTH = "2026-10";
let folder = "";
before(async () => {
	folder = await prebuilt("pushed-month", (built) => build(join(built, "data"), built, MONTH, 1));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A store that has nothing, whose request number `failing` of `kind` fails, and those after it wait for their signal. */
function failingStore(kind: "size" | "write", failing: number, size: number | null = null) {
	const asked = { size: 0, write: 0 };
	const answer = async <T>(of: "size" | "write", value: T, signal: AbortSignal | undefined): Promise<T> => {
		const number = ++asked[of];
		if (of === kind && number === failing) throw new Error("it failed");
		if (of === kind && number > failing) await delay(15_000, undefined, { signal });
		return value;
	};
	const store: Partial<ObjectStore> = {
		url: "test:",
		size: (_, signal) => answer("size", size, signal),
		write: (_name, _body, _sha256, _condition, signal) => answer("write", "written" as const, signal),
	};
	return { store: store as ObjectStore, asked };
}

test("the first failure of a push ends the other uploads, and no further one begins", {
	timeout: 10_000,
}, async () => {
	for (const kind of ["size", "write"] as const) {
		const { store, asked } = failingStore(kind, 5);
		await assert.rejects(pushFiles(store, join(folder, "data"), MONTH), /^Error: it failed$/);
		assert.ok(asked[kind] >= 5 && asked[kind] < 5 + FILES_PARALLEL, `${asked[kind]} requests`);
		const { size, write } = asked;
		await delay(50);
		assert.deepEqual(asked, { size, write }, "nothing is sent after that");
	}
});

test("of a month with a damaged byte nothing is pushed, in a column and in stored rows", async () => {
	const data = join(mkdtempSync(join(folder, "damaged-")), "data");
	cpSync(join(folder, "data"), data, { recursive: true });
	const month = snapshotFolder(data, MONTH);
	const segment = readdirSync(join(month, "rows")).find((name) => name.endsWith(".row"));
	assert.ok(segment !== undefined);
	for (const name of ["member_city.col", join("rows", segment)]) {
		const file = join(month, name);
		const sound = readFileSync(file);
		const damaged = Buffer.from(sound);
		damaged[sound.length >> 1] ^= 1;
		writeFileSync(file, damaged);
		const { store, asked } = failingStore("size", 0);
		await assert.rejects(pushFiles(store, data, MONTH), ({ code, message }) => {
			assert.equal(code, "checksum_mismatch");
			assert.ok(message.includes(file), message);
			return true;
		});
		assert.deepEqual(asked, { size: 0, write: 0 }, name);
		writeFileSync(file, sound);
	}
});

test("a look for what was pushed ends with its first failure", async () => {
	const objects = new Map<string, Uint8Array>();
	const keeping: Partial<ObjectStore> = {
		url: "test:",
		size: async () => null,
		write: async (name, body) => {
			objects.set(name, new Uint8Array(await body.arrayBuffer()));
			return "written";
		},
	};
	const pushed = await pushFiles(keeping as ObjectStore, join(folder, "data"), MONTH);
	const { store, asked } = failingStore("size", 3, 0);
	const manifest = { bytes: objects.get(`manifests/${pushed.manifest}.json`) as Uint8Array, etag: "" };
	// The first looks are for the manifest, and for the first object.
	const sizes = new Map([...objects].map(([name, { length }]) => [name, length]));
	const whole: ObjectStore = {
		...store,
		read: async () => manifest,
		size: async (name, signal) => {
			await store.size(name, signal);
			return sizes.get(name) ?? null;
		},
	};
	await assert.rejects(confirmPushed(whole, join(folder, "data"), [pushed]), /^Error: it failed$/);
	assert.ok(asked.size < 3 + FILES_PARALLEL, `${asked.size} requests`);
});
