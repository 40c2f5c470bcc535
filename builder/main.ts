/** The builder's command line: `npm run -s builder -- COMMAND`. */

import { runProgram } from "./command-line.js";
import { createProgram } from "./program.js";

process.exitCode = await runProgram(createProgram(), process.argv.slice(2));
