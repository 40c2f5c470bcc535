/** The builder's command line: `npm run -s builder -- COMMAND`. */

import { runProgram } from "./command-line.js";
import { createProgram } from "./program.js";

const args = process.argv.slice(2);
process.exitCode = await runProgram(await createProgram(args[0]), args);
