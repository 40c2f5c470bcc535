/**
 * Whenever a build is interrupted, the published set is the old one or the new one, never a mix, and the
 * next build cleans up.
 */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { synthesize } from "../../builder/synth/index.js";
import {
	changesFolder,
	hex,
	monthNumber,
	monthOfNumber,
	openChanges,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import { endCommandProcesses } from "../command-line.js";
import { verifySnapshot } from "../oracle/verify-snapshot.js";
import {
	BUILDER,
	type BuilderFolder,
	builderFolder,
	csv,
	published,
	runBuilder,
	stateRows,
} from "./builder-process.js";

/** Builds killed, each at a moment of its own. */
const KILLS = 10;

/** The moment of kill `i`, as a share of a build's time: spread evenly, in no order. */
function momentOf(i: number): number {
	return ((i * 0.618_034) % 1) * 1.1;
}

/** `threads`: arguments of the build. */
function startBuild(builder: BuilderFolder, file: string, month: string, threads: readonly string[] = []) {
	const args = ["build", file, "--month", month, "--accept", "all", "--data", builder.data, "--json"];
	return spawn(process.execPath, [BUILDER, ...args, ...threads], {
		stdio: ["pipe", "ignore", "pipe"],
	});
}

/** Every published month is whole, has its manifest, and has its changes from the month before it. */
function requireWhole(builder: BuilderFolder): void {
	requireChanges(builder);
	for (const month of published(builder.data)) {
		verifySnapshot(SnapshotFiles.open(snapshotFolder(builder.data, month)));
		assert.ok(existsSync(join(builder.data, "manifests", `${month}.json`)), `manifest of ${month}`);
	}
}

/** Opening reads every byte of the changes. */
function requireChanges({ data }: BuilderFolder): string[] {
	const months = published(data).map((month) => SnapshotFiles.open(snapshotFolder(data, month)));
	const described = months.map(({ catalog, crc }) => ({ ...catalog, crc, digest: hex(crc) }));
	return described.slice(1).map((to, i) => {
		const folder = changesFolder(data, described[i], to);
		assert.ok(openChanges(folder, described[i], to) !== null, `changes to ${to.month}`);
		return basename(folder);
	});
}

function requireClean({ data }: BuilderFolder): void {
	assert.deepEqual(readdirSync(join(data, "staging")), []);
	assert.deepEqual(
		readdirSync(join(data, "manifests")),
		published(data).map((month) => `${month}.json`),
	);
}

test("a build killed at any moment leaves the old months or the new one, and the next build cleans up", async (t) => {
	const builder = builderFolder(t);
	const { files } = await synthesize({ rows: 1000, months: ["2026-09"], seed: 8, out: builder.folder });
	const [{ path }] = files;
	const beganMs = performance.now();
	await builder.json("build", path, "--month", "2026-09", "--accept", "all");
	let buildMs = performance.now() - beganMs;
	let next = monthNumber("2026-10");
	let died = 0;
	for (let i = 0; i < KILLS; i++) {
		const month = monthOfNumber(next);
		const before = published(builder.data);
		const startedMs = performance.now();
		// By turns with worker threads and, as it is a small drop, without.
		const child = startBuild(builder, path, month, i % 2 === 0 ? ["--threads", "2"] : []);
		const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
		await Promise.race([delay(momentOf(i) * buildMs), ended]);
		child.kill("SIGKILL");
		const [code, signal] = await ended;
		const after = published(builder.data);
		if (signal === "SIGKILL") died++;
		else {
			assert.equal(code, 0);
			// The machine has become faster since: the next are killed earlier.
			buildMs = performance.now() - startedMs;
		}
		if (after.length > before.length) {
			assert.deepEqual(after, [...before, month]);
			next++;
		} else assert.deepEqual(after, before);
		requireWhole(builder);
	}
	assert.ok(died > KILLS / 2, `${died} of ${KILLS} builds were killed before their end`);
	await builder.json("build", path, "--month", "2036-01", "--accept", "all");
	requireWhole(builder);
	requireClean(builder);
	assert.deepEqual(readdirSync(join(builder.data, "changes")), requireChanges(builder));
});

test("leftovers of a dead builder are removed by the next, also where its process id is in use again", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("drop-2026-09.csv", csv(stateRows("CA", 20)));
	const staging = join(builder.data, "staging");
	mkdirSync(join(staging, "2026-08-12345"), { recursive: true });
	mkdirSync(join(builder.data, "manifests"));
	writeFileSync(join(staging, "2026-08-12345", "state.col"), "half");
	// This test's process runs, but did not start when the lock says.
	writeFileSync(join(staging, "lock"), `${process.pid} some-boot 1`);
	writeFileSync(join(builder.data, "manifests", "2026-08.json"), "{}");
	writeFileSync(join(builder.data, "manifests", "2026-08.json.12345"), "{");
	await builder.json("build", file);
	assert.deepEqual(published(builder.data), ["2026-09"]);
	requireClean(builder);
});

test("an empty lock file, truncated by a crash, does not lock builders out", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("drop-2026-09.csv", csv(stateRows("CA", 20)));
	mkdirSync(join(builder.data, "staging"), { recursive: true });
	writeFileSync(join(builder.data, "staging", "lock"), "");
	await builder.json("build", file);
	assert.deepEqual(published(builder.data), ["2026-09"]);
});

test("a second concurrent builder is refused, and accepted once the first has been killed", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("drop-2026-10.csv", csv(stateRows("CA", 20)));
	// The first waits for the rest of its standard input.
	const first = startBuild(builder, "-", "2026-09");
	t.after(() => first.kill("SIGKILL"));
	first.stdin.write("state,member_state_license_number\nCA,1\n");
	const lock = join(builder.data, "staging", "lock");
	while (!existsSync(lock)) await delay(10);
	const second = await builder.run("build", file);
	assert.equal(second.code, 1);
	assert.match(second.stderr, new RegExp(`another builder \\(process ${first.pid}\\) is running`));
	first.kill("SIGKILL");
	await once(first, "close");
	await builder.json("build", file);
	assert.deepEqual(published(builder.data), ["2026-10"]);
	requireClean(builder);
});

test("of several builders started at once on one month, one publishes it", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("drop-2026-10.csv", csv(stateRows("CA", 200)));
	mkdirSync(join(builder.data, "staging"), { recursive: true });
	writeFileSync(join(builder.data, "staging", "lock"), "999999999 gone 1");
	const ended = await Promise.all(Array.from({ length: 4 }, () => builder.run("build", file)));
	const codes = ended.map(({ code }) => code).sort();
	assert.deepEqual(codes, [0, 1, 1, 1], ended.map(({ stderr }) => stderr).join("\n"));
	for (const { code, stderr } of ended) {
		if (code === 1) assert.match(stderr, /another builder|already published/);
	}
	requireWhole(builder);
	requireClean(builder);
});

test("a source that cannot be read to its end is refused by name", async (t) => {
	if (!existsSync("/proc/self/mem")) return t.skip("no file here gives a read error");
	const builder = builderFolder(t);
	const { code, stderr } = await builder.run("build", "/proc/self/mem", "--month", "2026-09", "--json");
	assert.equal(code, 1);
	assert.match(stderr, /^builder: \/proc\/self\/mem: [^\n]+\n$/);
	assert.deepEqual(published(builder.data), []);
	requireClean(builder);
});

/** Runs `work` with a folder on a disk of `megabytes`; false where this process may not mount one. */
async function onSmallDisk(megabytes: number, work: (folder: string) => Promise<void>): Promise<boolean> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-disk-"));
	try {
		const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]);
		if (mounted.status !== 0) return false;
		try {
			await work(folder);
		} finally {
			await endCommandProcesses();
			// Lazily: a process that has just ended may still keep the disk busy.
			spawnSync("umount", ["-l", folder]);
		}
		return true;
	} finally {
		rmdirSync(folder);
	}
}

test("a full disk ends a build in one line and leaves what was published", async (t) => {
	const builder = builderFolder(t);
	const { files } = await synthesize({ rows: 12_000, months: ["2026-10"], seed: 8, out: builder.folder });
	const small = builder.write("small-2026-09.csv", csv(stateRows("CA", 20)));
	// 12,000 rows need some 5 MB of columns and indexes, and 8 MB of rendered rows.
	for (const [megabytes, threads] of [
		[2, ["--threads", "2"]],
		[8, []],
	] as const) {
		const mounted = await onSmallDisk(megabytes, async (data) => {
			const first = await runBuilder(["build", small, "--data", data, "--json"]);
			assert.equal(first.code, 0, first.stderr);
			const full = await runBuilder(["build", files[0].path, ...threads, "--data", data, "--json"]);
			assert.equal(full.code, 1, `${megabytes} MB: ${full.stderr}`);
			assert.match(full.stderr, /^builder: [^\n]*no space left on the disk\n$/);
			assert.deepEqual(published(data), ["2026-09"]);
			assert.deepEqual(readdirSync(join(data, "staging")), []);
			const again = await runBuilder(["verify", "--data", data]);
			assert.equal(again.code, 0, again.stderr);
		});
		if (!mounted) return t.skip("this process may not mount a small disk");
	}
});

test("on a full disk rows and exports end in one line, leave nothing, and months are deleted", async (t) => {
	const builder = builderFolder(t);
	const drop = (month: string) => builder.write(`drop-${month}.csv`, csv(stateRows("CA", 2000)));
	const mounted = await onSmallDisk(5, async (data) => {
		for (const month of ["2026-09", "2026-10"]) {
			const { code, stderr } = await runBuilder(["build", drop(month), "--data", data, "--accept", "all"]);
			assert.equal(code, 0, stderr);
		}
		const filler = join(data, "filler");
		spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=4k"]);
		for (const command of [
			["rows", "add", "2026-09"],
			["export", "2026-10"],
		]) {
			const { code, stderr } = await runBuilder([...command, "--data", data, "--json"]);
			assert.equal(code, 1, command.join(" "));
			assert.match(stderr, /^builder: [^\n]+: no space left on the disk\n$/);
			assert.deepEqual(readdirSync(join(data, "staging")), []);
			assert.equal(existsSync(join(snapshotFolder(data, "2026-09"), "rows")), false);
		}
		for (const command of [
			["rows", "drop", "2026-10"],
			["retire", "2026-09"],
			["prune", "2026-09"],
		]) {
			spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=4k", "oflag=append", "conv=notrunc"]);
			const { code, stderr } = await runBuilder([...command, "--data", data]);
			assert.equal(code, 0, stderr);
		}
		const again = await runBuilder(["verify", "--data", data]);
		assert.equal(again.code, 0, again.stderr);
		assert.deepEqual(published(data), ["2026-10"]);
	});
	if (!mounted) return t.skip("this process may not mount a small disk");
});
