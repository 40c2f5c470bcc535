/** Where a command's rows go: a file that appears when it is whole, or standard output. */

import { once } from "node:events";
import {
	closeSync,
	fsyncSync,
	openSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeSync,
} from "node:fs";
import { BuildError, systemErrorText } from "./errors.js";

export interface Output {
	/** Takes bytes, which the caller may overwrite once it is done. */
	write(bytes: Uint8Array): Promise<void>;
	/** Makes what was written last. */
	finish(): void;
	/** Removes what was written, if possible. */
	abandon(): void;
}

/** An output to the file at `path`; null: to standard output. */
export function openOutput(path: string | null): Output {
	return path === null ? standardOutput() : fileOutput(path);
}

function standardOutput(): Output {
	return {
		async write(bytes) {
			// Copied: the stream keeps what the reader has not taken yet.
			if (!process.stdout.write(Buffer.from(bytes))) await once(process.stdout, "drain");
		},
		finish: () => undefined,
		abandon: () => undefined,
	};
}

function fileOutput(path: string): Output {
	const target = replaceable(path);
	const aside = `${target}.${process.pid}`;
	let isOpen = true;
	const close = () => {
		if (isOpen) closeSync(descriptor);
		isOpen = false;
	};
	const guard = <T>(act: () => T): T => {
		try {
			return act();
		} catch (error) {
			throw new BuildError("unwritable_file", systemErrorText(error), { file: path });
		}
	};
	const descriptor = guard(() => openSync(aside, "w", 0o644));
	return {
		async write(bytes) {
			guard(() => {
				for (let written = 0; written < bytes.length; ) {
					written += writeSync(descriptor, bytes, written);
				}
			});
		},
		finish: () =>
			guard(() => {
				fsyncSync(descriptor);
				close();
				renameSync(aside, target);
			}),
		abandon: () => {
			close();
			rmSync(aside, { force: true });
		},
	};
}

/** The file that a rename to `path` is to replace: where a link leads. Throws BuildError for what is no regular file. */
function replaceable(path: string): string {
	const known = statSync(path, { throwIfNoEntry: false });
	if (known === undefined) return path;
	if (known.isFile()) return realpathSync(path);
	const what = known.isDirectory() ? "is a folder" : "is no regular file";
	throw new BuildError("unwritable_file", `${what}; name a file, or write to standard output`, {
		file: path,
	});
}
