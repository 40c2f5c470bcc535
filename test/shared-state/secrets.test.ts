/** What a server writes while neither store accepts it has no password and no secret key. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fixtureFolder } from "../http/served.js";
import { ServerProcess } from "../serve/server-process.js";
import { get, until } from "./host-process.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));
const [PASSWORD, SECRET_KEY] = ["pass-2f8e61", "secret-c07d93"];

before(() => {
	Object.assign(process.env, {
		// Nothing answers there.
		AWS_ENDPOINT_URL: "http://127.0.0.1:1",
		AWS_ACCESS_KEY_ID: "some-id",
		AWS_SECRET_ACCESS_KEY: SECRET_KEY,
		ROLLCALL_SHARED: `redis://rollcall:${PASSWORD}@127.0.0.1:1/0`,
	});
});

test("neither the log nor the settings shown have a password or a secret key", async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const server = await ServerProcess.start(
		t,
		folder,
		...["--months-from", "s3://bucket/prefix", "--admin-port", "0", "--log-level", "trace"],
		...["--workers", "1", "--no-supervise"],
	);
	const text = () => JSON.stringify(server.lines);
	await until(() => /127\.0\.0\.1:1/.test(text()) && /s3:\/\/bucket/.test(text()), 20_000, "both faults");
	await get(server.port, "/v1/health", "");
	const shown = await promisify(execFile)(process.execPath, [MAIN, "config", "--show", "--data", folder]);
	assert.match(shown.stdout, /shared/);
	for (const written of [text(), shown.stdout, shown.stderr]) {
		assert.ok(!written.includes(PASSWORD), written);
		assert.ok(!written.includes(SECRET_KEY), written);
	}
});
