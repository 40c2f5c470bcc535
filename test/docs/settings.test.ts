/** Operators find every setting in a document, by its flag. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { SETTINGS } from "../../server/settings/config.js";

const DOCS = new URL("../../../docs/", import.meta.url);

test("every setting is in a document", () => {
	const texts = readdirSync(DOCS)
		.filter((name) => name.endsWith(".md"))
		.map((name) => readFileSync(new URL(name, DOCS), "utf8"));
	const missing = SETTINGS.map((setting) => `--${setting.replaceAll("_", "-")}`).filter(
		(flag) => !texts.some((text) => new RegExp(`${flag}(?![\\w-])`).test(text)),
	);
	assert.deepEqual(missing, []);
});
