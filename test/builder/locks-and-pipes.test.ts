/** Commands that change published months are refused while another runs; a closed pipe is not an error. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { snapshotFolder } from "../../formats/index.js";
import { runCommandLine } from "../command-line.js";
import { fixtureFolder } from "../http/served.js";

const MAIN = fileURLToPath(new URL("../../builder/main.js", import.meta.url));

/** The content of a builder's lock: process, boot, start time. */
function holderOf(pid: number | undefined): string {
	const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	return `${pid} ${boot} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
}

async function folder(t: TestContext): Promise<string> {
	const data = await fixtureFolder();
	t.after(() => rmSync(data, { recursive: true, force: true }));
	return data;
}

test("retire, restore, prune and rows are refused while a builder is running, and leave no lock", async (t) => {
	const data = await folder(t);
	const busy = spawn("sleep", ["60"]);
	t.after(() => busy.kill());
	await once(busy, "spawn");
	mkdirSync(join(data, "staging"));
	const lock = join(data, "staging", "lock");
	const commands = [
		["rows", "drop", "2026-11"],
		["rows", "add", "2026-11"],
		["retire", "2026-11"],
		["restore", "2026-11"],
		["retire", "2026-11"],
		["prune"],
	];
	writeFileSync(lock, holderOf(busy.pid));
	for (const command of commands) {
		const refused = await runCommandLine("builder", [...command, "--data", data]);
		assert.equal(refused.code, 1, command.join(" "));
		assert.match(refused.stderr, /^builder: .*another builder \(process \d+\) is running\n$/);
	}
	rmSync(lock);
	for (const command of commands) {
		const done = await runCommandLine("builder", [...command, "--data", data]);
		assert.equal(done.code, 0, `${command.join(" ")}: ${done.stderr}`);
		assert.deepEqual(readdirSync(join(data, "staging")), []);
	}
});

test("a closed pipe ends a dump and a diff without an error", async (t) => {
	const data = await folder(t);
	for (const command of [
		["dump", "country=US", "--data", data],
		["diff", "2026-10", "2026-11", "--data", data, "--format", "csv"],
	]) {
		const child = spawn(process.execPath, [MAIN, ...command], { stdio: ["ignore", "pipe", "pipe"] });
		let stderr = "";
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			stderr += text;
		});
		child.stdout.destroy();
		const [code] = await once(child, "close");
		assert.deepEqual([code, stderr], [0, ""], command[0]);
	}
});

test("a published month has the modes that the umask of its builder gives", async (t) => {
	const data = mkdtempSync(join(tmpdir(), "rollcall-modes-"));
	t.after(() => rmSync(data, { recursive: true, force: true }));
	const drop = join(data, "licenses-2026-11.csv");
	writeFileSync(drop, "state,member_state_license_number\nTX,1\n");
	for (const [umask, folderMode, fileMode] of [
		["027", 0o750, 0o640],
		["022", 0o755, 0o644],
	] as const) {
		const target = join(data, umask);
		const build = `umask ${umask}; mkdir -p "${target}"; exec "$0" "$@"`;
		const args = ["-c", build, process.execPath, MAIN, "build", drop, "--data", target];
		assert.equal(spawnSync("/bin/sh", args).status, 0);
		const month = snapshotFolder(target, "2026-11");
		assert.equal(statSync(join(target, "snapshots")).mode & 0o777, folderMode);
		assert.equal(statSync(month).mode & 0o777, folderMode);
		for (const name of readdirSync(month, { recursive: true, encoding: "utf8" })) {
			const stat = statSync(join(month, name));
			assert.equal(stat.mode & 0o777, stat.isDirectory() ? folderMode : fileMode, name);
		}
		assert.equal(statSync(join(target, "manifests", "2026-11.json")).mode & 0o777, fileMode);
	}
});
