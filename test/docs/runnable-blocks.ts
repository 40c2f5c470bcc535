/** The code blocks of the documents that are marked `<!-- runnable -->`, and a shell to run them in. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PACKAGE = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
	scripts: Record<string, string>;
};
const RUN_MS_MAX = 200_000;
/** Months of the documents, of which smaller ones are made here: the commands are tested, not their speed. */
const ROWS_SHOWN = /--rows \d+ /g;
const ROWS_MADE = "--rows 600 ";
/** Every shape is asked by bench/bench. */
const BENCH_SHOWN = /bench -- engine /g;
const BENCH_RUN = "bench -- engine --shape 'first page' ";
/**
 * Starts npm, which takes longer to start than most commands, for the first command of each program and for the
 * server only. The others run what npm's script runs.
 */
const NPM = `npm() {
	if [ "$1 $2 $4 $5" != 'run -s -- start' ] && [ -e "npm-ran-$3" ]; then
		(program=$3; shift 4; exec node "dist/$program/main.js" "$@")
	else
		touch "npm-ran-$3"
		command npm "$@"
	fi
}`;

export interface Block {
	readonly document: string;
	readonly language: string;
	readonly code: string;
}

export function blocksOf(document: string): Block[] {
	const text = readFileSync(join(ROOT, document), "utf8");
	const marked = text.matchAll(/^<!-- runnable -->\n```(\w+)\n([\s\S]*?)^```$/gm);
	return [...marked].map(([, language, code]) => ({
		document,
		language,
		code: code.replaceAll(ROWS_SHOWN, ROWS_MADE).replaceAll(BENCH_SHOWN, BENCH_RUN),
	}));
}

/** The blocks as one script of bash. TypeScript is checked strictly, then run. */
export function scriptOf(blocks: readonly Block[], folder: string): string {
	for (const program of ["builder", "server", "bench"])
		assert.match(PACKAGE.scripts[program], new RegExp(`^exec node (--[\\w=-]+ )*dist/${program}/main\\.js$`));
	const steps = blocks.map(({ document, language, code }, i) => {
		const said = `echo '== ${document}'\n`;
		if (language === "sh") return said + code;
		assert.equal(language, "ts", `${document} has runnable blocks of sh and ts`);
		writeFileSync(join(folder, `example-${i}.ts`), code);
		const flags = "--strict --module nodenext --target es2023 --types node";
		return `${said}node_modules/.bin/tsc ${flags} example-${i}.ts\nnode example-${i}.js\n`;
	});
	const curl = 'curl() { command curl --fail --show-error "$@" && echo; }';
	return ["set -euo pipefail", curl, NPM, ...steps].join("\n");
}

/** Runs `script` in `folder`; ends whatever it leaves running. */
export async function runScript(
	script: string,
	folder: string,
	env: NodeJS.ProcessEnv = process.env,
): Promise<{ code: number | null; output: string }> {
	const shell = spawn("bash", ["-c", script], {
		cwd: folder,
		env,
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
		// The shell leads a process group of its own, which the server in the background belongs to. What is
		// interrupted between two steps may never look at a signal again.
		process.kill(-(shell.pid as number), code === null ? "SIGKILL" : "SIGTERM");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
	return { code, output };
}
