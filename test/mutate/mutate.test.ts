/** Mutation testing plants one mistake at a time, and asks the tests that execute it. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { executes, testsReaching } from "./coverage.js";
import { apply, mutantsOf } from "./mutants.js";
import { Sandbox } from "./sandbox.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const COMPILED = join(ROOT, "dist");
const FILE = "formats/fold.js";
const LIMITS = { wallMs: 60_000, cpuMs: 30_000 };

test("mutants are single replacements that parse, at places of the source", async () => {
	const text = readFileSync(join(COMPILED, FILE), "utf8");
	const mutants = await mutantsOf(ROOT, COMPILED, [FILE]);
	assert.ok(mutants.length > 10);
	for (const mutant of mutants) {
		assert.equal(mutant.source, "formats/fold.ts");
		assert.equal(text.slice(mutant.start, mutant.end), mutant.original);
		assert.notEqual(mutant.mutator, "StringLiteral");
		assert.notEqual(mutant.lineText, "");
		const mutated = apply(mutant, text)
			.replace(/^(import|export) .* from .*$/gm, "")
			.replaceAll("export ", "");
		assert.doesNotThrow(() => new Script(mutated), `${mutant.original} -> ${mutant.replacement}`);
	}
});

test("the innermost range says whether a place is executed, in any process", () => {
	const outer = { startOffset: 0, endOffset: 100, count: 1 };
	const inner = { startOffset: 10, endOffset: 20, count: 0 };
	const coverage = (...lists: (typeof outer)[][]) => ({
		file: "a",
		ms: 1,
		ranges: new Map([["x.js", lists]]),
	});
	assert.equal(executes(coverage([outer, inner]), "x.js", 5), true);
	assert.equal(executes(coverage([outer, inner]), "x.js", 15), false);
	assert.equal(executes(coverage([outer, inner], [outer]), "x.js", 15), true);
	assert.equal(executes(coverage([outer]), "other.js", 15), false);
	assert.equal(executes(coverage([outer]), "x.js", 100), false);
});

test("tests are found by what they import, and a planted mistake fails one", async (t) => {
	const reaching = testsReaching(
		COMPILED,
		["test/keys/key-text.test.js", "test/run.test.js"],
		new Set(["server/keys/key-text.js"]),
	);
	assert.deepEqual(reaching, ["test/keys/key-text.test.js"]);
	const parent = mkdtempSync(join(tmpdir(), "rollcall-mutate-"));
	t.after(() => rmSync(parent, { recursive: true, force: true }));
	const sandbox = Sandbox.make(ROOT, parent);
	assert.equal((await sandbox.runTest(reaching[0], LIMITS)).verdict, "passed");
	const mutants = await mutantsOf(ROOT, COMPILED, ["server/keys/key-text.js"]);
	const emptied = mutants.find(({ mutator }) => mutator === "BlockStatement");
	assert.ok(emptied !== undefined);
	const { verdict } = await sandbox.withMutant(emptied, () => sandbox.runTest(reaching[0], LIMITS));
	assert.equal(verdict, "failed");
	assert.equal((await sandbox.runTest(reaching[0], LIMITS)).verdict, "passed", "the file is put back");
	assert.equal((await sandbox.runTest(reaching[0], { wallMs: 1 })).verdict, "timeout");
});
