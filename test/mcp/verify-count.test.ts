/** What a call of verify_licenses counts as, and that one which a limit refuses does no work (docs/API.md §11.4). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineError, Snapshot } from "../../engine/index.js";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { post, request } from "./tool-client.js";

async function asking(t: { after(act: () => Promise<void>): void }, per_minute: number) {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key({ rate_limits: { per_minute } });
	return async (licenses: number) => {
		const license = Array.from({ length: licenses }, (_, i) => ({
			state: "TX",
			license_number: `TX-${i % 60}`,
		}));
		const call = request("tools/call", { name: "verify_licenses", arguments: { license } });
		const { headers, body } = await post(served, key, call);
		assert.ok(body?.result !== undefined);
		const { content, structuredContent } = body.result as unknown as {
			content: { text: string }[];
			structuredContent?: { data: unknown[] };
		};
		return {
			code: JSON.parse(content[0].text).error?.code,
			shown: structuredContent?.data.length,
			remaining: Number(headers.get("ratelimit-remaining")),
		};
	};
}

test("a call beyond the limit verifies nothing, however often it is made", async (t) => {
	const verify = await asking(t, 10);
	const verified = t.mock.method(Snapshot.prototype, "verifyLicense");
	for (let i = 0; i < 5; i++) {
		const { code, remaining } = await verify(500);
		assert.deepEqual([code, remaining], ["rate_limited", 10]);
	}
	assert.equal(verified.mock.callCount(), 0);
	assert.deepEqual(await verify(100), { code: undefined, shown: 100, remaining: 0 });
});

test("a result that ends early counts as the licenses that it has", async (t) => {
	const verify = await asking(t, 200);
	const { shown = 0, remaining } = await verify(500);
	assert.ok(shown > 100 && shown < 490, `${shown} licenses fit`);
	assert.equal(remaining, 200 - Math.ceil(shown / 10));
});

test("a call that fails counts as one request", async (t) => {
	const verify = await asking(t, 200);
	t.mock.method(Snapshot.prototype, "verifyLicense", () => {
		throw new EngineError("no_number_index", "as in a month of the first version");
	});
	assert.deepEqual(await verify(500), { code: "not_supported", shown: undefined, remaining: 199 });
});
