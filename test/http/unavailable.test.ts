/** Answers that nothing can be said in at the moment: 503, counted toward nothing (docs/API.md §5.4). */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SNAPSHOTS_FOLDER } from "../../formats/index.js";
import { usageResponse } from "../../server/api/schemas/endpoint-responses.js";
import { ServedFixture } from "./served.js";
import { TRANSPORTS, whyNotOver } from "./transports.js";

const QUOTA = { per_minute: null, per_day: null, monthly_quota: 50 };

/** Twelve licenses verified count as two requests. */
const TWELVE = Array.from({ length: 12 }, (_, i) => `license=CA:${i}`).join("&");

for (const transport of TRANSPORTS) {
	describe(`without a month, over ${transport}`, { skip: whyNotOver(transport) }, () => {
		let served: ServedFixture;
		before(async () => {
			const data = mkdtempSync(join(tmpdir(), "rollcall-no-month-"));
			mkdirSync(join(data, SNAPSHOTS_FOLDER));
			served = await ServedFixture.start(transport, { data });
		});
		after(() => served?.close());

		test("what needs one is refused and counts toward nothing", async () => {
			const key = await served.key({ rate_limits: QUOTA, scope: { bulk: true } });
			const paths = [
				"/v1/licenses",
				"/v1/licenses/32200000001",
				"/v1/licenses?cursor=*&format=csv&limit=2000",
				"/v1/licenses/history?state=CA&license_number=1",
				"/v1/changes",
				"/v1/stats",
				`/v1/verify?${TWELVE}`,
			];
			for (const path of paths) {
				const { status, code, headers } = await served.refused(path, key);
				assert.deepEqual([status, code, headers.get("x-quota-used")], [503, "unavailable", "0"], path);
			}
			const { data } = await served.ok(usageResponse, "/v1/usage", key);
			assert.deepEqual(data.by_endpoint, [{ endpoint: "/v1/usage", requests: 1 }]);
			const faulty = await served.refused("/v1/licenses?limit=0", key);
			assert.deepEqual([faulty.status, faulty.headers.get("x-quota-used")], [400, "2"], "other faults count");
		});
	});
}
