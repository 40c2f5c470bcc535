/** A manifest of an object store is taken only as the one it is named as, with files of its month alone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	documentBytes,
	EMPTY_INDEX,
	manifestName,
	type ObjectStore,
	parseStoredIndex,
	readStoredManifest,
	type StoredManifest,
	sha256Of,
} from "../../formats/object-store/index.js";

const FILE = { path: "snapshots/2026-11/catalog", bytes: 1, sha256: "0".repeat(64) };
const MANIFEST: StoredManifest = {
	format: 1,
	month: "2026-11",
	digest: "01234567",
	rows: 3,
	files: [FILE, { ...FILE, path: "manifests/2026-11.json" }],
};

/** What a host reads of a store that has `bytes` under the name of the manifest with `digest`. */
function readOf(bytes: Uint8Array | null, digest = sha256Of(bytes ?? Buffer.of())): Promise<StoredManifest> {
	const read: ObjectStore["read"] = async (name) =>
		name === manifestName(digest) && bytes !== null ? { bytes, etag: '"1"' } : null;
	return readStoredManifest({ url: "s3://months/x", read } as ObjectStore, digest);
}

function withPath(path: string): Uint8Array {
	return documentBytes({ ...MANIFEST, files: [FILE, { ...FILE, path }] });
}

test("a manifest is read as it was written", async () => {
	assert.deepEqual(await readOf(documentBytes(MANIFEST)), MANIFEST);
	for (const path of ["snapshots/2026-11/rows/000.row", "changes/2026-10_2026-11.01234567.89abcdef/catalog"])
		assert.equal((await readOf(withPath(path))).files[1].path, path);
});

test("a manifest with a file of another month is refused by the file's name", async () => {
	for (const path of [
		"snapshots/2026-10/catalog",
		"manifests/2026-10.json",
		"changes/2026-09_2026-10.01234567.89abcdef/catalog",
	]) {
		const message = `s3://months/x/${manifestName(sha256Of(withPath(path)))}: ${path} is not a file of 2026-11`;
		await assert.rejects(readOf(withPath(path)), { code: "corrupt_object", message });
	}
});

test("a manifest with a path that leaves the month's folders is refused", async () => {
	for (const path of [
		"snapshots/2026-11/../2026-10/catalog",
		"snapshots/2026-11/rows/../catalog",
		"/snapshots/2026-11/catalog",
		"keys/data.mdb",
		"snapshots/2026-11/",
	])
		await assert.rejects(readOf(withPath(path)), { code: "corrupt_object", message: /files\.1\.path/ }, path);
});

test("of an index that is damaged the object is named, the member if there is one, and what mends it", () => {
	const store = { url: "s3://months/x" };
	const remedy = "; put back an intact copy: servers keep theirs as pulls/index.json in the data folder";
	const faultOf = (text: string) => {
		try {
			parseStoredIndex(store, Buffer.from(text));
		} catch (error) {
			return (error as Error).message.replace("s3://months/x/index.json: ", "");
		}
		return "none";
	};
	assert.equal(faultOf(documentBytes(EMPTY_INDEX).toString()), "none");
	assert.equal(faultOf("{"), `is not JSON${remedy}`);
	assert.match(faultOf("[]"), /^Invalid input: expected object[^:]*; put back/);
	assert.equal(
		faultOf('{"format":2,"revision":0,"months":{}}'),
		`format: Invalid input: expected 1${remedy}`,
	);
	const many = (count: number) => {
		const names = Array.from(
			{ length: count },
			(_, i) => `${2000 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, "0")}`,
		);
		const live = { manifest: "0".repeat(64), live_at: 0 };
		return faultOf(
			JSON.stringify({ ...EMPTY_INDEX, months: Object.fromEntries(names.map((name) => [name, live])) }),
		);
	};
	assert.equal(many(1_200), "none");
	assert.equal(many(1_201), `months: has more than 1200 months${remedy}`);
	const liveAt = (ms: number) =>
		faultOf(
			JSON.stringify({ ...EMPTY_INDEX, months: { "2026-11": { manifest: "0".repeat(64), live_at: ms } } }),
		);
	assert.equal(liveAt(8.64e15), "none");
	assert.match(liveAt(8.64e15 + 1), /^months\.2026-11\.live_at: Too big.*; put back an intact copy/);
});

test("a manifest that is missing, changed or no manifest is refused", async () => {
	const digest = sha256Of(documentBytes(MANIFEST));
	await assert.rejects(readOf(null, digest), { code: "missing_object" });
	await assert.rejects(readOf(withPath("snapshots/2026-11/x"), digest), {
		code: "corrupt_object",
		message: /its digest is /,
	});
	await assert.rejects(readOf(Buffer.from("{")), { code: "corrupt_object", message: /is not JSON/ });
	await assert.rejects(readOf(Buffer.from("{}")), { code: "corrupt_object", message: /format/ });
});
