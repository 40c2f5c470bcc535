/**
 * PUT requests for objects of hundreds of megabytes, which take as long as they make progress. The progress is the bytes
 * that the connection takes, which fetch does not tell.
 */

import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";
import type { Extend, StoreResponse } from "./http-exchange.js";
import { responseOf } from "./http-get.js";

export interface UploadTimes {
	/** Maximum time in which the connection takes no byte of the body. */
	readonly idleMs: number;
	/**
	 * Maximum time from the last byte taken to the response's head: what the system buffers is still to be sent, some
	 * megabytes on a slow line, and stores keep several copies before they answer.
	 */
	readonly answerMs: number;
}

/** Bytes whose taking is progress. The chunks of a blob of a file have as many, those of one in memory are of any size. */
const PART_BYTES = 1 << 16;

const TIMES: UploadTimes = { idleMs: 20_000, answerMs: 120_000 };

/**
 * The response to a PUT request with `body`, which may come before all of the body is sent. Redirects are not followed.
 * `signal` ends it, until the head has come. Cost: a connection, and memory for some chunks.
 */
export function putObject(
	url: string,
	headers: Readonly<Record<string, string>>,
	body: Blob,
	signal: AbortSignal,
	extend: Extend,
	times = TIMES,
): Promise<StoreResponse> {
	const options: RequestOptions = {
		method: "PUT",
		headers: { ...headers, "Content-Length": body.size },
		// A connection that was used before may have ended meanwhile, which is noticed only when something is sent.
		agent: false,
	};
	return new Promise((resolve, reject) => {
		const request = (url.startsWith("https:") ? httpsRequest : httpRequest)(url, options);
		const end = () => request.destroy(signal.reason);
		const settled = () => signal.removeEventListener("abort", end);
		if (signal.aborted) end();
		signal.addEventListener("abort", end, { once: true });
		request.once("response", (message) => {
			settled();
			resolve(responseOf(message));
		});
		const fail = (error: unknown) => {
			settled();
			// The pipeline has words of its own for what the signal has ended.
			reject(signal.aborted ? signal.reason : error);
		};
		request.on("error", fail);
		// After the response or an error. There is neither where the store switches protocols.
		request.once("close", () => fail(new Error("the connection was closed without an answer")));
		// After a response that came early, its failure changes nothing.
		pipeline(partsOf(body, extend, times), request).catch(fail);
	});
}

/** The bytes of a body; the next part is asked for once the connection has taken the one before. */
async function* partsOf(
	body: Blob,
	extend: Extend,
	{ idleMs, answerMs }: UploadTimes,
): AsyncIterable<Uint8Array> {
	for await (const chunk of body.stream()) {
		for (let at = 0; at < chunk.length; at += PART_BYTES) {
			extend(idleMs);
			yield chunk.subarray(at, at + PART_BYTES);
		}
	}
	extend(answerMs);
}
