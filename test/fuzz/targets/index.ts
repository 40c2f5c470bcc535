/** Every fuzz target by its name; `faulty` plants a bug in it that is to be found. */

import type { FuzzTarget } from "../fuzzer.js";
import { compressedTarget } from "./compressed.js";
import { configTarget } from "./config.js";
import { csvTarget } from "./csv.js";
import { mapsTarget } from "./maps.js";
import { mcpTarget } from "./mcp.js";
import { parametersTarget } from "./parameters.js";

export const TARGETS: Readonly<Record<string, (faulty: boolean) => Promise<FuzzTarget>>> = {
	parameters: parametersTarget,
	csv: csvTarget,
	compressed: compressedTarget,
	mcp: mcpTarget,
	maps: mapsTarget,
	config: configTarget,
};
