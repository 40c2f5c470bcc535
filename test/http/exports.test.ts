/** Exported files over HTTP: who sees and gets which, ranges, and downloads that go on (docs/API.md §11.7, §11.12). */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import fc from "fast-check";
import { exportMonth } from "../../builder/export/export-month.js";
import { EXPORT_TASK_HANDLERS, type ExportTasks } from "../../builder/export/tasks.js";
import { type ExportFormat, exportsFolder, type Range } from "../../formats/index.js";
import { byteRange } from "../../server/api/responses/byte-range.js";
import { exportsResponse } from "../../server/api/schemas/exports-response.js";
import { Pace } from "../../server/exports/pace.js";
import { checkProperty } from "../oracle/seeded.js";
import { overBothTransports, type ServedFixture } from "./served.js";

const MONTH = "2026-11";

/** Exports the months of a server, all states and formats. */
async function exportAll(served: ServedFixture, ...months: string[]): Promise<void> {
	for (const month of months) await exportOne(served, month, null, ["parquet", "csv.gz"]);
}

async function exportOne(
	{ dataFolder }: ServedFixture,
	month: string,
	states: readonly string[] | null,
	formats: readonly ExportFormat[],
): Promise<void> {
	mkdirSync(join(dataFolder, "staging"), { recursive: true });
	await exportMonth({
		dataFolder,
		month,
		states,
		formats,
		now: () => new Date("2026-12-01T00:00:00Z"),
		run: async <K extends keyof ExportTasks>(kind: K, input: ExportTasks[K]["input"]) =>
			EXPORT_TASK_HANDLERS[kind](input as never),
	});
}

async function list(served: ServedFixture, key: string, query = "") {
	return (await served.ok(exportsResponse, `/v1/exports${query}`, key)).data;
}

/** The bytes of an answer. */
async function download(
	{ port }: ServedFixture,
	path: string,
	key: string,
	headers: Record<string, string> = {},
	method = "GET",
) {
	const init = { method, headers: { authorization: `Bearer ${key}`, ...headers } };
	const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
	return { response, status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

overBothTransports("exports", (served) => {
	before(() => exportAll(served(), "2026-10", MONTH));
	const bulk = (scope = {}) => served().key({ scope: { bulk: true, ...scope } });

	test("every file that is listed is downloaded as it is described", async () => {
		const key = await bulk();
		const files = await list(served(), key, `?snapshot=${MONTH}`);
		assert.ok(files.some(({ state }) => state === null) && files.some(({ state }) => state === "CA"));
		assert.equal((await list(served(), key)).length, files.length * 2);
		assert.ok((await list(served(), key, "?state=CA")).every(({ state }) => state === "CA"));
		for (const file of files) {
			const { response, status, bytes } = await download(served(), file.path, key);
			assert.equal(status, 200);
			assert.equal(bytes.length, file.bytes);
			assert.equal(sha256(bytes).toString("hex"), file.sha256);
			const digest = `sha-256=:${sha256(bytes).toString("base64")}:`;
			assert.equal(response.headers.get("content-digest"), digest);
			assert.equal(response.headers.get("repr-digest"), digest);
			assert.equal(response.headers.get("etag"), `"${file.sha256}"`);
			assert.equal(response.headers.get("content-length"), String(file.bytes));
			assert.equal(response.headers.get("content-encoding"), null);
			assert.equal(response.headers.get("accept-ranges"), "bytes");
		}
	});

	test("ranges of a file are its bytes, and HEAD has none", async () => {
		const key = await bulk();
		const path = `/v1/exports/${MONTH}/all.parquet`;
		const whole = await download(served(), path, key);
		const tag = whole.response.headers.get("etag") ?? "";
		const size = whole.bytes.length;
		for (const [range, from, to] of [
			["bytes=0-99", 0, 100],
			["bytes=100-", 100, size],
			["bytes=-7", size - 7, size],
			[`bytes=${size - 1}-${size + 5}`, size - 1, size],
		] as const) {
			const part = await download(served(), path, key, { range, "if-range": tag });
			assert.equal(part.status, 206, range);
			assert.deepEqual(part.bytes, whole.bytes.subarray(from, to), range);
			assert.equal(part.response.headers.get("content-range"), `bytes ${from}-${to - 1}/${size}`);
			assert.equal(part.response.headers.get("content-digest"), null);
			const head = await download(served(), path, key, { range }, "HEAD");
			assert.deepEqual([head.status, head.bytes.length], [200, 0]);
			assert.equal(head.response.headers.get("content-length"), String(size));
			assert.equal(head.response.headers.get("content-range"), null);
		}
		// A download that broke off goes on where it ended, unless the file is another.
		const stale = await download(served(), path, key, { range: "bytes=5-", "if-range": '"other"' });
		assert.deepEqual([stale.status, stale.bytes.length], [200, size]);
		for (const ignored of ["bytes=0-1,5-6", "rows=0-1", "bytes=9-5"])
			assert.equal((await download(served(), path, key, { range: ignored })).status, 200, ignored);
		for (const current of [tag, `"other", ${tag}`, "*"]) {
			const part = await download(served(), path, key, { range: "bytes=5-6", "if-match": current });
			assert.equal(part.status, 206, current);
		}
		for (const other of ['"other"', `W/${tag}`])
			for (const method of ["GET", "HEAD"]) {
				const headers = { range: "bytes=5-6", "if-match": other, "if-none-match": tag };
				assert.equal((await download(served(), path, key, headers, method)).status, 412, other);
			}
		const changed = await served().refused(path, key, { headers: { "if-match": '"other"' } });
		assert.equal(changed.code, "precondition_failed");
		const past = await served().refused(path, key, { headers: { range: `bytes=${size}-` } });
		assert.deepEqual([past.status, past.code], [416, "range_not_satisfiable"]);
		assert.equal(past.headers.get("content-range"), `bytes */${size}`);
		assert.equal((await download(served(), path, key, { "if-none-match": tag })).status, 304);
	});

	test("an empty list says why, and a list of some states says which", async () => {
		const files = async (query: string, key: string) =>
			served().ok(exportsResponse, `/v1/exports?${query}`, key);
		const { data, meta } = await files("state=WY", await bulk());
		assert.deepEqual([data, meta.hints?.[0].param, meta.hints?.[0].value], [[], "state", "WY"]);
		const geography = { countries: [], states: ["CA"] };
		const narrowed = await served().key({ scope: { bulk: true, history: { mode: "all" }, geography } });
		const some = await files(`snapshot=${MONTH}`, narrowed);
		assert.ok(some.data.length > 0);
		assert.deepEqual([some.meta.scope, some.meta.hints], [{ geography }, undefined]);
	});

	test("keys that read less see and get less", async () => {
		const path = (name: string) => `/v1/exports/${MONTH}/${name}`;
		for (const options of [
			{ scope: {} },
			{ scope: { bulk: true, columns: ["id", "state", "member_full_name"] } },
			{ scope: { bulk: true }, tier: "trial" },
		] as const) {
			const key = await served().key(options as never);
			for (const target of ["/v1/exports", path("CA.parquet")]) {
				const refused = await served().refused(target, key);
				assert.deepEqual([refused.status, refused.code], [403, "scope_denied"], target);
			}
		}
		const narrow = await bulk({ geography: { countries: [], states: ["TX"] } });
		const seen = await list(served(), narrow, `?snapshot=${MONTH}`);
		assert.deepEqual(new Set(seen.map(({ state }) => state)), new Set(["TX"]));
		assert.equal((await download(served(), path("TX.parquet"), narrow)).status, 200);
		for (const name of ["CA.parquet", "all.parquet", "NY.parquet"]) {
			const refused = await served().refused(path(name), narrow);
			assert.deepEqual([refused.status, refused.code, refused.param], [403, "scope_denied", "file"], name);
		}
		const latest = await bulk({ history: { mode: "latest" } });
		assert.ok((await list(served(), latest)).every(({ snapshot }) => snapshot === MONTH));
		const denied = await served().refused("/v1/exports/2026-10/CA.parquet", latest);
		assert.deepEqual([denied.status, denied.code], [403, "history_denied"]);
	});

	test("names of no file are 400, files that are not there 404", async () => {
		const key = await bulk();
		for (const name of [
			"CA",
			"CA.xls",
			"ZZ.parquet",
			"all",
			"..parquet",
			"CA.parquet.gz",
			"%2e%2e%2fCA.parquet",
		]) {
			const refused = await served().refused(`/v1/exports/${MONTH}/${name}`, key);
			assert.deepEqual([refused.status, refused.param], [400, "file"], name);
		}
		for (const target of [
			`/v1/exports/${MONTH}/WY.ndjson.gz`,
			"/v1/exports/2026-09/CA.parquet",
			`/v1/exports/${MONTH}/CA.parquet/more`,
			`/v1/exports/${MONTH}/`,
		])
			assert.equal((await served().refused(target, key)).status, 404, target);
		assert.equal((await served().refused("/v1/exports/2026-1/CA.parquet", key)).param, "snapshot");
	});

	test("a download is completed although its files are removed, and downloads are counted", async () => {
		const key = await served().key({
			scope: { bulk: true },
			rate_limits: { per_minute: 2, per_day: null, monthly_quota: null },
		});
		const path = `/v1/exports/2026-10/all.csv.gz`;
		const response = await fetch(`http://127.0.0.1:${served().port}${path}`, {
			headers: { authorization: `Bearer ${key}` },
		});
		const snapshot = served().app.library.find("2026-10");
		assert.ok(snapshot !== undefined);
		rmSync(exportsFolder(served().dataFolder, snapshot), { recursive: true });
		const bytes = Buffer.from(await response.arrayBuffer());
		assert.equal(`"${sha256(bytes).toString("hex")}"`, response.headers.get("etag"));
		assert.equal((await served().refused(path, key)).status, 404);
		assert.equal((await served().refused(path, key)).code, "rate_limited");
		await exportAll(served(), "2026-10");
	});

	test("what is exported after files were listed is listed at the next request", async () => {
		const key = await bulk();
		const path = `/v1/exports/${MONTH}/TX.ndjson.gz`;
		assert.equal((await served().refused(path, key)).status, 404);
		const listed = await list(served(), key, `?snapshot=${MONTH}`);
		await exportOne(served(), MONTH, ["TX"], ["ndjson.gz"]);
		assert.equal((await download(served(), path, key)).status, 200);
		assert.equal((await list(served(), key, `?snapshot=${MONTH}`)).length, listed.length + 1);
	});
});

test("a range is the bytes that its definition names", (t) =>
	checkProperty(
		t,
		2_000,
		fc.property(
			fc.integer({ min: 1, max: 50 }),
			fc.option(fc.nat(60)),
			fc.option(fc.nat(60)),
			(bytes, first, last) => {
				const found = byteRange(`bytes=${first ?? ""}-${last ?? ""}`, bytes);
				const all = Array.from({ length: bytes }, (_, i) => i);
				const named = all.filter((i) => {
					if (first === null) return last !== null && i >= bytes - last;
					return i >= first && (last === null || i <= last);
				});
				const isFormed = first === null ? last !== null : last === null || last >= first;
				if (!isFormed) assert.equal(found, null);
				else if (named.length === 0) assert.equal(found, "unsatisfiable");
				else assert.deepEqual(found as Range, { from: named[0], to: (named.at(-1) ?? 0) + 1 });
			},
		),
	));

test("what is admitted together is sent at the rate, and an idle time is not saved up", () => {
	let nowMs = 1_000;
	const pace = new Pace(1_000, () => nowMs);
	assert.deepEqual([pace.admit(500), pace.admit(500), pace.admit(250)], [0, 500, 1_000]);
	nowMs += 10_000;
	assert.deepEqual([pace.admit(500), pace.admit(500)], [0, 500]);
	assert.equal(new Pace(0, () => 0).admit(1e9), 0);
});
