/** Where commands write, and what they are given in place of a folder: one line on stderr, and nothing half-written. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BUILDER, builderFolder, csv, runBuilder, stateRows } from "./builder-process.js";

const SERVER = fileURLToPath(new URL("../../server/main.js", import.meta.url));

/** A device that is full, of Linux. */
const FULL = "/dev/full";
const noFull = existsSync(FULL) ? false : `${FULL} is not on this system`;
const noProc = existsSync("/proc/self") ? false : "/proc is not on this system";

const ONE_LINE = /^[^\n]+\n$/;

test("dump replaces a regular file, where a link leads to, and nothing else", async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("a-2026-09.csv", csv(stateRows("CA", 20))));
	const kept = builder.write("kept.csv", "old\n");
	const link = join(builder.folder, "link.csv");
	symlinkSync(kept, link);
	await builder.json("dump", "--out", link);
	assert.ok(lstatSync(link).isSymbolicLink());
	assert.equal(readFileSync(kept, "utf8").split("\n").length, 22);
	const folder = join(builder.folder, "folder");
	mkdirSync(folder);
	const fifo = join(builder.folder, "fifo");
	assert.equal(spawnSync("mkfifo", [fifo]).status, 0);
	const before = readdirSync(builder.folder).sort();
	for (const [path, rule] of [
		[folder, /folder: is a folder; name a file/],
		[fifo, /fifo: is no regular file; name a file/],
	] as const) {
		const { code, stdout, stderr } = await builder.run("dump", "--out", path);
		assert.deepEqual([code, stdout], [1, ""]);
		assert.match(stderr, ONE_LINE);
		assert.match(stderr, rule);
	}
	assert.deepEqual(readdirSync(builder.folder).sort(), before);
	assert.ok(lstatSync(fifo).isFIFO());
});

test("what is no data folder, or has no month, is not verified", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("file", "text");
	mkdirSync(builder.data);
	for (const [command, data, rule] of [
		["verify", file, /file: is a file, not a data folder/],
		["list", file, /file: is a file, not a data folder/],
		["verify", builder.data, /no month is published in .*; nothing was verified/],
		["build", file, /file: is a file, not a data folder/],
	] as const) {
		const files = command === "build" ? [builder.write("a-2026-09.csv", csv(stateRows("CA", 20)))] : [];
		const { code, stdout, stderr } = await runBuilder([command, ...files, "--data", data]);
		assert.deepEqual([code, stdout], [1, ""], `${command} ${data}`);
		assert.match(stderr, ONE_LINE);
		assert.match(stderr, rule);
	}
});

test("a full standard output ends a command with one line", { skip: noFull }, async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("a-2026-09.csv", csv(stateRows("CA", 20))));
	for (const [main, args] of [
		[BUILDER, ["dump"]],
		[BUILDER, ["list", "--json"]],
		[SERVER, ["keys", "create", "--tier", "trial", "--name", "x"]],
	] as const) {
		const command = [process.execPath, main, ...args, "--data", builder.data].map((text) => `'${text}'`);
		const { status, stderr } = spawnSync("sh", ["-c", `${command.join(" ")} > ${FULL}`], {
			encoding: "utf8",
		});
		assert.equal(status, 1, stderr);
		assert.match(stderr, ONE_LINE);
		assert.match(stderr, /standard output: .*no space left/i);
	}
});

test("a folder that cannot be made is refused at once", { skip: noProc }, async (t) => {
	const builder = builderFolder(t);
	const drop = builder.write("a-2026-09.csv", csv(stateRows("CA", 20)));
	for (const [main, args] of [
		[BUILDER, ["build", drop, "--data", "/proc/x"]],
		[BUILDER, ["synth", "--rows", "10", "--months", "2026-10", "--out", "/proc/x"]],
		[SERVER, ["keys", "create", "--tier", "trial", "--name", "x", "--data", "/proc/x"]],
	] as const) {
		const ended = spawnSync(process.execPath, [main, ...args], { encoding: "utf8", timeout: 30_000 });
		assert.equal(ended.status, 1, `${args.join(" ")}: ${ended.signal} ${ended.stderr}`);
		assert.match(ended.stderr, /\/proc\/x/);
	}
});

test("an empty path, as of an unset variable of a script, is wrong usage and not the working directory", async (t) => {
	const builder = builderFolder(t);
	const drop = builder.write("a-2026-09.csv", csv(stateRows("CA", 20)));
	const cwd = join(builder.folder, "working");
	mkdirSync(cwd);
	for (const [main, args, option] of [
		[BUILDER, ["build", drop], "--data"],
		[BUILDER, ["build", drop, "--data", "data"], "--map"],
		[BUILDER, ["rows", "add", "2026-09"], "--data"],
		[BUILDER, ["synth", "--rows", "10", "--months", "2026-10"], "--out"],
		[SERVER, ["keys", "create", "--tier", "trial"], "--data"],
		[SERVER, ["start"], "--config"],
	] as const) {
		const ended = spawnSync(process.execPath, [main, ...args, option, ""], { cwd, encoding: "utf8" });
		assert.deepEqual([ended.status, ended.stdout], [2, ""], args.join(" "));
		assert.equal(ended.stderr, `error: ${option} must not be empty\n`);
	}
	assert.deepEqual(readdirSync(cwd), []);
});
