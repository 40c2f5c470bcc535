/** What a server writes at its start about what it serves with: one line for each part that falls back, with the remedy. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { mappingFault } from "../../formats/files/mmap.js";
import { canSharePort } from "../../server/http/select-transport.js";
import { BINARY, findUws } from "../../server/http/uws-library.js";
import { fixtureFolder } from "../http/served.js";
import { whyNotOver } from "../http/transports.js";
import { Client, limitlessKey, ServerProcess } from "./server-process.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

let months = "";
before(async () => {
	months = await fixtureFolder();
});
after(() => rmSync(months, { recursive: true, force: true }));

/** Lines of a level of at least "warn". */
function warnings(server: ServerProcess): string[] {
	return server.lines.filter(({ level }) => Number(level) >= 40).map(({ msg }) => msg);
}

/** The package in `folder` as it is installed without the addon and the uWebSockets.js package. */
function installBare(folder: string): string {
	const filter = (path: string) => !path.endsWith(".map") && !path.startsWith(join(ROOT, "dist/test"));
	cpSync(join(ROOT, "dist"), join(folder, "dist"), { recursive: true, filter });
	cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
	mkdirSync(join(folder, "node_modules"));
	for (const name of readdirSync(join(ROOT, "node_modules")))
		if (!/^uwebsockets/i.test(name))
			symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
	return join(folder, "dist/server/main.js");
}

test("each part that is missing is named in one line with its remedy, and the server serves", async (t) => {
	const main = installBare(join(months, "bare"));
	const key = await limitlessKey(months);
	const server = await ServerProcess.startOf(t, main, months, "--workers", "2");
	const [transport, files, workers, ...others] = warnings(server);
	assert.match(
		transport,
		/^serving over node:net, .*\(no binary uws_\w+\.node is installed\); docs\/RUNTIMES\.md says how to install it$/,
	);
	assert.ok(transport.includes(BINARY));
	assert.match(
		files,
		/^months are read into memory instead of mapped: .*; with a C compiler installed, run node scripts\/build-addon\.js in the package's folder$/,
	);
	if (canSharePort()) assert.equal(workers, undefined);
	else {
		assert.match(
			workers,
			/^serving with 1 worker instead of 2: .* on Node 22\.12 and later; on this Node, uWebSockets\.js does$/,
		);
	}
	assert.deepEqual(others, []);
	const listening = server.lines.find(({ msg }) => msg === "listening");
	assert.deepEqual([listening?.transport, listening?.workers], ["node", canSharePort() ? 2 : 1]);
	assert.deepEqual(server.mapped(join(months, "snapshots")), []);
	const client = new Client(server.port, key.text);
	t.after(() => client.close());
	assert.equal((await client.get("/v1/licenses?limit=3")).status, 200);
	assert.equal(await server.end("SIGTERM"), 0);

	// Where the transport is asked for by name, its absence ends the start.
	const args = [main, "start", "--data", months, "--port", "0", "--no-supervise", "--transport", "uws"];
	const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
	assert.equal(status, 1);
	assert.match(stderr, new RegExp(`^[^\\n]*no binary ${BINARY} is installed[^\\n]*\\n$`));
});

test("a server that maps its months over uWebSockets.js names the binary, and falls back nowhere", {
	skip: whyNotOver("uws"),
}, async (t) => {
	const server = await ServerProcess.start(t, months, "--workers", "2");
	const found = findUws();
	assert.ok("file" in found);
	const taken = server.lines.filter(({ msg }) => msg === "serving over uWebSockets.js");
	assert.deepEqual(
		taken.map(({ binary }) => binary),
		[found.file],
	);
	if (mappingFault() === null) {
		assert.deepEqual(warnings(server), []);
		assert.notDeepEqual(server.mapped(join(months, "snapshots")), []);
	}
	const listening = server.lines.find(({ msg }) => msg === "listening");
	assert.deepEqual([listening?.transport, listening?.workers], ["uws", 2]);
	assert.equal(await server.end("SIGTERM"), 0);
});
