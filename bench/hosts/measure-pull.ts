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
import { median } from "../http/rounds.js";

/** Connections of curl and of the pull. */
const PARALLEL = 4;

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
	const { month, manifest } = await newestMonth(store);
	const { files } = await readStoredManifest(store, manifest);
	const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
	const names = files.map(({ sha256 }) => objectName(sha256));
	const rates: { pulled: number; curl: number }[] = [];
	for (let round = 0; round < rounds; round++) {
		const byCurl = async () => bytes / (await seconds(() => curl(url, names)));
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

/** Gets objects with curl, signed, and drops them. Credentials go by its standard input, which others cannot see. */
async function curl(url: string, names: readonly string[]): Promise<void> {
	const { AWS_ENDPOINT_URL: endpoint, AWS_REGION: region = "us-east-1" } = process.env;
	const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = process.env;
	const place = url.slice("s3://".length);
	const settings = [
		`user = "${id}:${secret}"`,
		`aws-sigv4 = "aws:amz:${region}:s3"`,
		"fail",
		"silent",
		"show-error",
		"parallel",
		`parallel-max = ${PARALLEL}`,
		...names.flatMap((name) => [`url = "${endpoint}/${place}/${name}"`, 'output = "/dev/null"']),
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
