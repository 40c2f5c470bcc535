/** The benchmark's command line: `npm run bench -- COMMAND`. A command is one module and one line here. */

import { Command, CommanderError } from "commander";
import { engineCommand } from "./commands/engine.js";
import { peersCommand } from "./commands/peers.js";

const program = new Command("bench")
	.description("measures Rollcall against databases that hold the same rows, and checks every answer")
	.addCommand(engineCommand())
	.addCommand(peersCommand());

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
