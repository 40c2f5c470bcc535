/** A started server with months of an earlier run is not ready at any moment before it has tried to read the index. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { documentBytes, EMPTY_INDEX } from "../../formats/object-store/index.js";
import { freePort } from "../free-port.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { ServerProcess } from "../serve/server-process.js";
import { build } from "./months-rig.js";

const MONTH = "2026-11";

test("no moment of a start is reported as ready while the object store hangs", async (t) => {
	const data = mkdtempSync(join(MEMORY_FOLDER, "rollcall-readiness-"));
	t.after(() => rmSync(data, { recursive: true, force: true }));
	await build(data, data, MONTH, 1);
	mkdirSync(join(data, "pulls"));
	const months = { [MONTH]: { manifest: "0".repeat(64), live_at: 0 } };
	writeFileSync(join(data, "pulls", "index.json"), documentBytes({ ...EMPTY_INDEX, revision: 1, months }));
	const store = createServer(() => undefined).listen(0, "127.0.0.1");
	t.after(() => store.close().closeAllConnections());
	await once(store, "listening");
	const { port } = store.address() as AddressInfo;
	const environment = { ...process.env };
	t.after(() => {
		process.env = environment;
	});
	Object.assign(process.env, {
		AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
		AWS_REGION: "us-east-1",
		AWS_ACCESS_KEY_ID: "key",
		AWS_SECRET_ACCESS_KEY: "secret",
	});
	const adminPort = await freePort();
	const answers = new Set<string>();
	const stop = new AbortController();
	const asking = (async () => {
		while (!stop.signal.aborted) {
			const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`).catch(() => null);
			if (answer !== null) answers.add(`${answer.status} ${(await answer.text()).split("\n")[0]}`);
			await delay(1);
		}
	})();
	// To open signup takes as long as to load its packages, after the admin port is open.
	const signup = ["--signup-port", String(await freePort()), "--smtp", "smtp://127.0.0.1:1"];
	const flags = ["--months-from", "s3://bucket/months", "--admin-port", String(adminPort), "--workers", "1"];
	await ServerProcess.start(t, data, ...flags, ...signup);
	await delay(500);
	stop.abort();
	await asking;
	assert.deepEqual(
		[...answers],
		["503 the object store's index has not been read since this process was started or stopped"],
	);
});
