/**
 * Libraries leave the prototypes of built-in classes as V8 optimizes them: while one is a dictionary, optimized code
 * looks up each method by name at every call, which took a seventh of what a small answer costs.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { fixtureFolder } from "../http/served.js";
import { type LogLine, ServerProcess } from "../serve/server-process.js";
import { until } from "./host-process.js";

const PRELOAD = new URL("./prototype-preload.js", import.meta.url).href;

function slowOf({ slow }: LogLine): readonly string[] {
	return slow as readonly string[];
}

test("no library of a server that shares its limits leaves a built-in prototype as a dictionary", async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const options = process.env.NODE_OPTIONS;
	process.env.NODE_OPTIONS = `${options ?? ""} --import ${PRELOAD}`;
	t.after(() => {
		if (options === undefined) delete process.env.NODE_OPTIONS;
		else process.env.NODE_OPTIONS = options;
	});
	// Nothing answers there, which is no matter: the client is loaded.
	const shared = ["--shared", "redis://127.0.0.1:1", "--workers", "1", "--no-supervise"];
	const server = await ServerProcess.start(t, folder, ...shared);
	const seen = server.lines.length;
	const looks = () =>
		server.lines.slice(seen).filter(({ msg, threadId }) => msg === "prototypes" && threadId === 0);
	await until(() => looks().length > 0, 20_000, "a look at the serving thread");
	for (const look of looks()) assert.deepEqual(slowOf(look), []);
});

test("the look sees a class that extends String", async () => {
	const script = `class Extended extends String {}; await import(${JSON.stringify(PRELOAD)}); setTimeout(() => {}, 1_000);`;
	const args = ["--input-type=module", "-e", script];
	const { stdout } = await promisify(execFile)(process.execPath, args);
	const [first] = stdout.split("\n");
	assert.deepEqual(slowOf(JSON.parse(first) as LogLine), ["String"]);
});
