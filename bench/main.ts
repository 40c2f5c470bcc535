/** The benchmark's command line: `npm run bench -- [COMMAND]`. */

import { CommanderError } from "commander";
import { createProgram } from "./program.js";
import { Command, CommanderError } from "commander";
import { buildBenchCommand } from "./commands/build.js";
import { differentialCommand } from "./commands/differential.js";
import { engineCommand } from "./commands/engine.js";
import { gzipCommand } from "./commands/gzip.js";
import { microCommand } from "./commands/micro.js";
import { peersCommand } from "./commands/peers.js";
import { scalingCommand } from "./commands/scaling.js";
import { worstCommand } from "./commands/worst.js";
import { httpCommand } from "./http/command.js";

const program = new Command("bench")
	.description("measures Rollcall against databases that hold the same rows, and checks every answer")
	.addCommand(engineCommand(), { isDefault: true })
	.addCommand(httpCommand())
	.addCommand(buildBenchCommand())
	.addCommand(gzipCommand())
	.addCommand(microCommand())
	.addCommand(peersCommand())
	.addCommand(scalingCommand())
	.addCommand(worstCommand())
	.addCommand(differentialCommand());

const program = createProgram();
program.exitOverride();
for (const command of program.commands) command.exitOverride();

try {
	await program.parseAsync(process.argv.slice(2), { from: "user" });
} catch (error) {
	if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
	else {
		process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
		process.exitCode = 1;
	}
}
