/**
 * Commands of the documents work as pasted: the code blocks marked `<!-- runnable -->` run in one shell,
 * in a folder like a fresh checkout, against the server that docs/OPERATING.md starts. A request that is
 * not answered with success fails, as does any command. The README is a front page.
 */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../free-port.js";
import { blocksOf, ROOT, runScript, scriptOf } from "./runnable-blocks.js";

/** The first makes the months and the key, and starts the server, that the others use. */
const DOCUMENTS = [
	"docs/OPERATING.md",
	"README.md",
	"docs/AGENTS.md",
	"docs/LIBRARY.md",
	"docs/BENCHMARKS.md",
];
const README_LINES_MAX = 120;

test("runnable blocks of the documents run as pasted, one after the other", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-docs-"));
	t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
	for (const name of ["package.json", "node_modules", "dist"])
		symlinkSync(join(ROOT, name), join(folder, name));
	const blocks = DOCUMENTS.flatMap(blocksOf);
	for (const document of DOCUMENTS)
		assert.ok(
			blocks.some((block) => block.document === document),
			document,
		);
	const script = scriptOf(blocks, folder).replaceAll("8080", String(await freePort()));
	const { code, output } = await runScript(script, folder);
	assert.equal(code, 0, output);
	assert.match(output, /"member_last_name":"Smi/i, "the README's query finds rows");
	assert.match(output, /"structuredContent"/, "the tool call is answered");
});

test("a command of a block that fails, a refused request included, fails the run", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-docs-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const run = (code: string) =>
		runScript(scriptOf([{ document: "a.md", language: "sh", code }], folder), folder);
	assert.equal((await run("true\n")).code, 0);
	assert.notEqual((await run("false\ntrue\n")).code, 0);
	assert.notEqual((await run(`curl -s http://127.0.0.1:${await freePort()}/\ntrue\n`)).code, 0);
});

test("the README is a front page", () => {
	const lines = readFileSync(join(ROOT, "README.md"), "utf8").split("\n").length - 1;
	assert.ok(lines <= README_LINES_MAX, `README.md has ${lines} lines, at most ${README_LINES_MAX}`);
});
