/** The process that serves under a supervisor: follows it before anything else, then runs the command. */

import { followSupervisor } from "./supervisor/followed.js";

followSupervisor();
const { runCommand } = await import("./program.js");
process.exitCode = await runCommand(process.argv.slice(2));
