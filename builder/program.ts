/**
 * The builder's commands with their options. Each is loaded when it is asked for: a command needs a fraction of
 * what all need, and loading all takes longer than most commands run.
 */

import { Command } from "commander";
import { refuseEmptyPaths } from "../formats/files/path-options.js";

/** By name, in the order of `--help`. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
	build: async () => (await import("./commands/build.js")).buildCommand(),
	list: async () => (await import("./commands/list.js")).listCommand(),
	verify: async () => (await import("./commands/verify.js")).verifyCommand(),
	inspect: async () => (await import("./commands/inspect.js")).inspectCommand(),
	explain: async () => (await import("./commands/explain.js")).explainCommand(),
	diff: async () => (await import("./commands/diff.js")).diffCommand(),
	changes: async () => (await import("./commands/changes.js")).changesCommand(),
	dump: async () => (await import("./commands/dump.js")).dumpCommand(),
	export: async () => (await import("./commands/export.js")).exportCommand(),
	retire: async () => (await import("./commands/retire.js")).retireCommand(),
	restore: async () => (await import("./commands/retire.js")).restoreCommand(),
	prune: async () => (await import("./commands/retire.js")).pruneCommand(),
	rows: async () => (await import("./commands/rows.js")).rowsCommand(),
	push: async () => (await import("./commands/store.js")).pushCommand(),
	pull: async () => (await import("./commands/store.js")).pullCommand(),
	withdraw: async () => (await import("./commands/store.js")).withdrawCommand(),
	gc: async () => (await import("./commands/store.js")).gcCommand(),
	watch: async () => (await import("./commands/watch.js")).watchCommand(),
	release: async () => (await import("./commands/watch.js")).releaseCommand(),
	synth: async () => (await import("./synth/command.js")).synthCommand(),
};

/**
 * A program to be run by `runProgram`, or to be listed. `only`: the word that names the command to run; with
 * another word, or none, the program has every command.
 */
export async function createProgram(only?: string): Promise<Command> {
	const program = new Command("builder")
		.description("compiles monthly CSV drops into published snapshots and manages them")
		.hook("preAction", refuseEmptyPaths);
	const asked =
		only !== undefined && Object.hasOwn(COMMANDS, only) ? [COMMANDS[only]] : Object.values(COMMANDS);
	for (const load of asked) program.addCommand(await load());
	return program;
}
