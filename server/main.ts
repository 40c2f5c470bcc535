/**
 * The server's command line. One place maps errors to exit codes: 0 done, 1 refused or failed with
 * one line on stderr, 2 usage.
 */

import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { FormatError } from "../formats/index.js";
import { addKeysCommand } from "./cli/keys.js";
import { KeyError } from "./keys/errors.js";
import { StoreError } from "./store/errors.js";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** The commands with their options. Exported for the documentation and tests. */
export function createProgram(): Command {
	const program = new Command("server")
		.description("Serves published snapshots over HTTP and manages the keys that may ask.")
		.exitOverride()
		.configureOutput({ outputError: (text, write) => write(`${oneLine(text)}\n`) });
	addKeysCommand(program);
	return program;
}

/** Runs a command line (without node and script). Resolves to the exit code; unexpected errors reject. */
export async function runCommand(args: readonly string[]): Promise<number> {
	try {
		await createProgram().parseAsync(args, { from: "user" });
		return 0;
	} catch (error) {
		// Commander has written its own line, or the help that was asked for.
		if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
		if (!(error instanceof KeyError || error instanceof StoreError || error instanceof FormatError))
			throw error;
		process.stderr.write(`error: ${oneLine(error.message)}\n`);
		return error.code === "invalid_grant" ? EXIT_USAGE : EXIT_FAILED;
	}
}

function oneLine(text: string): string {
	return text.trim().replaceAll(/\s*\n\s*/g, " ");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	process.exitCode = await runCommand(process.argv.slice(2));
}
