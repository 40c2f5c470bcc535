/** docs/OPERATING.md explains every error code that operators meet, in their order, and no other. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BUILD_ERROR_CODES } from "../../builder/errors.js";
import { OBJECT_STORE_ERROR_CODES } from "../../formats/object-store/index.js";
import { KEY_ERROR_CODES } from "../../server/keys/errors.js";
import { STORE_ERROR_CODES } from "../../server/store/errors.js";

const DOCUMENT = readFileSync(new URL("../../../docs/OPERATING.md", import.meta.url), "utf8");

const CODES: Readonly<Record<string, readonly string[]>> = {
	BuildError: BUILD_ERROR_CODES,
	ObjectStoreError: OBJECT_STORE_ERROR_CODES,
	KeyError: KEY_ERROR_CODES,
	StoreError: STORE_ERROR_CODES,
};

test("every error code of builder, object store, keys and database is explained, and no other", () => {
	const lines = DOCUMENT.split("\n");
	for (const [type, codes] of Object.entries(CODES)) {
		const start = lines.indexOf(`| \`${type}\` code | when | what mends it |`);
		assert.ok(start >= 0, `the document has the table of ${type}`);
		const explained: string[] = [];
		for (let line = start + 2; lines[line]?.startsWith("|"); line++) {
			const [, code, when, remedy] = /^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$/.exec(lines[line]) ?? [];
			assert.ok(
				when?.length > 10 && remedy.length > 5,
				`${lines[line]} is a code, its cause and what mends it`,
			);
			explained.push(code);
		}
		assert.deepEqual(explained, codes, type);
	}
});
