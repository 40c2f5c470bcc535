/** The checked-in WebAssembly modules are what their sources assemble to. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import openWabt from "wabt";
import { ENCODE_ROWS_MODULE } from "../../builder/compile/kernels/generated/encode-rows.js";
import { SORT_STRINGS_MODULE } from "../../builder/compile/kernels/generated/sort-strings.js";
import { PLAIN_RECORDS_MODULE } from "../../builder/csv/kernels/generated/plain-records.js";
import { BITMAPS_MODULE } from "../../engine/kernels/generated/bitmaps.js";
import { CODE_SETS_MODULE } from "../../engine/kernels/generated/code-sets.js";
import { DEFLATE_ROWS_MODULE } from "../../engine/kernels/generated/deflate-rows.js";
import { EQUAL_CODES_MODULE } from "../../engine/kernels/generated/equal-codes.js";
import { ESCAPE_JSON_MODULE } from "../../engine/kernels/generated/escape-json.js";
import { GROUP_COUNTS_MODULE } from "../../engine/kernels/generated/group-counts.js";
import { NEAR_SETS_MODULE } from "../../engine/kernels/generated/near-sets.js";
import { STORED_ROWS_MODULE } from "../../engine/kernels/generated/stored-rows.js";

const FOLDERS = ["engine/kernels/", "builder/csv/kernels/", "builder/compile/kernels/"].map((folder) =>
	fileURLToPath(new URL(`../../../${folder}`, import.meta.url)),
);

const MODULES: Readonly<Record<string, string>> = {
	"bitmaps.wat": BITMAPS_MODULE,
	"code-sets.wat": CODE_SETS_MODULE,
	"deflate-rows.wat": DEFLATE_ROWS_MODULE,
	"encode-rows.wat": ENCODE_ROWS_MODULE,
	"equal-codes.wat": EQUAL_CODES_MODULE,
	"escape-json.wat": ESCAPE_JSON_MODULE,
	"group-counts.wat": GROUP_COUNTS_MODULE,
	"near-sets.wat": NEAR_SETS_MODULE,
	"plain-records.wat": PLAIN_RECORDS_MODULE,
	"sort-strings.wat": SORT_STRINGS_MODULE,
	"stored-rows.wat": STORED_ROWS_MODULE,
};

test("each generated module is its source, assembled", async () => {
	const wabt = await openWabt();
	const assemble = (name: string, text: string) =>
		Buffer.from(wabt.parseWat(name, text, { simd: true, bulk_memory: true }).toBinary({}).buffer).toString(
			"base64",
		);
	const sources = FOLDERS.flatMap((folder) =>
		readdirSync(folder).flatMap((name) => (name.endsWith(".wat") ? [{ folder, name }] : [])),
	);
	assert.deepEqual(sources.map(({ name }) => name).sort(), Object.keys(MODULES).sort());
	for (const { folder, name } of sources) {
		const text = readFileSync(`${folder}${name}`, "utf8");
		assert.equal(MODULES[name], assemble(name, text), `run npm run generate:wasm for ${name}`);
		assert.notEqual(MODULES[name], assemble(name, text.replace("i32.const 1", "i32.const 2")));
	}
});
