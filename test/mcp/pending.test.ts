/** A call that waits for the limits that hosts share keeps its message, whatever is received in the meantime. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision } from "../../server/limits/limits.js";
import { overBothTransports, type ServedFixture } from "../http/served.js";

const OTHERS = 20;

async function states(served: ServedFixture, key: string, id: string, state: string): Promise<unknown> {
	const params = { name: "search_licenses", arguments: { state: [state], limit: 1, fields: ["state"] } };
	const { status, text } = await served.request("/mcp", key, {
		method: "POST",
		headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
		body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }),
	});
	assert.equal(status, 200, text);
	const { id: answered, result } = JSON.parse(text);
	return { id: answered, rows: result.structuredContent.rows };
}

overBothTransports("a call whose limits are pending", (served) => {
	test("is answered by its own message once they have settled", async (t) => {
		const key = await served().key();
		const { limits } = served().access;
		const take = limits.take.bind(limits);
		let settle = () => {};
		const settled = new Promise<void>((resolve) => {
			settle = resolve;
		});
		const begun = new Promise<void>((resolve) => {
			limits.take = (): Decision => {
				limits.take = take;
				resolve();
				return { allowed: false, code: "pending", settled, headers: "" };
			};
		});
		t.after(() => {
			limits.take = take;
		});
		const waiting = states(served(), key, "waiting", "TX");
		await begun;
		for (let i = 0; i < OTHERS; i++)
			assert.deepEqual(await states(served(), key, `other ${i}`, "CA"), { id: `other ${i}`, rows: [["CA"]] });
		settle();
		assert.deepEqual(await waiting, { id: "waiting", rows: [["TX"]] });
	});
});
