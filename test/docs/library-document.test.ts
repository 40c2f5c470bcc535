/** docs/LIBRARY.md explains every code of the engine's errors, in their order, and no other. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENGINE_ERROR_CODES } from "../../engine/index.js";

const DOCUMENT = readFileSync(new URL("../../../docs/LIBRARY.md", import.meta.url), "utf8");

test("every code of the engine's errors is explained, and no other", () => {
	const lines = DOCUMENT.split("\n");
	const start = lines.indexOf("| `EngineError` code | when |");
	assert.ok(start >= 0, "the document has the table");
	const explained: string[] = [];
	for (let line = start + 2; lines[line]?.startsWith("|"); line++) {
		const [, code, when] = /^\| `(\w+)` \| (.+) \|$/.exec(lines[line]) ?? [];
		assert.ok(when?.length > 10, `${lines[line]} is a code with its explanation`);
		explained.push(code);
	}
	assert.deepEqual(explained, ENGINE_ERROR_CODES);
});
