/** Months to push and hosts to take them: what the tests of object stores work with. */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildMonth } from "../../builder/build/build-month.js";
import { synthesize } from "../../builder/synth/index.js";
import {
	changeIndex,
	INDEX_BYTES_MAX,
	INDEX_NAME,
	type ObjectStore,
	parseIndex,
	sha256Of,
} from "../../formats/object-store/index.js";

/** Publishes a synthetic month. */
export async function build(data: string, drops: string, month: string, seed: number): Promise<void> {
	const out = join(drops, String(seed));
	mkdirSync(out, { recursive: true });
	const { files } = await synthesize({ rows: 600, months: [month], seed, out });
	await buildMonth({
		files: files.map(({ path }) => path),
		dataFolder: data,
		month,
		maps: [],
		dateFormat: null,
		accept: new Set(["all"]),
		dryRun: false,
		rowStore: true,
		threads: null,
		now: () => new Date("2026-12-01T00:00:00Z"),
	} as unknown as Parameters<typeof buildMonth>[0]);
}

/** Files below a folder with their contents' digests. */
export function contents(folder: string): Record<string, string> {
	return Object.fromEntries(
		readdirSync(folder, { recursive: true, withFileTypes: true, encoding: "utf8" })
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name))
			.sort()
			.map((path) => [path.slice(folder.length), sha256Of(readFileSync(path))]),
	);
}

export function withoutRows(files: Record<string, string>): Record<string, string> {
	return Object.fromEntries(Object.entries(files).filter(([path]) => !path.includes("/rows/")));
}

/** `writers` writers each add a month of their own to the index, and all are kept. */
export async function contend(store: ObjectStore, writers = 8): Promise<void> {
	const months = Array.from({ length: writers }, (_, i) => `2026-${String(i + 1).padStart(2, "0")}`);
	const startedS = Math.floor(Date.now() / 1_000);
	const entry = { manifest: "0".repeat(64), live_at: 0 };
	await Promise.all(
		months.map((month) =>
			changeIndex(store, Date.now, (index) => ({ ...index, months: { ...index.months, [month]: entry } })),
		),
	);
	const document = await store.read(INDEX_NAME, INDEX_BYTES_MAX);
	assert.ok(document !== null && document !== "unchanged");
	const index = parseIndex(document.bytes, store.url);
	assert.deepEqual(Object.keys(index.months).sort(), months);
	// Of a store without an index, the first writer counts on from the time in seconds.
	const firstS = index.revision - writers;
	assert.ok(firstS >= startedS && firstS <= Date.now() / 1_000, `${index.revision}`);
}
