/**
 * Files in memory once for all threads, on machines that cannot map them: the main thread reads a file
 * when the first thread requests it, and gives the same shared memory to the others.
 *
 * A thread requests files while it opens a month, which is synchronous, so it waits for the answer on a
 * word of shared memory. Cost: one read of the file, whatever the number of threads.
 *
 * Invariant: files held here exist in the data folder. A file that was deleted or replaced is released
 * at the next check, and its memory is freed when the last thread releases it too.
 */

import { statSync } from "node:fs";
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { FormatError, readFilesThrough, readIntoSharedMemory } from "../../formats/index.js";

/** A thread's end of the connection; `port` must be transferred. */
export interface FileLine {
	readonly port: MessagePort;
	/** One word: 1 while an answer waits on the port. */
	readonly answered: SharedArrayBuffer;
}

type FileAnswer = { readonly buffer: SharedArrayBuffer } | { readonly fault: string };

interface KeptFile {
	readonly stamp: string;
	readonly buffer: SharedArrayBuffer;
}

/** The main thread's side. */
export class SharedFiles {
	private readonly kept = new Map<string, KeptFile>();

	/** Connects one thread. */
	openLine(): FileLine {
		const { port1, port2 } = new MessageChannel();
		const answered = new SharedArrayBuffer(4);
		port1.on("message", (path: string) => {
			port1.postMessage(this.answer(path));
			const word = new Int32Array(answered);
			Atomics.store(word, 0, 1);
			Atomics.notify(word, 0);
		});
		port1.unref();
		return { port: port2, answered };
	}

	/** Releases files that were deleted or replaced. Cost: one stat a file. */
	prune(): void {
		for (const [path, { stamp }] of this.kept) if (stampOf(path) !== stamp) this.kept.delete(path);
	}

	private answer(path: string): FileAnswer {
		try {
			const stamp = stampOf(path);
			const known = this.kept.get(path);
			if (known?.stamp === stamp) return { buffer: known.buffer };
			const buffer = readIntoSharedMemory(path).buffer as SharedArrayBuffer;
			this.kept.set(path, { stamp, buffer });
			return { buffer };
		} catch (error) {
			return { fault: (error as Error).message };
		}
	}
}

/** Identifies the file at a path; empty: there is none. */
function stampOf(path: string): string {
	const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
	return stat === undefined ? "" : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

/** The thread's side: from now on, files are read through the main thread. */
export function readThrough({ port, answered }: FileLine): void {
	const word = new Int32Array(answered);
	port.unref();
	readFilesThrough((path) => {
		port.postMessage(path);
		Atomics.wait(word, 0, 0);
		Atomics.store(word, 0, 0);
		const answer = receiveMessageOnPort(port)?.message as FileAnswer;
		if ("fault" in answer) throw new FormatError("unreadable", path, answer.fault);
		return Buffer.from(answer.buffer);
	});
}
