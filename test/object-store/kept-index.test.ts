/** What a host keeps of the store reaches storage before it takes the place of what was kept before. */

import assert from "node:assert/strict";
import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { EMPTY_INDEX } from "../../formats/object-store/index.js";
import { FaultLog } from "../../server/months/fault-log.js";
import { IndexKeeper, keepDigests, readKeptDigests, readKeptIndex } from "../../server/months/kept-index.js";

/** The syncs and renames of this process from now on, by names of files. */
function recorded(t: TestContext): string[] {
	const { fsyncSync, openSync, renameSync } = fs;
	const paths = new Map<number, string>();
	const done: string[] = [];
	Object.assign(fs, {
		openSync: (...given: Parameters<typeof openSync>) => {
			const descriptor = openSync(...given);
			paths.set(descriptor, basename(String(given[0])));
			return descriptor;
		},
		fsyncSync: (descriptor: number) => {
			fsyncSync(descriptor);
			done.push(`sync ${paths.get(descriptor)}`);
		},
		renameSync: (from: string, to: string) => {
			renameSync(from, to);
			done.push(`rename ${basename(from)} ${basename(to)}`);
		},
	});
	syncBuiltinESMExports();
	t.after(() => {
		Object.assign(fs, { fsyncSync, openSync, renameSync });
		syncBuiltinESMExports();
	});
	return done;
}

test("the index and the digests are synced, put in place by a rename, and the folder is synced", (t) => {
	const data = mkdtempSync(join(tmpdir(), "rollcall-kept-"));
	t.after(() => rmSync(data, { recursive: true, force: true }));
	const log = pino({ level: "silent" });
	const digests = new Map([["manifest", "snapshot"]]);
	const index = { ...EMPTY_INDEX, revision: 7 };
	const keeper = new IndexKeeper(data, new FaultLog(log, new AbortController().signal));
	keepDigests(data, new Map());
	keeper.keep(EMPTY_INDEX);
	const done = recorded(t);
	keepDigests(data, digests);
	keeper.keep(index);
	const replaced = (name: string) => {
		const aside = `${name}.${process.pid}`;
		return [`sync ${aside}`, `rename ${aside} ${name}`, "sync pulls"];
	};
	assert.deepEqual(done, [...replaced("digests.json"), ...replaced("index.json")]);
	assert.deepEqual(readKeptDigests(data, log), digests);
	assert.equal(readKeptIndex(data, log)?.revision, 7);
	assert.deepEqual(readdirSync(join(data, "pulls")).sort(), ["digests.json", "index.json"]);
});

test("digests that cannot be kept leave no file beside those kept", (t) => {
	const data = mkdtempSync(join(tmpdir(), "rollcall-kept-"));
	t.after(() => rmSync(data, { recursive: true, force: true }));
	mkdirSync(join(data, "pulls", "digests.json"), { recursive: true });
	assert.throws(() => keepDigests(data, new Map()), { code: "EISDIR" });
	assert.deepEqual(readdirSync(join(data, "pulls")), ["digests.json"]);
});
