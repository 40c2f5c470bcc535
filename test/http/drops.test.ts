/** Months that are published and retired while the server runs. */

import assert from "node:assert/strict";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { publications, snapshotFolder } from "../../formats/index.js";
import {
	healthResponse,
	licensesResponse,
	snapshotsResponse,
} from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "./drop-rows.js";
import { overBothTransports, publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

overBothTransports("data drops", (served) => {
	test("a published month is served after the next reload, a retired one is not", async () => {
		const { dataFolder } = served();
		const key = await served().key();
		const latestOnly = await served().key({ scope: { history: { mode: "latest" } } });
		const before = await served().request("/v1/licenses?limit=1", key);
		await publish(dataFolder, "2026-12", monthRows("2026-11").slice(0, 50));
		assert.equal((await served().ok(healthResponse, "/v1/health", null)).snapshot, "2026-11");

		await served().reload();
		assert.equal((await served().ok(healthResponse, "/v1/health", null)).snapshot, "2026-12");
		const tag = before.headers.get("etag") ?? "";
		const now = await served().request("/v1/licenses?limit=1", key, { headers: { "if-none-match": tag } });
		assert.equal(now.status, 200, "the tag of the month before does not match");
		const page = await served().ok(licensesResponse, "/v1/licenses?limit=1", latestOnly);
		assert.deepEqual([page.meta.snapshot, page.pagination.total], ["2026-12", 50]);
		const denied = await served().refused("/v1/licenses?snapshot=2026-11", latestOnly);
		assert.equal(denied.code, "history_denied");

		renameSync(snapshotFolder(dataFolder, "2026-12"), join(dataFolder, "2026-12"));
		await served().reload();
		assert.equal((await served().ok(healthResponse, "/v1/health", null)).snapshot, "2026-11");
		const list = await served().ok(snapshotsResponse, "/v1/snapshots", key);
		assert.equal(list.data[0].snapshot, "2026-11");
	});

	test("a month that does not open is skipped, and the others are served", async () => {
		const { app, dataFolder, publications: opened } = served();
		const sound = opened.publish();
		assert.ok(!opened.isServed(sound));
		await served().reload();
		assert.ok(opened.isServed(sound));
		await publish(dataFolder, "2027-01", monthRows("2026-11").slice(0, 5));
		writeFileSync(join(snapshotFolder(dataFolder, "2027-01"), "catalog"), "not a catalog");
		const damaged = opened.publish();
		await served().reload();
		assert.equal((await served().ok(healthResponse, "/v1/health", null)).snapshot, "2026-11");
		assert.ok(!opened.isServed(damaged), "the thread does not serve it");
		const stamp = publications(dataFolder).get("2027-01") ?? "";
		app.quarantine([
			{ month: "2027-01", stamp, code: "truncated", path: "catalog", message: "for the test" },
		]);
		assert.ok(opened.isServed(damaged), "it is known to be damaged");
		app.quarantine([]);
	});

	test("without any month, health is ok and queries are unavailable", async () => {
		const { dataFolder } = served();
		const key = await served().key();
		for (const month of ["2027-01", "2026-11", "2026-10", "2026-09"])
			renameSync(snapshotFolder(dataFolder, month), join(dataFolder, `gone-${month}`));
		await served().reload();
		const health = await served().ok(healthResponse, "/v1/health", null);
		assert.deepEqual([health.snapshot, health.snapshots], [null, 0]);
		for (const path of ["/v1/licenses", "/v1/states", "/v1/stats", "/v1/licenses/32200000001"]) {
			const refusal = await served().refused(path, key);
			assert.deepEqual([refusal.status, refusal.code], [503, "unavailable"], path);
		}
		assert.deepEqual((await served().ok(snapshotsResponse, "/v1/snapshots", key)).data, []);
	});
});

test("a failure to open a month is logged once, and again after the month has opened", async () => {
	const served = await ServedFixture.start(ANY_TRANSPORT, { log_level: "error" });
	try {
		const catalog = join(snapshotFolder(served.dataFolder, "2026-10"), "catalog");
		const failures = async (bytes: Buffer | string) => {
			writeFileSync(`${catalog}.new`, bytes);
			renameSync(`${catalog}.new`, catalog);
			for (let scan = 0; scan < 3; scan++) await served.reload();
			return served.logged.filter((line) => line.includes("snapshot does not open")).length;
		};
		const sound = readFileSync(catalog);
		assert.equal(await failures("not a catalog"), 1);
		assert.equal(await failures(sound), 1);
		assert.equal(await failures("not a catalog"), 2);
	} finally {
		await served.stop();
	}
});
