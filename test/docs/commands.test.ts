/**
 * Commands of the documents work as pasted: the code blocks marked `<!-- runnable -->` run in one shell,
 * in a folder like a fresh checkout, against the server that docs/OPERATING.md starts. A request that is
 * not answered with success fails, as does any command. The README is a front page.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The first makes the months and the key, and starts the server, that the others use. */
const DOCUMENTS = [
	"docs/OPERATING.md",
	"README.md",
	"docs/AGENTS.md",
	"docs/LIBRARY.md",
	"docs/BENCHMARKS.md",
];
const README_LINES_MAX = 120;
const RUN_MS_MAX = 200_000;

interface Block {
	readonly document: string;
	readonly language: string;
	readonly code: string;
}

function blocksOf(document: string): Block[] {
	const text = readFileSync(join(ROOT, document), "utf8");
	const marked = text.matchAll(/^<!-- runnable -->\n```(\w+)\n([\s\S]*?)^```$/gm);
	return [...marked].map(([, language, code]) => ({ document, language, code }));
}

/** The blocks as one script of bash. TypeScript is checked strictly, then run. */
function scriptOf(blocks: readonly Block[], folder: string): string {
	const steps = blocks.map(({ document, language, code }, i) => {
		const said = `echo '== ${document}'\n`;
		if (language === "sh") return said + code;
		assert.equal(language, "ts", `${document} has runnable blocks of sh and ts`);
		writeFileSync(join(folder, `example-${i}.ts`), code);
		const flags = "--strict --module nodenext --target es2023 --types node --skipLibCheck";
		return `${said}node_modules/.bin/tsc ${flags} example-${i}.ts\nnode example-${i}.js\n`;
	});
	return ["set -euo pipefail", 'curl() { command curl --fail --show-error "$@" && echo; }', ...steps].join(
		"\n",
	);
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as { port: number };
	server.close();
	await once(server, "close");
	return port;
}

/** Runs `script` in `folder`; ends whatever it leaves running. */
async function runScript(script: string, folder: string): Promise<{ code: number | null; output: string }> {
	const shell = spawn("bash", ["-c", script], {
		cwd: folder,
		detached: true,
		stdio: ["ignore", "pipe", "pipe"],
	});
	let output = "";
	for (const stream of [shell.stdout, shell.stderr])
		stream.setEncoding("utf8").on("data", (text: string) => {
			output += text;
		});
	const timer = setTimeout(() => shell.kill("SIGKILL"), RUN_MS_MAX);
	const [code] = (await once(shell, "exit")) as [number | null];
	clearTimeout(timer);
	try {
		// The shell leads a process group of its own, which the server in the background belongs to.
		process.kill(-(shell.pid as number), "SIGTERM");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
	return { code, output };
}

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
