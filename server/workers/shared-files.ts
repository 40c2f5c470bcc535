/**
 * Files in memory once for all threads, where this machine cannot map them: the main thread reads a
 * file when the first thread asks for it, and hands the same shared memory to the next.
 *
 * A thread asks while it opens a month, which is synchronous, so it waits for the answer on a word of
 * shared memory. Cost: one read of the file, whatever the number of threads.
 *
 * Invariant: what is kept here is what lies in the data folder; a file that went or was replaced is
 * let go at the next look, and its memory goes when the last thread lets go too.
 */

import { statSync } from "node:fs";
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { FormatError, readFilesThrough, readIntoSharedMemory } from "../../formats/index.js";

/** What a thread is handed; `port` has to be transferred. */
export interface FileLine {
	readonly port: MessagePort;
	/** One word: 1 where an answer lies on the port. */
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

	/** A line for one thread. */
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

	/** Lets go of files that are gone or others now. Cost: a stat a file. */
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

/** Tells one file from the next at its path; empty: there is none. */
function stampOf(path: string): string {
	const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
	return stat === undefined ? "" : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

/** The thread's side: from here on, files are read through the line. */
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
