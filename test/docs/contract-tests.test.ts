/** Holds docs/CONTRACT-TESTS.md to the repository: sections of the contract, files and names of tests exist. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const ROW = /^\| (§[^|]+) \| ([^|]+) \| `([^`]+)`: (.+) \|$/;

interface Row {
	readonly sections: readonly string[];
	readonly file: string;
	readonly name: string;
}

function rows(): Row[] {
	const lines = readFileSync(join(ROOT, "docs/CONTRACT-TESTS.md"), "utf8").split("\n");
	const table = lines.filter((line) => line.startsWith("| §"));
	return table.map((line) => {
		const match = ROW.exec(line);
		assert.ok(match !== null, `not a row of the table: ${line}`);
		return { sections: match[1].split(", ").map((s) => s.slice(1)), file: match[3], name: match[4] };
	});
}

test("every test of the table is in its file", () => {
	for (const { file, name } of rows()) {
		assert.ok(existsSync(join(ROOT, file)), file);
		assert.ok(readFileSync(join(ROOT, file), "utf8").includes(name), `${file}: ${name}`);
	}
});

test("every section of the table is in the contract, and each of its chapters from 2 to 10 in the table", () => {
	const contract = readFileSync(join(ROOT, "docs/API.md"), "utf8");
	const cited = rows().flatMap((row) => row.sections);
	for (const section of cited)
		assert.match(contract, new RegExp(`^#+ ${section.replaceAll(".", "\\.")}\\.? `, "m"));
	for (let chapter = 2; chapter <= 10; chapter++)
		assert.ok(
			cited.some((section) => `${section}.`.startsWith(`${chapter}.`)),
			`chapter ${chapter}`,
		);
});
