/** Lines of a stream, however it is cut into chunks. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "../../server/mcp/lines.js";

async function linesIn(chunks: readonly (Uint8Array | string)[]): Promise<string[]> {
	async function* stream() {
		yield* chunks;
	}
	const lines: string[] = [];
	for await (const line of linesOf(stream())) lines.push(line);
	return lines;
}

test("lines end at line feeds alone, wherever chunks do", async () => {
	const text = "a\u2028b\r\n\nc\u2029\u0085\rd\u{1f600}\nlast é";
	const bytes = Buffer.from(text);
	for (let size = 1; size <= bytes.length; size++) {
		const chunks: Uint8Array[] = [];
		for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
		assert.deepEqual(await linesIn(chunks), text.split("\n"), `chunks of ${size} bytes`);
	}
	assert.deepEqual(await linesIn([]), []);
	assert.deepEqual(await linesIn(["a\n", "b\n"]), ["a", "b"]);
});
