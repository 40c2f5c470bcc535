/**
 * One fuzzer in a process of its own: `fuzz-process.js NAME SEED SECONDS LAST_INPUT_FILE [faulty]`.
 * Keeps the current input in a file, for the parent in case of a hang or crash. Prints its outcome as
 * JSON.
 */

import { openSync, writeSync } from "node:fs";
import { fuzz } from "./fuzzer.js";
import { TARGETS } from "./targets/index.js";

const [name, seed, seconds, lastInput, faulty] = process.argv.slice(2);
const target = await TARGETS[name](faulty === "faulty");
const file = openSync(lastInput, "w");
const { defeat, ...outcome } = await fuzz(target, {
	seed: Number(seed),
	seconds: Number(seconds),
	onInput(input) {
		// The line's end separates the input from what remains of a longer one.
		writeSync(file, `${JSON.stringify(input)}\n`, 0);
	},
});
const told = defeat && { input: defeat.input, error: defeat.error.stack ?? defeat.error.message };
process.stdout.write(`${JSON.stringify({ ...outcome, defeat: told })}\n`);
await target.close();
process.exit(0);
