/** The constant server of the benchmarks answers from every thread by as many bytes as it was given. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerSide } from "../../bench/http/server-side.js";
import { canSharePort } from "../../server/http/select-transport.js";
import { whyNotOver } from "../http/transports.js";

const skip = { uws: whyNotOver("uws"), http: false } as const;

for (const library of ["uws", "http"] as const)
	test(`a constant server answers by as many bytes as asked, from one thread and from two, by ${library}`, {
		skip: skip[library],
	}, async () => {
		const counts = library === "uws" || canSharePort() ? [1, 2] : [1];
		for (const threads of counts) {
			const side = await ServerSide.startConstant({
				name: "constant",
				node: process.execPath,
				library,
				threads,
				core: null,
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
