/**
 * How fast a month comes out of an object store, against curl that gets the same objects from it over as many
 * connections: `builder pull` verifies, writes and publishes what curl throws away.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** Connections of curl and of the pull. */
const PARALLEL = 4;
/** How long curl's addresses are valid, in seconds. */
const SIGNED_S = 3_600;

export interface PullFigures {
	readonly month: string;
	readonly bytes: number;
	/** Medians over the rounds, in bytes a second. */
	readonly pulled: number;
	readonly curl: number;
	/** Median of the rounds' ratios, the pull's rate over curl's. */
	readonly ratio: number;
}

/** Measures the newest month of the store at `url`, an s3:// address, `rounds` times by turns. */
export async function measurePull(url: string, rounds: number): Promise<PullFigures> {
	const store = openStore(url, process.env);
	if (!(store instanceof S3Store)) throw new ObjectStoreError("bad_store_url", `${url} is no s3:// address`);
	const { month, manifest } = await newestMonth(store);
	const { files } = await readStoredManifest(store, manifest);
	const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
	const names = files.map(({ sha256 }) => objectName(sha256));
	const rates: { pulled: number; curl: number }[] = [];
	for (let round = 0; round < rounds; round++) {
		const byCurl = async () => bytes / (await seconds(() => curl(store, names)));
		const byPull = async () => bytes / (await seconds(() => pull(store, manifest)));
		// The first of a round changes, so that a store's caches favour neither.
		if (round % 2 === 0) rates.push({ curl: await byCurl(), pulled: await byPull() });
		else rates.push({ pulled: await byPull(), curl: await byCurl() });
	}
	return {
		month,
		bytes,
		pulled: median(rates.map((rate) => rate.pulled)),
		curl: median(rates.map((rate) => rate.curl)),
		ratio: median(rates.map((rate) => rate.pulled / rate.curl)),
	};
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

async function pull(store: ObjectStore, manifest: string): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-pull-"));
	try {
		const options = { parallel: PARALLEL, bytesPerSecond: Number.POSITIVE_INFINITY, rowStore: true };
		(await pullMonth(store, manifest, folder, options)).publish();
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Gets objects with curl by signed addresses, which go by its standard input, and drops them. */
async function curl(store: S3Store, names: readonly string[]): Promise<void> {
	const urls = await Promise.all(names.map((name) => store.presigned(name, SIGNED_S)));
	const settings = [
		"fail",
		"silent",
		"show-error",
		"no-progress-meter",
		"parallel",
		`parallel-max = ${PARALLEL}`,
		...urls.flatMap((url) => [`url = "${url}"`, 'output = "/dev/null"']),
	];
	const child = spawn("curl", ["--config", "-"], { stdio: ["pipe", "ignore", "inherit"] });
	child.stdin.end(settings.join("\n"));
	const code = await new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", resolve);
	});
	if (code !== 0) throw new Error(`curl ended with ${code}`);
}

async function seconds(act: () => Promise<void>): Promise<number> {
	const begunMs = performance.now();
	await act();
	return (performance.now() - begunMs) / 1000;
}
