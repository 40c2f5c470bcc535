/** Operators find every setting in a document: those of the server by flag, those of maps and the gates in tables. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { GATES, LIMIT_FLAGS } from "../../builder/gates/gate.js";
import { MAP_SETTINGS, mapSchema } from "../../builder/input/map-schema.js";
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

/** The rows of the table of `document` whose first line is `head`, by cell. */
function tableOf(document: string, head: string): string[][] {
	const [, rest] = readFileSync(new URL(document, DOCS), "utf8").split(`\n${head}\n`);
	assert.ok(rest !== undefined, `docs/${document} has the table ${head}`);
	const [table] = rest.split("\n\n");
	const rows = table.split("\n").slice(1);
	return rows
		.map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()))
		.map((cells) => cells.slice(1, -1));
}

test("every setting of maps is listed with its default, and no other", () => {
	const rows = tableOf("MAPS.md", "| setting | meaning | default |");
	const listed = rows.flatMap(([names, , standard]) =>
		names.split(", ").map((name) => [name.replaceAll("`", ""), standard] as const),
	);
	assert.deepEqual(listed.map(([name]) => name).sort(), [...MAP_SETTINGS].sort());
	const defaults: Readonly<Record<string, unknown>> = mapSchema.parse({});
	for (const [name, standard] of listed) {
		const [, text] = /^`([^`]+)`$/.exec(standard) ?? [];
		const value = defaults[name];
		if (text !== undefined && text !== value)
			assert.equal(text, JSON.stringify(value), `the default of ${name}`);
	}
});

test("every gate is listed in its order, with the default of its limit", () => {
	const rows = tableOf("OPERATING.md", "| gate | fails if |");
	assert.deepEqual(
		rows.map(([gate]) => gate.replaceAll("`", "")),
		GATES,
	);
	for (const [gate, text] of rows)
		for (const flag of LIMIT_FLAGS.filter((each) => `\`${each.gate}\`` === gate)) {
			const limit = `${flag.default} ${flag.unit === "percent" ? "%" : flag.unit}`;
			assert.ok(text.includes(limit), `${gate} names the limit ${limit}`);
		}
});
