/**
 * The server's commands. One place maps errors to exit codes: 0 done, 1 refused or failed with
 * one line on stderr, 2 usage.
 */

import { Command, CommanderError } from "commander";
import { EngineError } from "../engine/errors.js";
import { FormatError } from "../formats/index.js";
import { ObjectStoreError } from "../formats/object-store/index.js";
import { addKeysCommand } from "./commands/keys.js";
import { addMcpStdioCommand } from "./commands/mcp-stdio.js";
import { addSignupsCommand } from "./commands/signups.js";
import { addStartCommands } from "./commands/start.js";
import { ConfigError } from "./config.js";
import { TransportUnavailableError } from "./http/select-transport.js";
import { ListenError } from "./http/transport.js";
import { KeyError } from "./keys/errors.js";
import { SharedStoreError } from "./shared-state/errors.js";
import { StoreError } from "./store/errors.js";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Errors whose message is sufficient for an operator; any other error is a defect. */
const EXPECTED_ERRORS = [
	KeyError,
	StoreError,
	SharedStoreError,
	ObjectStoreError,
	FormatError,
	EngineError,
	ConfigError,
	ListenError,
	TransportUnavailableError,
];

/** The commands with their options. Exported for the documentation and tests. */
export function createProgram(): Command {
	const program = new Command("server")
		.description("Serves published snapshots over HTTP and manages the keys that may ask.")
		.exitOverride()
		.configureOutput({ outputError: (text, write) => write(`${oneLine(text)}\n`) });
	addStartCommands(program);
	addKeysCommand(program);
	addSignupsCommand(program);
	addMcpStdioCommand(program);
	return program;
}

/** Runs a command line (without node and script). Resolves to the exit code; unexpected errors reject. */
export async function runCommand(args: readonly string[]): Promise<number> {
	try {
		await createProgram().parseAsync(args, { from: "user" });
		return 0;
	} catch (error) {
		// Commander has printed its own line, or the requested help.
		if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
		if (!EXPECTED_ERRORS.some((expected) => error instanceof expected)) throw error;
		process.stderr.write(`error: ${oneLine((error as Error).message)}\n`);
		return isUsageError(error) ? EXIT_USAGE : EXIT_FAILED;
	}
}

function isUsageError(error: unknown): boolean {
	if (error instanceof ConfigError) return error.code !== "unreadable_config";
	return error instanceof KeyError && error.code === "invalid_grant";
}

function oneLine(text: string): string {
	return text.trim().replaceAll(/\s*\n\s*/g, " ");
}
