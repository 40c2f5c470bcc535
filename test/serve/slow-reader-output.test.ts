/** A client that reads slowly causes no output of the server beside its log. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { transportsHere } from "../http/transports.js";
import { largerMonthFolder } from "./large-month.js";
import { limitlessKey, ServerProcess } from "./server-process.js";

/** A full socket is written to every two seconds. */
const STALLED_MS = 7_000;
const PATH = "/v1/licenses?cursor=*&limit=100000&format=ndjson";

for (const transport of transportsHere("the output that slow readers cause"))
	test(`over ${transport}`, async (t) => {
		const folder = await largerMonthFolder();
		t.after(() => rmSync(folder, { recursive: true, force: true }));
		const { text: key } = await limitlessKey(folder, true);
		const server = await ServerProcess.start(t, folder, "--no-supervise", "--transport", transport);
		const reader = connect(server.port, "127.0.0.1");
		t.after(() => reader.destroy());
		reader.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
		await once(reader, "readable");
		await delay(STALLED_MS);
		let end = "";
		reader.setEncoding("latin1").on("data", (text: string) => {
			end = (end + text).slice(-5);
		});
		for (let tries = 0; end !== "0\r\n\r\n"; tries++) {
			assert.ok(tries < 1_000, "the answer does not end");
			await delay(10);
		}
		assert.equal(server.errors, "");
	});
