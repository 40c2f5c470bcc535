/**
 * Loaded into a server before its own code: each thread writes a line `prototypes` with the names of the built-in
 * classes whose prototypes are dictionaries once the thread's modules have been loaded. V8 is asked by its own
 * functions, which have no types.
 */

import { writeSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { threadId } from "node:worker_threads";

const LOOK_MS = 100;
const CLASSES = {
	Array,
	Buffer,
	Date,
	Error,
	Function,
	Int32Array,
	Map,
	Number,
	Object,
	Promise,
	Set,
	String,
};

setFlagsFromString("--allow-natives-syntax");
const isFast = new Function("object", "return %HasFastProperties(object)") as (object: object) => boolean;

function look(): void {
	const slow = Object.entries(CLASSES)
		.filter(([, made]) => !isFast(made.prototype as object))
		.map(([name]) => name);
	writeSync(1, `${JSON.stringify({ msg: "prototypes", threadId, slow })}\n`);
}

setInterval(look, LOOK_MS).unref();
