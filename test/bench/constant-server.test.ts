/** The constant server of the benchmarks answers from every thread by as many bytes as it was given. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerSide } from "../../bench/http/server-side.js";
import { whyNotOver } from "../http/transports.js";

test("a constant server answers by as many bytes as asked, from one thread and from two", {
	skip: whyNotOver("uws"),
}, async () => {
	for (const threads of [1, 2]) {
		const side = await ServerSide.startConstant({
			name: "constant",
			node: process.execPath,
			threads,
			bytes: 70_000,
		});
		try {
			for (let i = 0; i < 8; i++) {
				const answer = await fetch(`http://127.0.0.1:${side.port}/any?${i}`, {
					headers: { connection: "close" },
				});
				assert.equal(answer.headers.get("content-length"), "70000");
				assert.equal((await answer.arrayBuffer()).byteLength, 70_000);
			}
			assert.ok(side.cpuUs() > 0);
		} finally {
			await side.stop();
		}
		assert.equal(side.child.signalCode, "SIGKILL", "threads that listen are never ended one by one");
	}
});
