/** A store that accepts requests and stops answering holds nobody up who wants to end: requests end with their signal. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { HttpsStore } from "../../formats/object-store/https-store.js";
import {
	type ObjectStore,
	pullFiles,
	readStoredManifest,
	sha256Of,
} from "../../formats/object-store/index.js";
import { S3Store } from "../../formats/object-store/s3-store.js";
import { MonthPuller } from "../../server/months/month-puller.js";
import { OpenedPublications } from "../../server/months/opened-publications.js";

/** A request is given up after 20 s without a byte, and tried four times. */
const ENDED_MS_MAX = 3_000;

interface Origin {
	readonly stores: readonly ObjectStore[];
	/** Resolves with the next request. */
	asked(): Promise<void>;
	readonly requests: () => number;
}

/** A server with a store of each kind over it. */
async function serve(t: TestContext, listener: RequestListener): Promise<Origin> {
	let requests = 0;
	let next: () => void = () => undefined;
	const server = createServer((request, response) => {
		requests++;
		listener(request, response);
		next();
	}).listen(0, "127.0.0.1");
	await new Promise((listening) => server.once("listening", listening));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const address = { endpoint, region: "us-east-1", bucket: "bucket", prefix: "" };
	const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
	return {
		stores: [new S3Store(address, credentials), new HttpsStore(`${endpoint}/bucket`)],
		asked: () =>
			new Promise((resolve) => {
				next = resolve;
			}),
		requests: () => requests,
	};
}

async function allOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
	let length = 0;
	for await (const chunk of bytes) length += chunk.length;
	return length;
}

const DIGEST = sha256Of(Buffer.from("object"));

/** What waits for a store's answer, each ended by its signal. */
const WAITS: Readonly<Record<string, (store: ObjectStore, signal: AbortSignal) => Promise<unknown>>> = {
	read: (store, signal) => store.read("index.json", 1_000, { signal }),
	"read of a manifest": (store, signal) => readStoredManifest(store, DIGEST, signal),
	open: async (store, signal) => allOf(await store.open("object", 0, signal)),
	size: (store, signal) => store.size("object", signal),
};

const ENDED = { code: "store_unreachable", message: /: ended$/ };

async function requireEnded(
	origin: Origin,
	waits: readonly string[],
	expected: object = ENDED,
): Promise<void> {
	for (const store of origin.stores) {
		for (const name of waits) {
			const ending = new AbortController();
			const asked = origin.asked();
			const waiting = WAITS[name](store, ending.signal);
			const refused = assert.rejects(waiting, expected, name);
			await asked;
			const startedMs = performance.now();
			// The head may be on its way.
			setTimeout(() => ending.abort(), 20);
			await refused;
			const ms = performance.now() - startedMs;
			assert.ok(ms < ENDED_MS_MAX, `${store.url}, ${name}: ${ms} ms`);
		}
	}
}

test("a request without an answer ends with its signal", async (t) => {
	const origin = await serve(t, () => undefined);
	await requireEnded(origin, Object.keys(WAITS));
	assert.equal(origin.requests(), origin.stores.length * Object.keys(WAITS).length, "none is repeated");
});

test("a body that stops ends with its signal, also that of a refusal", async (t) => {
	for (const status of [200, 403, 503]) {
		const origin = await serve(t, (_, response) => {
			response.writeHead(status, { "Content-Length": 10 }).write("half");
		});
		// A status that has come says what is wrong without the rest.
		const expected = status === 403 ? { name: "ObjectStoreError" } : ENDED;
		await requireEnded(origin, ["read", "read of a manifest", "open"], expected);
	}
});

test("a pause before another attempt ends with the signal, and a signal that is aborted before sends nothing", async (t) => {
	let failed = 0;
	const origin = await serve(t, (_, response) => {
		response.writeHead(503).end();
		failed++;
	});
	for (const store of origin.stores) {
		const before = failed;
		const ending = new AbortController();
		const waiting = store.read("index.json", 1_000, { signal: ending.signal });
		const refused = assert.rejects(waiting, ENDED);
		await origin.asked();
		setTimeout(() => ending.abort(), 20);
		await refused;
		assert.equal(failed, before + 1, "nothing is sent after that");
		await assert.rejects(store.size("object", ending.signal), ENDED);
		assert.equal(failed, before + 1);
	}
});

test("a download ends with its signal, also while it waits for its rate", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-silent-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const object = Buffer.alloc(100_000);
	const files = [{ path: "file", bytes: object.length, sha256: sha256Of(object) }];
	for (const [kind, bytesPerSecond] of [
		["silent", Number.POSITIVE_INFINITY],
		["slow", 1_000],
	] as const) {
		const origin = await serve(t, (_, response) => {
			if (kind === "slow") response.end(object);
		});
		const ending = new AbortController();
		const asked = origin.asked();
		const pulling = pullFiles(origin.stores[0], files, folder, {
			parallel: 1,
			bytesPerSecond,
			signal: ending.signal,
		});
		const refused = assert.rejects(pulling, ENDED, kind);
		await asked;
		const startedMs = performance.now();
		setTimeout(() => ending.abort(), 100);
		await refused;
		assert.ok(performance.now() - startedMs < ENDED_MS_MAX, kind);
	}
});

test("a host ends while the store is silent, and reports no fault", async (t) => {
	for (const [at, isSilent] of [
		["the index", () => true],
		["a manifest", (url: string) => url.includes("manifests/")],
	] as const) {
		const index = {
			format: 1,
			revision: 1,
			months: { "2026-11": { manifest: DIGEST, live_at: 0 } },
		};
		let asked: () => void = () => undefined;
		const silence = new Promise<void>((resolve) => {
			asked = resolve;
		});
		const origin = await serve(t, ({ url = "" }, response) => {
			if (isSilent(url)) asked();
			else response.end(JSON.stringify(index));
		});
		const dataFolder = mkdtempSync(join(tmpdir(), "rollcall-silent-"));
		t.after(() => rmSync(dataFolder, { recursive: true, force: true }));
		const lines: string[] = [];
		const puller = new MonthPuller({
			store: origin.stores[0],
			dataFolder,
			publications: OpenedPublications.allocate(1),
			clock: { now: () => Date.parse("2026-12-01T00:00:00Z") },
			scheduler: { every: () => () => undefined },
			log: pino({ level: "info" }, { write: (line: string) => void lines.push(line) }),
			pollMs: 1_000,
			keepMonths: 0,
			bytesPerSecond: Number.POSITIVE_INFINITY,
		});
		puller.start();
		await silence;
		const startedMs = performance.now();
		await puller.close();
		const ms = performance.now() - startedMs;
		assert.ok(ms < ENDED_MS_MAX, `${at}: ${ms} ms`);
		assert.deepEqual(lines, [], at);
	}
});
