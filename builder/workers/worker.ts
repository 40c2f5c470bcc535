/** The entry of a worker thread: does the tasks it is given, one at a time, and posts their outcomes. */

import { parentPort } from "node:worker_threads";
import { invariant } from "../../formats/errors.js";
import { errorToData, type OutcomeMessage, type TaskMessage } from "./messages.js";
import { TASK_HANDLERS, type TaskInput, type TaskKind, type TaskOutput } from "./tasks.js";

const port = parentPort;
invariant(port !== null, "worker.ts runs on a worker thread");

async function perform<K extends TaskKind>(kind: K, input: TaskInput<K>): Promise<TaskOutput<K>> {
	return await TASK_HANDLERS[kind](input);
}

async function outcomeOf({ kind, input }: TaskMessage): Promise<OutcomeMessage> {
	try {
		return { ok: true, output: await perform(kind, input) };
	} catch (error) {
		return { ok: false, error: errorToData(error) };
	}
}

port.on("message", async (message: TaskMessage) => {
	port.postMessage(await outcomeOf(message));
});
