/** The sources obey the project's layering and house rules (source-rules.ts). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findViolations, importsOf, readSources } from "./source-rules.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("the sources keep the layering and the house rules", () => {
	const sources = readSources(ROOT);
	assert.ok(sources.some((s) => s.path === "formats/files/mmap.ts"));
	assert.ok(sources.flatMap(importsOf).length > sources.length, "imports are seen");
	assert.deepEqual(findViolations(sources), []);
});
