/**
 * The server's command line: `npm run -s server -- COMMAND`. `start` runs in a separate process under a
 * supervisor, and this process loads only the supervisor; every other command runs here.
 */

import { entryPoint } from "./entry-points.js";
import { endWithNpm } from "./supervisor/npm-parent.js";
import { isSupervised, supervise } from "./supervisor/supervise.js";

endWithNpm();
const args = process.argv.slice(2);
if (isSupervised(args)) {
	process.exitCode = await supervise(entryPoint("supervised.js"), args);
} else {
	const { runCommand } = await import("./program.js");
	process.exitCode = await runCommand(args);
}
