/** `npm run demo` checks its port, and that nobody serves its folder, before it makes the folder anew. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { KEYS_FOLDER } from "../../formats/index.js";
import { announceServer } from "../../server/store/presence.js";

const DEMO = fileURLToPath(new URL("../../server/demo.js", import.meta.url));

test("a port that is none, or is taken, leaves the data of another demo alone", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-demo-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const kept = join(folder, "data", "demo", "kept");
	mkdirSync(join(folder, "data", "demo"), { recursive: true });
	writeFileSync(kept, "");
	const other = createServer();
	await new Promise<void>((listens) => other.listen(0, "127.0.0.1", listens));
	t.after(() => other.close());
	const taken = String((other.address() as AddressInfo).port);
	for (const [port, rule] of [
		["abc", /^demo: PORT must be a number from 0 to 65,535\n$/],
		["65536", /^demo: PORT must be a number from 0 to 65,535\n$/],
		[taken, new RegExp(`^demo: cannot listen on 127\\.0\\.0\\.1:${taken}: [^\n]*\n$`)],
	] as const) {
		const env = { ...process.env, PORT: port };
		const { status, stdout, stderr } = spawnSync(process.execPath, [DEMO], {
			cwd: folder,
			env,
			encoding: "utf8",
		});
		assert.deepEqual([status, stdout], [1, ""], stderr);
		assert.match(stderr, rule);
		assert.ok(existsSync(kept));
	}
});

test("a folder that a server serves is left alone, whatever the port", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-demo-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const keys = join(folder, "data", "demo", KEYS_FOLDER);
	mkdirSync(keys, { recursive: true });
	t.after(announceServer(keys));
	const env = { ...process.env, PORT: "0" };
	const { status, stdout, stderr } = spawnSync(process.execPath, [DEMO, "--rows", "1"], {
		cwd: folder,
		env,
		encoding: "utf8",
	});
	assert.deepEqual([status, stdout], [1, ""], stderr);
	assert.match(stderr, new RegExp(`^demo: data/demo is served by process ${process.pid}, [^\n]*\n$`));
	assert.ok(existsSync(keys));
});
