/** The process that serves gets as many helper threads of V8 as half the machine's cores, unless its operator says how many. */

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { test } from "node:test";
import { withHelperThreads } from "../../server/supervisor/helper-threads.js";
import { fixtureFolder } from "../http/served.js";
import { ServerProcess } from "./server-process.js";

test("one helper for each two cores, at least one, four at most", () => {
	const helpers = [1, 2, 3, 4, 7, 8, 64].map((cores) => withHelperThreads(["--inspect"], "", cores)[1]);
	assert.deepEqual(
		helpers,
		[1, 1, 1, 2, 3, 4, 4].map((count) => `--v8-pool-size=${count}`),
	);
});

test("what the operator says stays", () => {
	assert.deepEqual(withHelperThreads(["--v8-pool-size=6"], "", 2), ["--v8-pool-size=6"]);
	assert.deepEqual(withHelperThreads([], "--no-warnings --v8-pool-size=6", 2), []);
});

const skip = process.platform === "linux" ? false : "command lines are read in /proc";

test("the supervisor starts the serving process with them", { skip }, async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const server = await ServerProcess.start(t, folder, "--workers", "1");
	const command = readFileSync(`/proc/${server.servingPid}/cmdline`, "latin1").split("\0");
	const [flag] = withHelperThreads([], "");
	assert.deepEqual(
		command.filter((word) => word.startsWith("--v8-pool-size")),
		[flag],
	);
	assert.equal(await server.end("SIGTERM"), 0);
});
