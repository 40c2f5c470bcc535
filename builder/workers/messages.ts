/** What the pool and its workers say to each other. */

import { FormatError, type FormatErrorCode } from "../../formats/errors.js";
import { BuildError, type BuildErrorCode } from "../errors.js";

/** To a worker: one task. */
export interface TaskMessage {
	readonly kind: string;
	readonly input: unknown;
}

/** From a worker: the outcome of the task it was last given. */
export type OutcomeMessage =
	| { readonly ok: true; readonly output: unknown }
	| { readonly ok: false; readonly error: ErrorData };

/** An error as plain data, so that its type survives the boundary of the thread. */
export type ErrorData =
	| {
			readonly type: "build";
			readonly code: BuildErrorCode;
			readonly message: string;
			readonly file: string | null;
			readonly line: number | null;
			readonly column: string | null;
	  }
	| {
			readonly type: "format";
			readonly code: FormatErrorCode;
			readonly message: string;
			readonly path: string;
	  }
	| {
			readonly type: "system";
			readonly code: string;
			readonly syscall: string;
			readonly message: string;
			/** Undefined where the call was given a descriptor. */
			readonly path: string | undefined;
	  }
	| {
			readonly type: "other";
			readonly name: string;
			readonly message: string;
			readonly stack: string | null;
	  };

/** The data of an error that a task threw. */
export function errorToData(error: unknown): ErrorData {
	if (error instanceof BuildError) {
		const { code, text, file, line, column } = error;
		return { type: "build", code, message: text, file, line, column };
	}
	if (error instanceof FormatError) {
		const { code, message, path } = error;
		return { type: "format", code, message: message.slice(path.length + 2), path };
	}
	const thrown: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
	const { name, message, stack, code, syscall, path } = thrown;
	if (code !== undefined && syscall !== undefined) return { type: "system", code, syscall, message, path };
	return { type: "other", name, message, stack: stack ?? null };
}

/** The error again. One that is none of our types, a fault of ours, keeps the task's stack as its cause. */
export function errorFromData(data: ErrorData): Error {
	if (data.type === "build") return new BuildError(data.code, data.message, data);
	if (data.type === "format") return new FormatError(data.code, data.path, data.message);
	if (data.type === "system") {
		const { code, syscall, message, path } = data;
		return Object.assign(new Error(message), { code, syscall, path });
	}
	const error = new BuildError("worker_failed", `a task failed: ${data.name}: ${data.message}`);
	error.cause = data.stack;
	return error;
}
