/** What is shipped in deploy/ for systemd, containers, Prometheus and Grafana, held to those programs. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { validate } from "dockerfile-utils";
import { HEAD_BYTES_MAX } from "../../server/http/request-head.js";
import { BODY_BYTES_MAX } from "../../server/mcp/body-receiver.js";
import { createProgram } from "../../server/program.js";
import { withHelperThreads } from "../../server/supervisor/helper-threads.js";
import { findProgram } from "../chaos/proxy/proxy-process.js";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { Client, limitlessKey, ServerProcess } from "../serve/server-process.js";
import { PrometheusProcess } from "./prometheus-process.js";

const DEPLOY = fileURLToPath(new URL("../../../deploy/", import.meta.url));
const TESTS = fileURLToPath(new URL("../../../test/deploy/", import.meta.url));
/** Tenths of systemd's exposure level, from 0 (least) to 100: as measured, rounded up. */
const EXPOSURE_MAX = 20;

const scratch = mkdtempSync(join(tmpdir(), "rollcall-deploy-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

function shipped(path: string): string {
	return readFileSync(join(DEPLOY, path), "utf8");
}

function without(program: string, debianPackage: string): string | false {
	return (
		findProgram(program) === undefined && `${program} is not installed (apt-get install ${debianPackage})`
	);
}

/** Runs a program that must succeed and complain of nothing. */
function sound(program: string, args: readonly string[], cwd = scratch): string {
	const { status, stdout, stderr } = spawnSync(findProgram(program) ?? program, args, {
		cwd,
		encoding: "utf8",
	});
	assert.equal(status, 0, `${stdout}\n${stderr}`);
	return `${stdout}${stderr}`;
}

/** Flags of a command line that `server start` does not know. */
async function unknownFlags(commandLine: string): Promise<string[]> {
	const start = (await createProgram("start")).commands.find((command) => command.name() === "start");
	const known = new Set(start?.options.map(({ long }) => long));
	return [...commandLine.matchAll(/--[a-z-]+/g)].map(([flag]) => flag).filter((flag) => !known.has(flag));
}

/** The shipped unit, with a user and files that exist here. */
function unitFile(): string {
	const unit = shipped("rollcall.service")
		.replace("/usr/local/bin/rollcall", "/bin/true")
		.replace("/usr/local/lib/node_modules/rollcall/docs/OPERATING.md", "/etc/passwd")
		.replaceAll(/^(User|Group)=rollcall$/gm, "$1=daemon");
	const file = join(scratch, "rollcall.service");
	writeFileSync(file, unit);
	return file;
}

test("the systemd unit is sound and hardened", { skip: without("systemd-analyze", "systemd") }, () => {
	assert.equal(sound("systemd-analyze", ["verify", unitFile()]), "");
	sound("systemd-analyze", ["security", "--offline=true", `--threshold=${EXPOSURE_MAX}`, unitFile()]);
	const loose = unitFile();
	writeFileSync(
		loose,
		readFileSync(loose, "utf8").replaceAll(/^(System|Protect|Restrict|Private)\w+=.*$/gm, ""),
	);
	const judged = spawnSync("systemd-analyze", [
		"security",
		"--offline=true",
		`--threshold=${EXPOSURE_MAX}`,
		loose,
	]);
	assert.notEqual(judged.status, 0, "a unit without restrictions is exposed");
});

/** The system calls of a name in a filter: those of a set, with the sets it names, or itself. */
function systemCalls(name: string): string[] {
	if (!name.startsWith("@")) return [name];
	const listed = sound("systemd-analyze", ["syscall-filter", name]).split("\n").slice(1);
	return listed.flatMap((line) => (/^ +[@a-z]/.test(line) ? systemCalls(line.trim()) : []));
}

test("the unit allows what mapping files calls", { skip: without("systemd-analyze", "systemd") }, () => {
	const [, names] = /^SystemCallFilter=([^~].*)$/m.exec(shipped("rollcall.service")) ?? [];
	const allowed = new Set(names?.split(" ").flatMap(systemCalls));
	for (const call of ["mmap", "munmap", "mincore", "madvise", "clone3"]) assert.ok(allowed.has(call), call);
});

test("the unit and the image start the server itself, with flags it has", async () => {
	const command = /^ExecStart=(.*)$/m.exec(shipped("rollcall.service"))?.[1] ?? "";
	assert.match(command, /^\/\S*\/rollcall server start --no-supervise /);
	assert.deepEqual(await unknownFlags(command.replace("--no-supervise", "")), []);
	const cmd = /^CMD (.*)$/m.exec(shipped("Containerfile"))?.[1] ?? "";
	assert.deepEqual(await unknownFlags(cmd.replace("--no-supervise", "")), []);
	assert.deepEqual(await unknownFlags("--no-such-flag"), ["--no-such-flag"]);
});

test("without the supervisor, the server is started again however it ended", () => {
	// By `on-failure`, systemd starts nothing again that SIGHUP or SIGTERM ended.
	assert.match(shipped("rollcall.service"), /^Restart=always$/m);
	assert.match(shipped("Containerfile"), /^# +podman run .*--restart=always /m);
});

test("without the supervisor, the unit and the image set what it sets for V8", () => {
	const [flag] = withHelperThreads([], "", 2);
	assert.match(shipped("rollcall.service"), new RegExp(`^Environment=NODE_OPTIONS=${flag}$`, "m"));
	const image =
		shipped("Containerfile")
			.split(/^(?=FROM )/m)
			.at(-1) ?? "";
	assert.match(image, new RegExp(`^ENV NODE_OPTIONS=${flag}$`, "m"));
});

test("the files of the proxies state the bounds of the server", () => {
	const [head, body] = [HEAD_BYTES_MAX, BODY_BYTES_MAX].map((bytes) => `${bytes / 1024} KiB`);
	assert.match(
		shipped("nginx.conf"),
		new RegExp(`A head of ${head} is the most .* /mcp has ${body} at most`),
	);
	assert.match(shipped("haproxy.cfg"), new RegExp(`A head of ${head} is the most`));
});

test("with several hosts HAProxy checks no backend that gets no request, and its stats socket is that of the documentation", () => {
	const single = shipped("haproxy.cfg").replace(
		"default_backend rollcall\n",
		"default_backend rollcall_hosts\n",
	);
	const text = `${single}\n${shipped("haproxy-hosts.cfg")}`;
	const checked = text
		.split(/^(?=backend )/m)
		.filter((section) => /^\tserver .* check /m.test(section))
		.map((section) => /^backend (\w+)/.exec(section)?.[1] ?? "");
	assert.deepEqual(checked, ["rollcall_hosts", "rollcall_hosts_behind"]);
	for (const name of checked) assert.match(text, new RegExp(`default_backend ${name}\n|track ${name}/`));
	const socket = /^\tstats socket (\S+) /m.exec(text)?.[1] ?? "none";
	const operating = readFileSync(new URL("../../../docs/OPERATING.md", import.meta.url), "utf8");
	assert.ok(operating.includes(socket));
});

test("the Containerfile is sound, and its image unprivileged", () => {
	const text = shipped("Containerfile");
	assert.deepEqual(validate(text), []);
	assert.notDeepEqual(validate("FROM a\nRUNN b\n"), []);
	const stages = text.split(/^(?=FROM )/m).slice(1);
	for (const stage of stages) assert.match(stage, /^FROM [\w./-]+:[\w.-]+( AS \w+)?\n/, "a tag is named");
	assert.doesNotMatch(text, /:latest|^ADD |^ENV .*KEY/m);
	const final = stages.at(-1) ?? "";
	assert.match(final, /^USER \d{4,}:\d{4,}$/m);
	assert.doesNotMatch(final, /^RUN /m, "an image without a shell runs nothing when built");
	for (const instruction of ["ENTRYPOINT", "CMD"]) {
		const value = new RegExp(`^${instruction} (.*)$`, "m").exec(final)?.[1] ?? "";
		assert.ok(
			Array.isArray(JSON.parse(value)),
			`${instruction} is an array, so that signals reach the process`,
		);
	}
});

const noPromtool = without("promtool", "prometheus");

test("the Prometheus rules are sound, fire on what they are for, and only then", { skip: noPromtool }, () => {
	for (const name of ["prometheus.yml", "rollcall.rules.yml"])
		copyFileSync(join(DEPLOY, "prometheus", name), join(scratch, name));
	copyFileSync(join(TESTS, "rollcall.rules.test.yml"), join(scratch, "rollcall.rules.test.yml"));
	sound("promtool", ["check", "config", "prometheus.yml"]);
	sound("promtool", ["test", "rules", "rollcall.rules.test.yml"]);
	const alerts = [...shipped("prometheus/rollcall.rules.yml").matchAll(/alert: (\w+)/g)].map(
		([, name]) => name,
	);
	const tested = readFileSync(join(TESTS, "rollcall.rules.test.yml"), "utf8");
	for (const alert of alerts) assert.equal(tested.split(`alertname: ${alert}`).length, 3, alert);
});

interface Dashboard {
	readonly panels: readonly {
		readonly title: string;
		readonly targets: readonly { readonly expr: string }[];
	}[];
}

test("every query of the dashboard and the rules gives data from a real server", {
	skip: without("prometheus", "prometheus"),
}, async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const key = await limitlessKey(folder);
	const admin = await freePort();
	// As one of several hosts and with signup, so that it has their metrics; port 1 answers nothing.
	const host = ["--shared", "redis://127.0.0.1:1", "--months-from", "https://127.0.0.1:1/months"];
	const signup = ["--signup-port", String(await freePort()), "--smtp", "smtp://127.0.0.1:1"];
	const server = await ServerProcess.start(
		t,
		folder,
		...host,
		...signup,
		"--admin-port",
		String(admin),
		"--log-level",
		"error",
	);
	const prometheus = await PrometheusProcess.start(findProgram("prometheus") ?? "", admin);
	t.after(() => prometheus.close());
	for (let round = 0; round < 15; round++) {
		const client = new Client(server.port, key.text);
		for (const path of [
			"/v1/licenses?limit=3",
			`/v1/licenses?limit=1&page=${round + 1}`,
			"/v1/health",
			"/nowhere",
		])
			await client.get(path);
		client.close();
		await delay(200);
	}
	const dashboard = JSON.parse(shipped("grafana/rollcall.json")) as Dashboard;
	const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
	assert.ok(expressions.length >= 20);
	for (const expression of expressions) {
		const filled = expression.replaceAll("$__rate_interval", "30s").replaceAll("$instance", ".*");
		assert.ok((await prometheus.series(filled)) > 0, filled);
	}
	// An alert on a metric that does not exist would never fire.
	const rules = readdirSync(join(DEPLOY, "prometheus")).map((name) => shipped(`prometheus/${name}`));
	for (const name of new Set(rules.join("\n").match(/\brollcall_\w+/g)))
		assert.ok((await prometheus.series(name)) > 0, name);
	await assert.rejects(prometheus.series("sum("), /parse error/);
});
