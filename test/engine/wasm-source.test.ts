/** The checked-in WebAssembly module is what its source assembles to. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import openWabt from "wabt";
import { COUNT_COMMON_MODULE } from "../../engine/kernels/generated/count-common.js";

const SOURCE = fileURLToPath(new URL("../../../engine/kernels/count-common.wat", import.meta.url));

test("generated/count-common.ts is count-common.wat, assembled", async () => {
	const wabt = await openWabt();
	const assemble = (text: string) =>
		Buffer.from(wabt.parseWat("count-common.wat", text, { simd: true }).toBinary({}).buffer).toString(
			"base64",
		);
	const text = readFileSync(SOURCE, "utf8");
	assert.equal(COUNT_COMMON_MODULE, assemble(text), "run npm run generate:wasm");
	assert.notEqual(COUNT_COMMON_MODULE, assemble(text.replace("i32.const 16", "i32.const 32")));
});
