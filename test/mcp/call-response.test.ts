/** The response to a tool call is the same bytes whether its structured content is text or bytes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { callResponse } from "../../server/mcp/call-response.js";
import { toolResult } from "../../server/mcp/call-tool.js";
import { checkProperty } from "../oracle/seeded.js";

const structured = fc.dictionary(
	fc.string({ unit: "binary", maxLength: 12 }),
	fc.oneof(
		fc.jsonValue(),
		fc.string({ unit: "binary" }),
		fc.constantFrom('\\"', "\u2028", "\\", "é😀\u007f"),
	),
	{ maxKeys: 8 },
);

test("structured content as bytes gives the response that it gives as text", (t) => {
	const era = fc.constantFrom("handshake" as const, "stateless" as const);
	const id = fc.oneof(fc.maxSafeInteger(), fc.string({ unit: "binary" }));
	checkProperty(
		t,
		500,
		fc.property(era, id, structured, (era, id, value) => {
			const json = JSON.stringify(value);
			const asText = callResponse(
				era,
				id,
				toolResult([], () => json),
			);
			const asBytes = callResponse(
				era,
				id,
				toolResult([], () => Buffer.from(json)),
			);
			assert.equal(typeof asText, "string");
			assert.deepEqual(Buffer.from(asBytes), Buffer.from(asText as string));
			const { result } = JSON.parse(asText as string);
			assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
		}),
	);
});
