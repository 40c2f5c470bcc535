/**
 * The response to a tool call. The structured content of a call that succeeded is bytes where it was rendered as
 * such; the response is then put together as bytes, so that nothing of it is decoded, escaped and encoded again.
 *
 * Invariant: the bytes are those of {@link resultResponse} for the same result as text.
 */

import { ByteSink } from "../../engine/index.js";
import { type Era, type RequestId, resultResponse, resultStart } from "./protocol.js";
import type { ToolResult } from "./tool.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes to begin with: most results are shorter. */
const CAPACITY = 1 << 14;

const sink = new ByteSink(CAPACITY);

/** The response: text, or a view that the next call overwrites. Cost O(bytes). */
export function callResponse(era: Era, id: RequestId, result: ToolResult): string | Uint8Array {
	if (typeof result === "string") return resultResponse(era, id, result, null);
	sink.reset();
	sink.text(resultStart(era, id));
	// The protocol requires the structured content as text too, for clients of before it had any.
	sink.text('"content":[{"type":"text","text":"');
	writeEscaped(result);
	sink.text('"}],"structuredContent":');
	sink.copy(result);
	sink.text("}}");
	return sink.view();
}

/**
 * Writes JSON as the inside of a JSON string. Compact JSON has no control characters, so that only quotes and
 * backslashes need an escape.
 */
function writeEscaped(json: Uint8Array): void {
	sink.reserve(json.length * 2);
	const { bytes } = sink;
	let at = sink.length;
	for (let i = 0; i < json.length; i++) {
		const byte = json[i];
		if (byte === QUOTE || byte === BACKSLASH) bytes[at++] = BACKSLASH;
		bytes[at++] = byte;
	}
	sink.length = at;
}
