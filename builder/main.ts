/** The builder's command line: `npm run -s builder -- COMMAND`. */

import { Command } from "commander";
import { runProgram } from "./command-line.js";
import { buildCommand } from "./commands/build.js";
import { changesCommand } from "./commands/changes.js";
import { diffCommand } from "./commands/diff.js";
import { dumpCommand } from "./commands/dump.js";
import { explainCommand } from "./commands/explain.js";
import { inspectCommand } from "./commands/inspect.js";
import { listCommand } from "./commands/list.js";
import { pruneCommand, restoreCommand, retireCommand } from "./commands/retire.js";
import { rowsCommand } from "./commands/rows.js";
import { verifyCommand } from "./commands/verify.js";
import { synthCommand } from "./synth/command.js";

const program = new Command("builder")
	.description("compiles monthly CSV drops into published snapshots and manages them")
	.addCommand(buildCommand())
	.addCommand(listCommand())
	.addCommand(verifyCommand())
	.addCommand(inspectCommand())
	.addCommand(explainCommand())
	.addCommand(diffCommand())
	.addCommand(changesCommand())
	.addCommand(dumpCommand())
	.addCommand(retireCommand())
	.addCommand(restoreCommand())
	.addCommand(pruneCommand())
	.addCommand(rowsCommand())
	.addCommand(synthCommand());

process.exitCode = await runProgram(program, process.argv.slice(2));
