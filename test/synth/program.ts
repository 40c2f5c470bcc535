/** A program with the single command `synth`, for tests that need a process of their own. */

import { Command } from "commander";
import { runProgram } from "../../builder/command-line.js";
import { synthCommand } from "../../builder/synth/command.js";

process.exitCode = await runProgram(new Command("builder").addCommand(synthCommand()), process.argv.slice(2));
