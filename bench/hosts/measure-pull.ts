/**
 * How fast a month comes out of an object store, against curl that gets the same objects from it over as many
 * connections: `builder pull` verifies, writes, syncs and publishes what curl throws away, or writes and syncs.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { syncPath } from "../../formats/files/durable.js";
import {
	INDEX_BYTES_MAX,
	INDEX_NAME,
	type ObjectStore,
	ObjectStoreError,
	objectName,
	openStore,
	parseIndex,
	readStoredManifest,
} from "../../formats/object-store/index.js";
import { pullMonth } from "../../formats/object-store/pull-month.js";
import { S3Store } from "../../formats/object-store/s3-store.js";
import { median } from "../http/rounds.js";
import { ownChild } from "../processes/own-children.js";

/** Connections of curl and of the pull. */
const PARALLEL = 4;
const WAYS = ["curl", "curlToFiles", "pulled"] as const;
/** How long curl's addresses are valid, in seconds. */
const SIGNED_S = 3_600;

export interface PullFigures {
	readonly month: string;
	readonly bytes: number;
	/** Medians over the rounds, in bytes a second. */
	readonly pulled: number;
	readonly curl: number;
	/** Of curl that writes files, which are then synced. */
	readonly curlToFiles: number;
	/** Medians of the rounds' ratios, the pull's rate over curl's. */
	readonly ratio: number;
	readonly ratioToFiles: number;
}

/** Measures the newest month of the store at `url`, an s3:// address, `rounds` times by turns. */
export async function measurePull(url: string, rounds: number): Promise<PullFigures> {
	const store = openStore(url, process.env);
	if (!(store instanceof S3Store)) throw new ObjectStoreError("bad_store_url", `${url} is no s3:// address`);
	const { month, manifest } = await newestMonth(store);
	const { files } = await readStoredManifest(store, manifest);
	const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
	const names = files.map(({ sha256 }) => objectName(sha256));
	const ways = {
		curl: () => curl(store, names, null),
		curlToFiles: () => inFolder((folder) => curl(store, names, folder)),
		pulled: () => inFolder((folder) => pull(store, manifest, folder)),
	};
	const rates: Record<keyof typeof ways, number>[] = [];
	for (let round = 0; round < rounds; round++) {
		const rate = { curl: 0, curlToFiles: 0, pulled: 0 };
		// The first of a round changes, so that a store's caches favour none.
		const order = round % 2 === 0 ? WAYS : [...WAYS].reverse();
		for (const way of order) rate[way] = bytes / (await ways[way]());
		rates.push(rate);
	}
	return {
		month,
		bytes,
		pulled: median(rates.map((rate) => rate.pulled)),
		curl: median(rates.map((rate) => rate.curl)),
		curlToFiles: median(rates.map((rate) => rate.curlToFiles)),
		ratio: median(rates.map((rate) => rate.pulled / rate.curl)),
		ratioToFiles: median(rates.map((rate) => rate.pulled / rate.curlToFiles)),
	};
}

/** Seconds that `act` takes in a folder of its own, without removing it. */
async function inFolder(act: (folder: string) => Promise<number>): Promise<number> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-pull-"));
	try {
		return await act(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function newestMonth(store: ObjectStore): Promise<{ month: string; manifest: string }> {
	const document = await store.read(INDEX_NAME, INDEX_BYTES_MAX);
	if (document === null || document === "unchanged")
		throw new ObjectStoreError("missing_object", `${store.url} holds no months`);
	const index = parseIndex(document.bytes, store.url);
	const month = Object.keys(index.months).sort().at(-1);
	if (month === undefined) throw new ObjectStoreError("missing_object", `${store.url} holds no months`);
	return { month, manifest: index.months[month].manifest };
}

/** Seconds that a pull into `folder` takes. */
async function pull(store: ObjectStore, manifest: string, folder: string): Promise<number> {
	const begunMs = performance.now();
	const options = { parallel: PARALLEL, bytesPerSecond: Number.POSITIVE_INFINITY, rowStore: true };
	(await pullMonth(store, manifest, folder, options)).publish();
	return secondsSince(begunMs);
}

/**
 * Seconds that curl takes to get objects by signed addresses, which go by its standard input, and, if `folder` is not
 * null, to write them there and sync them.
 */
async function curl(store: S3Store, names: readonly string[], folder: string | null): Promise<number> {
	const urls = await Promise.all(names.map((name) => store.presigned(name, SIGNED_S)));
	const outputs = names.map((_, i) => (folder === null ? "/dev/null" : join(folder, String(i))));
	const begunMs = performance.now();
	const settings = [
		"fail",
		"silent",
		"show-error",
		"no-progress-meter",
		"parallel",
		`parallel-max = ${PARALLEL}`,
		...urls.flatMap((url, i) => [`url = "${url}"`, `output = "${outputs[i]}"`]),
	];
	const child = ownChild(spawn("curl", ["--config", "-"], { stdio: ["pipe", "ignore", "inherit"] }));
	child.stdin.end(settings.join("\n"));
	const code = await new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", resolve);
	});
	if (code !== 0) throw new Error(`curl ended with ${code}`);
	if (folder !== null) for (const path of outputs) syncPath(path);
	return secondsSince(begunMs);
}

function secondsSince(begunMs: number): number {
	return (performance.now() - begunMs) / 1000;
}
