/**
 * The response to a tool call. The structured content of a call that succeeded is bytes where it was rendered as
 * such; the response is then put together as bytes, so that nothing of it is decoded, escaped and encoded again.
 *
 * Invariant: the bytes are those of {@link resultResponse} for the same result as text.
 */

import { ByteSink, escapeJson } from "../../engine/index.js";
import {
	idText,
	membersStart,
	type ProtocolMode,
	RESPONSE_START,
	type RequestId,
	resultResponse,
} from "./protocol.js";
import type { ToolResult } from "./tool.js";

/** Bytes to begin with: most results are shorter. */
const CAPACITY = 1 << 14;

const sink = new ByteSink(CAPACITY);

/** The response: text, or a view that the next call overwrites. Cost O(bytes). */
export function callResponse(mode: ProtocolMode, id: RequestId, result: ToolResult): string | Uint8Array {
	if (typeof result === "string") return resultResponse(mode, id, result, null);
	sink.reset();
	sink.text(RESPONSE_START);
	sink.text(idText(id));
	sink.text(membersStart(mode));
	// The protocol requires the structured content as text too, for clients of before it had any.
	sink.text('"content":[{"type":"text","text":"');
	escapeJson(result, sink);
	sink.text('"}],"structuredContent":');
	sink.copy(result);
	sink.text("}}");
	return sink.view();
}
