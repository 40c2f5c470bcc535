/** A server whose counts cannot be stored ends all the same: whatever is left open would keep it from that. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { ServerProcess } from "../serve/server-process.js";
import { get, makeKey } from "../shared-state/host-process.js";
import { fillUp, smallDisk } from "../small-disk.js";

/** So many that their counts take pages that the database does not have. */
const KEYS = 1000;

test("on a full disk a server with an admin port ends on SIGTERM, with an error", {
	timeout: 60_000,
}, async (t) => {
	const disk = smallDisk(t);
	if (disk === null) return t.skip("no file system can be mounted here");
	const months = await fixtureFolder();
	t.after(() => rmSync(months, { recursive: true, force: true }));
	const data = join(disk, "data");
	assert.equal(spawnSync("cp", ["-r", months, data]).status, 0);
	const texts: string[] = [];
	for (let i = 0; i < KEYS; i++) texts.push((await makeKey(data, { name: `key ${i}` })).text);
	const server = await ServerProcess.start(
		t,
		data,
		"--no-supervise",
		"--admin-port",
		String(await freePort()),
		// All keys at once, on a machine that may do other work.
		"--shed-after-ms",
		"60000",
	);
	fillUp(join(disk, "filler"));
	const answers = await Promise.all(texts.map((text) => get(server.port, "/v1/states", text)));
	assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
	assert.equal(await server.end("SIGTERM"), 1);
});
