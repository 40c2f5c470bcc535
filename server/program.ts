/**
 * The server's commands. Each is loaded when it is asked for, as those of the builder are. One place maps errors
 * to exit codes (0 done, 1 refused or failed with one line on stderr, 2 usage) and, with `--json`, to the one JSON
 * document on stdout.
 */

import { Command, CommanderError } from "commander";
import { EngineError } from "../engine/errors.js";
import { FormatError } from "../formats/errors.js";
import { refuseEmptyPaths } from "../formats/files/path-options.js";
import { endOnFailedOutput } from "../formats/files/standard-output.js";
import { ObjectStoreError } from "../formats/object-store/errors.js";
import { ListenError, TransportUnavailableError } from "./http/transport.js";
import { KeyError } from "./keys/errors.js";
import { ConfigError } from "./settings/config-error.js";
import { SharedStoreError } from "./shared-state/errors.js";
import { SignupError } from "./signup/errors.js";
import { StoreError } from "./store/errors.js";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Errors whose message is sufficient for an operator; any other error is a defect. */
const EXPECTED_ERRORS = [
	KeyError,
	SignupError,
	StoreError,
	SharedStoreError,
	ObjectStoreError,
	FormatError,
	EngineError,
	ConfigError,
	ListenError,
	TransportUnavailableError,
];

/** Commands that run until they are stopped; their output is a log or a protocol. */
const RUNNING_COMMANDS: readonly (string | undefined)[] = ["start", "mcp-stdio"];

/** By name, in the order of `--help`. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
	start: async () => (await import("./commands/start.js")).startCommand(),
	config: async () => (await import("./commands/start.js")).configCommand(),
	keys: async () => (await import("./commands/keys.js")).keysCommand(),
	signups: async () => (await import("./commands/signups.js")).signupsCommand(),
	"mcp-stdio": async () => (await import("./commands/mcp-stdio.js")).mcpStdioCommand(),
};

/**
 * The commands with their options, to be run or listed. `only`: the word that names the command to run; with
 * another word, or none, the program has every command.
 */
export async function createProgram(only?: string): Promise<Command> {
	const program = new Command("server")
		.description("Serves published snapshots over HTTP and manages the keys that may ask.")
		.hook("preAction", refuseEmptyPaths)
		.exitOverride()
		.configureOutput({ outputError: (text, write) => write(`${oneLine(text)}\n`) });
	const asked =
		only !== undefined && Object.hasOwn(COMMANDS, only) ? [COMMANDS[only]] : Object.values(COMMANDS);
	for (const load of asked) addCommand(program, await load());
	return program;
}

/** As `program.command()` does it, whose subcommands write and exit as the program itself. */
function addCommand(parent: Command, command: Command): void {
	parent.addCommand(command);
	inherit(command, parent);
}

function inherit(command: Command, parent: Command): void {
	command.copyInheritedSettings(parent);
	for (const sub of command.commands) inherit(sub, command);
}

/** Runs a command line (without node and script). Resolves to the exit code; unexpected errors reject. */
export async function runCommand(args: readonly string[]): Promise<number> {
	const fail = (exitCode: number, code: string, message: string) => {
		if (args.includes("--json")) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
		return exitCode;
	};
	if (!RUNNING_COMMANDS.includes(args[0]))
		endOnFailedOutput((error) => `error: standard output: ${error.message}; what the command did stands`);
	try {
		const program = await createProgram(args[0]);
		await program.parseAsync(args, { from: "user" });
		return 0;
	} catch (error) {
		// Commander has printed its own line, or the requested help.
		if (error instanceof CommanderError) {
			if (error.exitCode === 0) return 0;
			return fail(EXIT_USAGE, "usage", oneLine(error.message).replace(/^error: /, ""));
		}
		if (!EXPECTED_ERRORS.some((expected) => error instanceof expected)) throw error;
		const { code = "failed", message } = error as Error & { readonly code?: string };
		process.stderr.write(`error: ${oneLine(message)}\n`);
		return fail(isUsageError(error) ? EXIT_USAGE : EXIT_FAILED, code, oneLine(message));
	}
}

function isUsageError(error: unknown): boolean {
	if (error instanceof ConfigError) return error.code !== "unreadable_config";
	if (error instanceof ObjectStoreError) return error.code === "bad_store_url";
	return error instanceof KeyError && error.code === "invalid_grant";
}

function oneLine(text: string): string {
	return text.trim().replaceAll(/\s*\n\s*/g, " ");
}
