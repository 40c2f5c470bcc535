/** The package that `npm pack` makes: what is in it, how large it is, and that its command does what the documents show. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { after, test } from "node:test";
import { completionScript } from "../../cli/completion.js";
import { mappingMode } from "../../formats/files/mmap.js";
import { ENTRY_POINTS } from "../../server/entry-points.js";
import { ROOT } from "../docs/runnable-blocks.js";
import { freePort } from "../free-port.js";
import { install, installedPackages, packageBytes, packedFiles } from "./installed.js";

/** Largest installation without optional packages, in bytes. */
const INSTALLED_BYTES_MAX = 60_000_000;
const PACKED_BYTES_MAX = 12_000_000;
const START_MS_MAX = 180_000;

const scratch = mkdtempSync(join(tmpdir(), "rollcall-package-"));
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

let environment: NodeJS.ProcessEnv | undefined;
/** The environment of an installation with all optional packages, made once. */
function installed(): NodeJS.ProcessEnv {
	environment ??= install(join(scratch, "full"), true);
	return environment;
}

function emptyFolder(name: string): string {
	const folder = join(scratch, name);
	mkdirSync(folder);
	return folder;
}

function rollcall(args: readonly string[], env = installed()) {
	return spawnSync("rollcall", args, { env, cwd: scratch, encoding: "utf8" });
}

/** What `child` writes until it has written `text`, or has ended. */
function saidUntil(child: ChildProcess, text: string): Promise<string> {
	let said = "";
	const late = setTimeout(() => child.kill("SIGKILL"), START_MS_MAX);
	return new Promise((resolve) => {
		const end = () => {
			clearTimeout(late);
			resolve(said);
		};
		child.once("exit", end);
		child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
			said += piece;
			if (said.includes(text)) end();
		});
	});
}

test("the package holds the programs, types and documents, and no tests, sources or source maps", () => {
	const paths = packedFiles().map(({ path }) => path);
	for (const path of [
		...ENTRY_POINTS.map((entry) => `dist/server/bundle/${entry}`),
		"dist/cli/main.js",
		"dist/engine/index.d.ts",
		"dist/formats/index.d.ts",
		"README.md",
		"docs/API.md",
		"formats/SNAPSHOT.md",
		"bench/peers/package-lock.json",
	]) {
		assert.ok(paths.includes(path), path);
	}
	assert.deepEqual(
		paths.filter((path) => /\.map$|(?<!\.d)\.ts$|^dist\/test|^test\//.test(path)),
		[],
	);
});

test("the package holds every file that browsers load", () => {
	const paths = new Set(packedFiles().map(({ path }) => path));
	const served = readdirSync(join(ROOT, "dist/server"), { recursive: true, encoding: "utf8" })
		.map((path) => path.split(sep).join("/"))
		.filter((path) => /(^|\/)browser\/./.test(path));
	for (const name of ["pages/browser/page.css", "reference/browser/swagger-ui-bundle.js"])
		assert.ok(served.includes(name), name);
	assert.deepEqual(
		served.filter((path) => !paths.has(`dist/server/${path}`)),
		[],
	);
});

test("the package holds the addon that maps files, as it was compiled here", {
	skip: mappingMode() !== "mmap" && "needs the addon, which a C compiler makes",
}, () => {
	const addons = packedFiles().filter(({ path }) => path.endsWith(".node"));
	assert.deepEqual(
		addons.map(({ path }) => path),
		[`native/addon-${process.platform}-${process.arch}.node`],
	);
	assert.ok(addons[0].size > 1_000, `${addons[0].size} bytes`);
});

test("an installation without optional packages has at most 60 MB", (t) => {
	const own = packedFiles().reduce((sum, { size }) => sum + size, 0);
	const packages = installedPackages(false);
	const bytes = own + packages.reduce((sum, path) => sum + packageBytes(join(ROOT, path)), 0);
	t.diagnostic(`${own} bytes of the package, ${bytes} with ${packages.length} required packages`);
	assert.ok(own <= PACKED_BYTES_MAX, `${own} bytes`);
	assert.ok(bytes <= INSTALLED_BYTES_MAX, `${bytes} bytes`);
});

test("the installed command has help, a version, one error line, and completion", () => {
	assert.match(rollcall(["--help"]).stdout, /^Usage: rollcall <command>/);
	const bare = rollcall([]);
	assert.deepEqual([bare.status, bare.stdout], [2, ""]);
	assert.match(bare.stderr, /^Usage: rollcall <command>/);
	assert.match(rollcall(["--version"]).stdout, /^\d+\.\d+\.\d+\n$/);
	for (const command of ["builder", "server", "bench"]) {
		assert.match(rollcall([command, "--help"]).stdout, new RegExp(`^Usage: .*${command} `));
	}
	const unknown = rollcall(["serve"]);
	assert.deepEqual([unknown.status, unknown.stdout], [2, ""]);
	assert.match(unknown.stderr, /^rollcall: unknown command "serve"[^\n]*\n$/);
	assert.equal(rollcall(["builder", "verify", "--data", join(scratch, "none")]).status, 1);
	assert.equal(rollcall(["completion", "tcsh"]).status, 2);
});

/** What bash offers for the last word of each list of words. */
function completions(...lists: readonly (readonly string[])[]): string[][] {
	const asked = lists.map((words) => {
		const list = words.map((word) => `'${word}'`).join(" ");
		return `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _rollcall; echo "\${COMPREPLY[@]}"`;
	});
	const code = ["source <(rollcall completion bash)", ...asked].join("\n");
	const { stdout, status, stderr } = spawnSync("bash", ["-c", code], { env: installed(), encoding: "utf8" });
	assert.equal(status, 0, stderr);
	return stdout
		.trimEnd()
		.split("\n")
		.map((line) => line.split(" "));
}

test("completion knows the commands, options and values of the programs", async () => {
	const [programs, commands, subcommands, options, values, shells] = completions(
		["rollcall", "bu"],
		["rollcall", "server", ""],
		["rollcall", "server", "keys", "rot"],
		["rollcall", "builder", "build", "a.csv", "--ac"],
		["rollcall", "server", "start", "--transport", "n"],
		["rollcall", "completion", "f"],
	);
	assert.deepEqual(programs, ["builder"]);
	assert.ok(commands.includes("keys"));
	assert.deepEqual(subcommands, ["rotate"]);
	assert.ok(options.includes("--accept"));
	assert.deepEqual(values, ["node"]);
	assert.deepEqual(shells, ["fish"]);
	for (const shell of ["zsh", "fish"]) {
		const script = (await completionScript(shell)) ?? "";
		assert.match(script, /keys[\s\S]*--?l? ?tier/, shell);
		const missing = spawnSync(shell, ["--version"]).error !== undefined;
		if (!missing) assert.equal(spawnSync(shell, ["-n"], { input: script }).status, 0, shell);
	}
});

// The demo runs the commands that the documents show (docs/commands tests them from a checkout).
test("the demo builds, makes keys and serves from an installation, in an empty folder", async (t) => {
	const env = { ...installed(), PORT: String(await freePort()) };
	const demo = spawn("rollcall", ["demo", "--rows", "600"], {
		env,
		cwd: emptyFolder("demo"),
		stdio: ["ignore", "pipe", "inherit"],
	});
	t.after(() => demo.kill("SIGKILL"));
	const said = await saidUntil(demo, "Ctrl-C ends it");
	const curl = said.split("\n").find((line) => line.includes("limit=3"));
	assert.ok(curl !== undefined, said);
	assert.match(
		spawnSync("bash", ["-c", `${curl} --fail`], { encoding: "utf8" }).stdout,
		/"member_last_name":"Smi/i,
	);
	const [, key, origin] = /Bearer (\w+)' '(http:\/\/[^/]+)/.exec(curl) ?? assert.fail(curl);
	const call = {
		jsonrpc: "2.0",
		id: 1,
		method: "tools/call",
		params: { name: "search_licenses", arguments: { state: ["CA"], last_name: "smi" } },
	};
	const called = await fetch(`${origin}/mcp`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify(call),
	});
	assert.match(await called.text(), /"structuredContent"/);
	demo.kill("SIGTERM");
	const [code] = await once(demo, "exit");
	assert.equal(code, 0);
});

test("without optional packages the server serves, and what needs them says which", async (t) => {
	const env = install(join(scratch, "small"), false);
	const folder = emptyFolder("small-data");
	const synth = ["builder", "synth", "--rows", "10", "--months", "2026-11", "--out", join(folder, "drops")];
	const refused = rollcall(synth, env);
	assert.equal(refused.status, 1, refused.stderr);
	assert.match(refused.stderr, /^builder: [^\n]*(faker|zipcodes)[^\n]*--omit=optional[^\n]*\n$/);
	assert.equal(rollcall(synth).status, 0);
	const drop = spawnSync("bash", ["-c", "ls drops/*"], { cwd: folder, encoding: "utf8" }).stdout.trim();
	const built = rollcall(["builder", "build", join(folder, drop), "--data", folder], env);
	assert.equal(built.status, 0, built.stderr);
	const args = ["server", "start", "--data", folder, "--port", "0"];
	const server = spawn("rollcall", args, { env, stdio: ["ignore", "pipe", "inherit"] });
	t.after(() => server.kill("SIGKILL"));
	const said = await saidUntil(server, '"listening"');
	const listening = said.split("\n").find((line) => line.includes('"listening"'));
	const { port, transport } = JSON.parse(listening ?? "") as { port: number; transport: string };
	assert.equal(transport, "node");
	const health = (await (await fetch(`http://127.0.0.1:${port}/v1/health`)).json()) as { snapshot: string };
	assert.equal(health.snapshot, "2026-11");
	server.kill("SIGTERM");
	await once(server, "exit");
});
