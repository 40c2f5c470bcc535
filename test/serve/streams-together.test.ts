/** Streams at the same time, whose rows are listed in memory that later streams use again, over both transports. */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Snapshot } from "../../engine/index.js";
import { ServedFixture } from "../http/served.js";
import { transportsHere } from "../http/transports.js";
import { largeMonthFolder } from "./large-month.js";

const WALK = "/v1/licenses?cursor=*&limit=100000";

for (const transport of transportsHere("streams-together")) {
	describe(`long answers at the same time over ${transport}`, () => {
		let served: ServedFixture;
		/** One key may read only a few at a time. */
		let keys: readonly string[];
		before(async () => {
			served = await ServedFixture.start(transport, { data: await largeMonthFolder() });
			const owner = { scope: { bulk: true }, rate_limits: { per_minute: 1_000_000 } };
			keys = await Promise.all(Array.from({ length: 8 }, () => served.key(owner)));
		});
		after(() => served.close());

		test("each has its own rows, beside others that begin and are given up", async () => {
			const orders = [
				"sort=id",
				"sort=id&order=desc",
				"sort=member_last_name",
				"sort=office_name&order=desc",
			];
			const paths = orders.flatMap((order) => [
				`${WALK}&format=csv&${order}`,
				`${WALK}&format=ndjson&${order}`,
			]);
			const alone = [];
			for (const path of paths) alone.push((await served.request(path, keys[0])).text);
			assert.equal(new Set(alone).size, paths.length);
			for (let round = 0; round < 3; round++) {
				const leaving = connect(served.port, "127.0.0.1");
				leaving.on("error", () => undefined);
				leaving.write(
					`GET ${paths[round]} HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer ${keys[round]}\r\n\r\n`,
				);
				leaving.once("data", () => leaving.destroy());
				const together = await Promise.all(paths.map((path, i) => served.request(path, keys[i])));
				for (const [i, { status, text }] of together.entries()) {
					assert.equal(status, 200, text.slice(0, 200));
					assert.equal(text === alone[i], true, paths[i]);
				}
			}
		});

		test("that a limit has no room for are refused before their rows are found, and count toward nothing", async (t) => {
			const key = await served.key({ scope: { bulk: true }, rate_limits: { per_minute: 2 } });
			const snapshot = served.app.library.latest as Snapshot;
			const find = t.mock.method(snapshot, "queryAfter");
			const ask = async (limit: number, method?: string) => {
				const path = `/v1/licenses?cursor=*&limit=${limit}&format=csv&sort=office_name,member_last_name`;
				const { status, headers } = await served.request(path, key, { method });
				return [status, Number(headers.get("ratelimit-remaining")), find.mock.callCount()];
			};
			for (let i = 0; i < 3; i++) assert.deepEqual(await ask(100_000), [429, 2, 0]);
			// HEAD has no rows to count.
			assert.deepEqual(await ask(100_000, "HEAD"), [200, 1, 1]);
			assert.deepEqual(await ask(1_001), [429, 1, 1]);
			assert.deepEqual(await ask(1_000), [200, 0, 2]);
		});
	});
}
