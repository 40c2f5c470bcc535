/**
 * Runs commands one after the other in this process, which the recorder watches: `node --import recorder.js
 * commands-process.js COMMANDS`, a JSON list of argument lists, `server` first for those of the server.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../../builder/command-line.js";
import { createProgram } from "../../builder/program.js";
import { runCommand } from "../../server/program.js";
import { DATA_FILE } from "../../server/store/environment.js";
import { record } from "./recorder.js";
import { WATCHED_FOLDER } from "./trace.js";

/** Records what libraries have written in native code, which the recorder does not see. */
function recordUntraced(folder: string): void {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) recordUntraced(path);
		else if (entry.name === DATA_FILE)
			record({ kind: "content", path, content: readFileSync(path).toString("base64") });
	}
}

for (const command of JSON.parse(process.argv[2]) as string[][]) {
	const path = command.join(" ");
	recordUntraced(process.env[WATCHED_FOLDER] ?? "");
	record({ kind: "begin", path });
	const [first, ...rest] = command;
	const code = await (first === "server"
		? runCommand(rest)
		: runProgram(await createProgram(first), command));
	if (code !== 0) throw new Error(`${path}: exit code ${code}`);
	record({ kind: "end", path });
}
