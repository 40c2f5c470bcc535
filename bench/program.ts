/** The benchmark's commands with their options. Each is one module and one line here. */

import { Command } from "commander";
import { buildBenchCommand } from "./commands/build.js";
import { bulkCommand } from "./commands/bulk.js";
import { compareCommand } from "./commands/compare.js";
import { differentialCommand } from "./commands/differential.js";
import { engineCommand } from "./commands/engine.js";
import { gzipCommand } from "./commands/gzip.js";
import { httpCommand } from "./commands/http.js";
import { microCommand } from "./commands/micro.js";
import { namesCommand } from "./commands/names.js";
import { pageCommand } from "./commands/page.js";
import { peersCommand } from "./commands/peers.js";
import { pullCommand } from "./commands/pull.js";
import { runtimesCommand } from "./commands/runtimes.js";
import { scalingCommand } from "./commands/scaling.js";
import { sharedCommand } from "./commands/shared.js";
import { swapsCommand } from "./commands/swaps.js";
import { worstCommand } from "./commands/worst.js";

/** A program to be run by main.ts, or to be listed. `engine` is the default command. */
export function createProgram(): Command {
	return new Command("bench")
		.description("measures Rollcall against databases that hold the same rows, and checks every answer")
		.addCommand(engineCommand(), { isDefault: true })
		.addCommand(httpCommand())
		.addCommand(buildBenchCommand())
		.addCommand(bulkCommand())
		.addCommand(compareCommand())
		.addCommand(gzipCommand())
		.addCommand(microCommand())
		.addCommand(namesCommand())
		.addCommand(pageCommand())
		.addCommand(peersCommand())
		.addCommand(pullCommand())
		.addCommand(runtimesCommand())
		.addCommand(scalingCommand())
		.addCommand(sharedCommand())
		.addCommand(swapsCommand())
		.addCommand(worstCommand())
		.addCommand(differentialCommand());
}
