/** The benchmark's command line: `npm run bench -- [COMMAND]`. */

import { CommanderError } from "commander";
import { mappingFault } from "../formats/index.js";
import { endChildrenAtExit } from "./processes/own-children.js";
import { createProgram } from "./program.js";

endChildrenAtExit();
const unmapped = mappingFault();
if (unmapped !== null) process.stderr.write(`bench: figures without mapped files: ${unmapped}\n`);
const program = createProgram();
program.exitOverride();
for (const command of program.commands) command.exitOverride();

try {
	await program.parseAsync(process.argv.slice(2), { from: "user" });
} catch (error) {
	if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
	else {
		process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
		// Servers that it has started would keep this process running.
		process.exit(1);
	}
}
