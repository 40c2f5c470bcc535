/** A worker thread's side of the pool: does the tasks it is given, one at a time, and posts their outcomes. */

import { parentPort } from "node:worker_threads";
import { invariant } from "../../formats/errors.js";
import { errorToData, type OutcomeMessage, type TaskMessage } from "./messages.js";
import type { TaskHandlers, TaskTable } from "./task-table.js";

/** Serves tasks on this worker thread until it is ended. */
export function serveTasks<T extends TaskTable<T>>(handlers: TaskHandlers<T>): void {
	const port = parentPort;
	invariant(port !== null, "tasks are served on a worker thread");
	port.on("message", async (message: TaskMessage) => {
		port.postMessage(await outcomeOf(handlers, message));
	});
}

/** Does a task. */
export async function outcomeOf<T extends TaskTable<T>>(
	handlers: TaskHandlers<T>,
	{ kind, input }: TaskMessage,
): Promise<OutcomeMessage> {
	try {
		const handler = handlers[kind as keyof T];
		invariant(handler !== undefined, `no task is called ${kind}`);
		return { ok: true, output: await handler(input as T[keyof T]["input"]) };
	} catch (error) {
		return { ok: false, error: errorToData(error) };
	}
}
