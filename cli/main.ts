#!/usr/bin/env node
/**
 * The installed command: `rollcall builder|server|demo|bench …` runs what `npm run builder|server|…` runs
 * in a checkout, with the same flags and exit codes; `rollcall completion SHELL` prints a script for a shell.
 *
 * It loads nothing before it knows the subcommand, so that a server's supervisor stays as small as it is.
 */

const USAGE = `Usage: rollcall <command> [arguments]

Commands:
  builder                      compile monthly CSV drops into published snapshots and manage them
  server                       serve published snapshots over HTTP and manage the keys that may ask
  demo                         build three synthetic months, make a key per tier, and serve them
  bench                        measure the engine and the server, and check every answer
  completion bash|zsh|fish     print a script that completes commands and options

Options:
  -V, --version                print the version
  -h, --help                   print this; "rollcall <command> --help" prints a command's own
`;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Each is a program that reads process.argv. */
const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
	builder: () => import("../builder/main.js"),
	server: () => import("../server/main.js"),
	demo: () => import("../server/demo.js"),
	bench: () => import("../bench/main.js"),
};

async function run(command: string | undefined, args: readonly string[]): Promise<void> {
	if (command === undefined) {
		process.stderr.write(USAGE);
		process.exitCode = EXIT_USAGE;
	} else if (command === "--help" || command === "-h" || command === "help") {
		process.stdout.write(USAGE);
	} else if (command === "--version" || command === "-V") {
		process.stdout.write(`${await version()}\n`);
	} else if (!isNodeRecent()) {
		process.stderr.write(`rollcall: needs Node 20.15, 22.2 or later; this is ${process.versions.node}\n`);
		process.exitCode = EXIT_FAILED;
	} else if (command === "completion") {
		const { completionScript } = await import("./completion.js");
		const script = await completionScript(args[0] ?? "");
		if (script === null) return refuse(`completion is for bash, zsh or fish, not "${args[0] ?? ""}"`);
		process.stdout.write(script);
	} else if (Object.hasOwn(PROGRAMS, command)) {
		process.argv = [process.argv[0], process.argv[1], ...args];
		await PROGRAMS[command]();
	} else {
		refuse(`unknown command "${command}"; rollcall --help lists them`);
	}
}

/** Whether Node has what the programs import: npm only warns of `engines`, and a failed import names no version. */
function isNodeRecent(): boolean {
	const [major, minor] = process.versions.node.split(".").map(Number);
	return major > 22 || (major === 22 && minor >= 2) || (major === 20 && minor >= 15);
}

function refuse(message: string): void {
	process.stderr.write(`rollcall: ${message}\n`);
	process.exitCode = EXIT_USAGE;
}

async function version(): Promise<string> {
	const { readFileSync } = await import("node:fs");
	const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
	return (JSON.parse(text) as { version: string }).version;
}

await run(process.argv[2], process.argv.slice(3));
