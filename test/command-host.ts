/**
 * Runs command lines of one program, builder or server, as its main module does, one after the other in one
 * process (command-line.ts starts it and talks to it by messages). What a command writes is captured.
 */

import { setMaxListeners } from "node:events";
import { inspect } from "node:util";
import { takeCoverage } from "node:v8";
import type { CommandRequest, Ended } from "./command-line.js";

/** What runs a command line of each program; resolves to the exit code. */
const PROGRAMS: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<number>>>> = {
	async builder() {
		const { runProgram } = await import("../builder/command-line.js");
		const { createProgram } = await import("../builder/program.js");
		return async (args) => runProgram(await createProgram(args[0]), args);
	},
	async server() {
		const { runCommand } = await import("../server/program.js");
		return runCommand;
	},
};

/** Captures what is written to `stream` until the returned function is called, which returns it. */
function capture(stream: NodeJS.WriteStream): () => string {
	const chunks: Buffer[] = [];
	const { write } = stream;
	stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
		chunks.push(Buffer.from(chunk as string));
		const done = rest.find((one) => typeof one === "function") as (() => void) | undefined;
		if (done !== undefined) process.nextTick(done);
		return true;
	};
	return () => {
		stream.write = write;
		return Buffer.concat(chunks).toString();
	};
}

async function answer(
	run: (args: readonly string[]) => Promise<number>,
	request: CommandRequest,
): Promise<Ended> {
	const before = { ...process.env };
	Object.assign(process.env, request.environment);
	const stdout = capture(process.stdout);
	const stderr = capture(process.stderr);
	let code = 1;
	try {
		code = await run(request.args);
	} catch (error) {
		// What node prints of an error that nothing catches.
		process.stderr.write(`${inspect(error)}\n`);
	}
	for (const name of Object.keys(request.environment)) delete process.env[name];
	Object.assign(process.env, before);
	return { code, stdout: stdout(), stderr: stderr() };
}

const run = await PROGRAMS[process.argv[2]]();
// Each command adds its own.
setMaxListeners(0, process.stdout, process.stderr, process);
process.on("message", async (request: CommandRequest) => {
	const ended = await answer(run, request);
	// The test may end this process before it would write what it has covered.
	if (process.env.NODE_V8_COVERAGE !== undefined) takeCoverage();
	process.send?.(ended);
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
