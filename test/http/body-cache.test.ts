/** Cached answers equal what would be computed anew. */

import assert from "node:assert/strict";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Snapshot } from "../../engine/index.js";
import { publications, snapshotFolder } from "../../formats/index.js";
import { BodyCache } from "../../server/api/caches/body-cache.js";
import type { ThreadParts } from "../../server/thread-service.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { monthRows } from "./drop-rows.js";
import { overBothTransports, publish } from "./served.js";

const BYTES_MAX = 20_000;

/** Only its identity matters here. */
function someSnapshot(): Snapshot {
	return {} as Snapshot;
}

test("a body is found for the same request and snapshot only, within the size limit", (t) => {
	const steps = fuzzRuns(5_000);
	tellSeed(t, steps);
	const draw = new Draw(SEED);
	const cache = new BodyCache(BYTES_MAX);
	const requests = Array.from({ length: 60 }, () => ({}));
	const snapshots = [someSnapshot(), someSnapshot()];
	const last = new Map<object, { snapshot: Snapshot; text: string }>();
	let found = 0;
	for (let step = 0; step < steps; step++) {
		const request = requests[draw.below(requests.length)];
		const snapshot = snapshots[draw.below(2)];
		const kept = cache.find(request, snapshot);
		if (kept !== undefined) {
			found++;
			const expected = last.get(request);
			assert.equal(expected?.snapshot, snapshot);
			assert.equal(Buffer.from(kept.bytes as Uint8Array).toString(), expected?.text);
			assert.equal(kept.headers, `\r\nX-Step: ${expected?.text.length}`);
			continue;
		}
		const text = `${step} `.repeat(1 + draw.below(400));
		const view = Buffer.from(text);
		cache.put(request, snapshot, { bytes: view, headers: `\r\nX-Step: ${text.length}` });
		// The next rendering overwrites the view.
		view.fill(0);
		last.set(request, { snapshot, text });
		assert.ok(cache.cachedBytes <= BYTES_MAX, `${cache.cachedBytes} bytes`);
	}
	assert.ok(found > 0);
});

test("a body larger than the cache is not kept", () => {
	const cache = new BodyCache(1_000);
	const [request, snapshot] = [{}, someSnapshot()];
	cache.put(request, snapshot, { bytes: Buffer.alloc(2_000), headers: "" });
	assert.equal(cache.find(request, snapshot), undefined);
	assert.equal(cache.cachedBytes, 0);
});

test("text is counted by its bytes, and entries retain no other memory", () => {
	const cache = new BodyCache(4_000);
	const [request, snapshot] = [{}, someSnapshot()];
	cache.put(request, snapshot, { bytes: "語".repeat(1_300), headers: "" });
	assert.equal(cache.find(request, snapshot), undefined, "3,900 bytes and their entry");
	for (const bytes of ["語".repeat(100), Buffer.from("a".repeat(300))]) {
		cache.put(request, snapshot, { bytes, headers: "" });
		const kept = cache.find(request, snapshot)?.bytes as Buffer;
		assert.equal(kept.toString(), bytes.toString());
		assert.equal(kept.buffer.byteLength, 300);
	}
});

const TIMES_ASKED = 5;
const QUERIES = [
	"/v1/licenses",
	"/v1/licenses?limit=7&sort=office_name",
	"/v1/licenses?format=csv&limit=20",
	"/v1/licenses?format=ndjson&limit=20&count=false",
	"/v1/licenses?license_status=Nothing",
	"/v1/suggest?field=city&q=sa",
];

/**
 * A value that damage turns into another, and questions whose answers contain it (compressed, as fetch
 * asks).
 */
const DAMAGED = {
	month: "2026-11",
	file: "member_license_status.col",
	from: "Expired",
	to: "Expirad",
	paths: [
		"/v1/stats?snapshot=2026-11",
		"/v1/licenses?snapshot=2026-11&fields=member_license_status&limit=100",
	],
} as const;

overBothTransports("answers asked for again", (served) => {
	test("are the same bytes and headers for each key, whoever asked before", async () => {
		const keys = [
			await served().key({ tier: "production" }),
			await served().key({ tier: "demo", rate_limits: { per_minute: 1_000, per_day: 1_000 } }),
			await served().key({ scope: { geography: { countries: [], states: ["CA"] } } }),
		];
		for (const path of QUERIES) {
			const first = new Map<string, string>();
			for (let time = 0; time < TIMES_ASKED; time++) {
				for (const key of keys) {
					const { status, headers, text } = await served().request(path, key);
					assert.equal(status, 200, text);
					const told = ["etag", "content-type", "x-total-count", "x-has-next", "content-disposition"];
					const answer = JSON.stringify([status, text, ...told.map((name) => headers.get(name))]);
					assert.equal(answer, first.get(key) ?? answer, `${path}, time ${time}`);
					first.set(key, answer);
				}
			}
			assert.equal(new Set(first.values()).size, keys.length, `${path} is the same for different grants`);
		}
	});

	test("are not computed again", async () => {
		const key = await served().key();
		const snapshot = served().app.library.latest as Snapshot;
		const query = snapshot.query.bind(snapshot);
		let queries = 0;
		snapshot.query = (asked) => {
			queries++;
			return query(asked);
		};
		for (let time = 0; time < 10; time++) await served().request("/v1/licenses?limit=9", key);
		assert.ok(queries >= 1 && queries < 5, `${queries} queries`);
	});

	test("are compressed and kept once they are repeated, not the first time", async () => {
		const key = await served().key();
		const snapshot = served().app.library.latest as Snapshot;
		const gzip = snapshot.gzip.bind(snapshot);
		let compressions = 0;
		snapshot.gzip = (body, format) => {
			compressions++;
			return gzip(body, format);
		};
		for (let time = 0; time < 10; time++) await served().request("/v1/licenses?limit=11", key);
		assert.ok(compressions >= 2 && compressions < 6, `${compressions} compressions`);
	});

	test("come from the month that is being served", async () => {
		const { dataFolder } = served();
		const key = await served().key();
		const ask = async () => {
			const texts = [];
			for (let time = 0; time < TIMES_ASKED; time++)
				texts.push((await served().request("/v1/licenses?limit=3", key)).text);
			assert.equal(new Set(texts).size, 1);
			return texts[0];
		};
		const before = await ask();
		await publish(dataFolder, "2026-12", monthRows("2026-11").slice(0, 50));
		await served().reload();
		const { answers } = (served().app as unknown as { readonly parts: ThreadParts }).parts;
		assert.equal(answers.cachedBytes, 0, "bodies of months that are gone hold no memory");
		const during = await ask();
		assert.ok(answers.cachedBytes > 0);
		assert.notEqual(during, before);
		renameSync(snapshotFolder(dataFolder, "2026-12"), join(dataFolder, "gone"));
		await served().reload();
		assert.equal(await ask(), before);
		await publish(dataFolder, "2026-12", monthRows("2026-11").slice(50, 90));
		await served().reload();
		assert.notEqual(await ask(), during, "the month's name is the same, the month is not");
	});

	test("come from the repaired month, not from the damaged one", async () => {
		const { app, dataFolder, scheduler } = served();
		// A grant that nobody has asked with before.
		const key = await served().key({ scope: { geography: { countries: ["US"], states: ["ON"] } } });
		const file = join(snapshotFolder(dataFolder, DAMAGED.month), DAMAGED.file);
		const sound = readFileSync(file);
		/** By replacing the file of that name: the mapped one stays as it is. */
		const replace = (bytes: Buffer) => {
			writeFileSync(`${file}.new`, bytes);
			renameSync(`${file}.new`, file);
			const stamp = publications(dataFolder).get(DAMAGED.month) ?? "";
			app.quarantine([
				{ month: DAMAGED.month, stamp, code: "checksum_mismatch", path: file, message: "damaged" },
			]);
			app.quarantine([]);
			scheduler.tick();
		};
		const ask = async (): Promise<string> => {
			let texts = "";
			for (let time = 0; time < TIMES_ASKED; time++) {
				for (const path of DAMAGED.paths) texts += (await served().request(path, key)).text;
			}
			return texts;
		};
		const damaged = sound.toString("latin1").replaceAll(DAMAGED.from, DAMAGED.to);
		replace(Buffer.from(damaged, "latin1"));
		assert.match(await ask(), new RegExp(DAMAGED.to));
		replace(sound);
		assert.doesNotMatch(await ask(), new RegExp(DAMAGED.to));
	});
});
