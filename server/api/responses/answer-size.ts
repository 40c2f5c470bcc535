/**
 * The bound on the bytes of an answer (docs/API.md §5.6). Rows are rendered into a sink that ends there; every
 * other body is held against it before it is sent, so no answer is cut short under status 200.
 */

import { ANSWER_BYTES_MAX, AnswerTooLarge } from "../errors.js";

/** Throws ApiError for a body of more than {@link ANSWER_BYTES_MAX} bytes. Cost O(1), but for long texts. */
export function requireAnswerSize(body: Uint8Array | string): void {
	// A code unit takes three bytes at most.
	if (body.length * 3 <= ANSWER_BYTES_MAX) return;
	const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
	if (bytes > ANSWER_BYTES_MAX) throw new AnswerTooLarge([]);
}
