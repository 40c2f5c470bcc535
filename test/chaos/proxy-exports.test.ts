/**
 * Exported files through the shipped configuration of nginx, to readers that wait: nginx takes what its memory holds and
 * no more. What it takes on disk ends at 1 GiB, where it takes nothing until the reader has all of that, and the server
 * ends an answer without progress.
 */

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
	EXPORT_MANIFEST_FILE,
	type ExportedFile,
	type ExportManifest,
	exportsFolder,
	snapshotDigest,
	snapshotFolder,
	storedExportName,
} from "../../formats/index.js";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { ProxyProcess, whyNot } from "./proxy/proxy-process.js";

const MONTH = "2026-11";
/** More than the buffers of sockets and of nginx hold together. */
const FILE = randomBytes(32 * 1024 * 1024);
/** Longer than it takes to fill these buffers. */
const PAUSE_MS = 1_000;

/** Adds an export of FILE's bytes, as the whole month in Parquet. */
function addExport(dataFolder: string): void {
	const digest = snapshotDigest(snapshotFolder(dataFolder, MONTH));
	assert.ok(digest !== null);
	const sha256 = createHash("sha256").update(FILE).digest("hex");
	const file: ExportedFile = {
		state: null,
		country: null,
		format: "parquet",
		rows: 1,
		bytes: FILE.length,
		sha256,
	};
	const manifest: ExportManifest = {
		month: MONTH,
		digest,
		exported_at: "2026-12-01T00:00:00Z",
		files: [file],
	};
	const folder = exportsFolder(dataFolder, { month: MONTH, digest });
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, storedExportName(file)), FILE);
	writeFileSync(join(folder, EXPORT_MANIFEST_FILE), JSON.stringify(manifest));
}

test("nginx takes an exported file at the pace of its reader", { skip: whyNot("nginx") }, async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT, {
		trusted_proxies: ["127.0.0.1"],
		exports_mib_s: 0,
	});
	t.after(() => served.close());
	addExport(served.dataFolder);
	const key = await served.key({ scope: { bulk: true } });
	const proxy = await ProxyProcess.start("nginx", served.port);
	t.after(() => proxy.close());
	const socket = proxy.open();
	const request = ["Host: rollcall.example", `Authorization: Bearer ${key}`, "Connection: close"];
	socket.write(`GET /v1/exports/${MONTH}/all.parquet HTTP/1.1\r\n${request.join("\r\n")}\r\n\r\n`);
	await delay(PAUSE_MS);
	const bytes = Buffer.concat(await socket.toArray());
	const head = bytes.subarray(0, bytes.indexOf("\r\n\r\n")).toString("latin1");
	assert.match(head, /^HTTP\/1\.1 200 /);
	assert.ok(bytes.subarray(-FILE.length).equals(FILE), "the file arrives whole");
	assert.doesNotMatch(proxy.complaints(), /temporary file/);
});
