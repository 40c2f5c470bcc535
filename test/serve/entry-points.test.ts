/** What a server's processes and threads begin with: a bundle, unless something was compiled after it was made. */

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const CHOICE = new URL("../../server/entry-points.js", import.meta.url);
const ENTRY = "workers/thread.js";

function touch(path: string, seconds: number): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, "");
	utimesSync(path, seconds, seconds);
}

test("a bundle is used where it is as new as the compiler's output, or nothing was compiled in place", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-entry-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const server = join(folder, "server");
	const modules = join(server, ENTRY);
	const bundle = join(server, "bundle", ENTRY);
	const compiled = join(folder, ".tsbuildinfo");
	touch(modules, 1_000);
	copyFileSync(CHOICE, join(server, "entry-points.mjs"));
	const { entryPoint } = (await import(
		pathToFileURL(join(server, "entry-points.mjs")).href
	)) as typeof import("../../server/entry-points.js");
	const chosen = () => fileURLToPath(entryPoint(ENTRY));

	assert.equal(chosen(), modules, "no bundle was made");
	touch(bundle, 1_000);
	assert.equal(chosen(), bundle, "an installed package");
	touch(compiled, 1_001);
	assert.equal(chosen(), modules, "compiled after the bundle was made");
	touch(bundle, 1_002);
	assert.equal(chosen(), bundle, "bundled after it was compiled");
});
