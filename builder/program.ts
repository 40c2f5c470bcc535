/** The builder's commands with their options. */

import { Command } from "commander";
import { buildCommand } from "./commands/build.js";
import { changesCommand } from "./commands/changes.js";
import { diffCommand } from "./commands/diff.js";
import { dumpCommand } from "./commands/dump.js";
import { explainCommand } from "./commands/explain.js";
import { exportCommand } from "./commands/export.js";
import { inspectCommand } from "./commands/inspect.js";
import { listCommand } from "./commands/list.js";
import { pruneCommand, restoreCommand, retireCommand } from "./commands/retire.js";
import { rowsCommand } from "./commands/rows.js";
import { gcCommand, pullCommand, pushCommand, withdrawCommand } from "./commands/store.js";
import { verifyCommand } from "./commands/verify.js";
import { releaseCommand, watchCommand } from "./commands/watch.js";
import { synthCommand } from "./synth/command.js";

/** A program to be run by {@link runProgram}, or to be listed. */
export function createProgram(): Command {
	return new Command("builder")
		.description("compiles monthly CSV drops into published snapshots and manages them")
		.addCommand(buildCommand())
		.addCommand(listCommand())
		.addCommand(verifyCommand())
		.addCommand(inspectCommand())
		.addCommand(explainCommand())
		.addCommand(diffCommand())
		.addCommand(changesCommand())
		.addCommand(dumpCommand())
		.addCommand(exportCommand())
		.addCommand(retireCommand())
		.addCommand(restoreCommand())
		.addCommand(pruneCommand())
		.addCommand(rowsCommand())
		.addCommand(pushCommand())
		.addCommand(pullCommand())
		.addCommand(withdrawCommand())
		.addCommand(gcCommand())
		.addCommand(watchCommand())
		.addCommand(releaseCommand())
		.addCommand(synthCommand());
}
