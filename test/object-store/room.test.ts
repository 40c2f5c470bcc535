/** A month that does not fit the disk is refused before it fills it, whatever sizes its manifest states. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
	documentBytes,
	type ObjectStore,
	type StoredManifest,
	sha256Of,
} from "../../formats/object-store/index.js";
import { requireRoom } from "../../formats/object-store/pull-files.js";
import { pullMonth } from "../../formats/object-store/pull-month.js";

const CATALOG = "snapshots/2026-11/catalog";
const LEFT_FREE = 64 << 20;

function scratch(t: { after(act: () => void): void }): string {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-room-"));
	t.after(() => rmSync(folder, { recursive: true }));
	return folder;
}

test("a manifest that states more bytes than are free is refused, and nothing is downloaded", async (t) => {
	const folder = scratch(t);
	const manifest: StoredManifest = {
		format: 1,
		month: "2026-11",
		digest: "01234567",
		rows: 1,
		files: [{ path: CATALOG, bytes: 2 ** 50, sha256: "0".repeat(64) }],
	};
	const bytes = documentBytes(manifest);
	let opened = 0;
	const store = {
		url: "s3://months/x",
		read: async () => ({ bytes, etag: "" }),
		async *open() {
			opened++;
			for (let i = 0; i < 16; i++) yield Buffer.alloc(1 << 20);
		},
	} as unknown as ObjectStore;
	const options = { parallel: 4, bytesPerSecond: Number.POSITIVE_INFINITY, rowStore: true };
	await assert.rejects(pullMonth(store, sha256Of(bytes), folder, options), {
		code: "no_room",
		message: /needs 1,125,899,973,951,488 bytes free, which the disk has not; make room/,
	});
	assert.equal(opened, 0);
	const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
	assert.deepEqual(
		files.filter((name) => name.endsWith(".part")),
		[],
	);
});

test("only what is missing counts: what an earlier attempt left is there already", async (t) => {
	const folder = scratch(t);
	const files = [
		{ path: CATALOG, bytes: 1_000, sha256: "0".repeat(64) },
		{ path: "snapshots/2026-11/state.col", bytes: 500, sha256: "1".repeat(64) },
	];
	const room = (free: number) => requireRoom(files, folder, async () => LEFT_FREE + free);
	await room(1_500);
	const messages = await Promise.all(
		[1_499, 7].map((free) => room(free).catch((error: Error) => error.message)),
	);
	assert.equal(messages[0], messages[1], "repeated with every poll, it is logged once");
	mkdirSync(join(folder, "snapshots/2026-11"), { recursive: true });
	writeFileSync(join(folder, `${CATALOG}.part`), Buffer.alloc(900));
	await room(600);
	await assert.rejects(room(599), { code: "no_room" });
	writeFileSync(join(folder, CATALOG), Buffer.alloc(1_000));
	writeFileSync(join(folder, "snapshots/2026-11/state.col"), Buffer.alloc(500));
	await requireRoom(files, folder, async () => 0);
});
