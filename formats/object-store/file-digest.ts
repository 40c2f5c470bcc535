/** The digests of files, computed while they are read, as long as nothing ends it. */

import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { ended } from "./http-exchange.js";

/** Bytes read at once. */
const READ_BYTES = 1 << 20;

/** SHA-256 of a file's bytes, in hexadecimal. Fails with `store_unreachable` once `signal` is aborted. */
export async function digestOfFile(path: string, signal?: AbortSignal): Promise<string> {
	const hash = createHash("sha256");
	await addToDigest(hash, path, signal);
	return hash.digest("hex");
}

/** Adds a file's bytes to a digest. Fails with `store_unreachable` once `signal` is aborted. */
export async function addToDigest(hash: Hash, path: string, signal?: AbortSignal): Promise<void> {
	for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
		if (signal?.aborted === true) throw ended(path);
		hash.update(chunk);
	}
}
