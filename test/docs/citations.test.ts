/** Comments and documents cite only files and sections that the repository has. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { commentsOf, findBrokenCitations, findOutsideCitations, sectionsOf, type Text } from "./citations.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Folders of the repository; what a run or a build makes lies elsewhere. */
const FOLDERS = ["bench", "builder", "deploy", "docs", "engine", "formats", "scripts", "server", "test"];
const GENERATED = /\/generated\//;
/** What describes such citations has to name them. */
const THESE = /^test\/docs\/citations/;

const FILES: readonly string[] = [
	...readdirSync(ROOT, { withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => entry.name),
	...FOLDERS.flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
			.map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).replaceAll("\\", "/")),
	),
];

const SOURCES: readonly Text[] = FILES.filter(
	(path) => /\.(ts|js)$/.test(path) && !GENERATED.test(path) && !path.includes("fixtures/"),
).map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

const DOCUMENTS: readonly Text[] = FILES.filter((path) => path.endsWith(".md")).map((path) => ({
	path,
	text: readFileSync(join(ROOT, path), "utf8"),
}));

const TEXT_OF: ReadonlyMap<string, string> = new Map(DOCUMENTS.map(({ path, text }) => [path, text]));

function broken(text: string, path = "engine/a-file.ts"): string[] {
	const documents = new Map([["docs/API.md", "# API\n\n## 5. Limits\n\n### 5.2 Headers\n"]]);
	return findBrokenCitations({ path, text }, ["docs/API.md", "engine/plan/explain.ts"], documents);
}

test("comments cite files and sections that exist", () => {
	assert.ok(SOURCES.length > 300, `${SOURCES.length} sources are read`);
	assert.deepEqual(
		SOURCES.flatMap((source) => findBrokenCitations(source, FILES, TEXT_OF)),
		[],
	);
});

test("documents cite and link to files and sections that exist", () => {
	assert.ok(DOCUMENTS.some(({ path }) => path === "docs/API.md"));
	assert.deepEqual(
		DOCUMENTS.flatMap((document) => findBrokenCitations(document, FILES, TEXT_OF)),
		[],
	);
});

test("nothing outside the repository is cited", () => {
	const held = [...SOURCES, ...DOCUMENTS].filter(({ path }) => !THESE.test(path));
	assert.deepEqual(held.flatMap(findOutsideCitations), []);
});

test("a missing file, section or heading is found, and what exists is not", () => {
	assert.deepEqual(broken("/** As docs/API.md §5.2 and §5 say; see explain.ts, plan/explain.ts. */"), []);
	assert.match(broken("// As docs/API.md §5.3 says").join(), /§5\.3, which does not exist/);
	assert.match(broken("/** docs/API.md §5, §9.1 */").join(), /§9\.1/);
	assert.match(broken("/**\n * As docs/API.md\n * §6 says.\n */").join(), /§6/);
	assert.match(broken('/** See docs/API.md, "Scope". */').join(), /"Scope"/);
	assert.match(broken("// See GONE.md").join(), /GONE\.md/);
	assert.match(broken("// moved to gone.ts").join(), /gone\.ts, which is not in the repository/);
	assert.match(broken("See `engine/gone.ts`.", "docs/API.md").join(), /engine\/gone\.ts/);
	assert.match(broken("[a](../engine/plans/)", "docs/API.md").join(), /links to engine\/plans/);
	assert.match(broken("## 1. One\n\nAs §2 says.", "docs/API.md").join(), /its §2/);
	assert.deepEqual(broken('import "./gone.js";\nconst a = "gone.ts";'), []);
});

test("what lies outside the repository is found in comments and in names of tests", () => {
	const cited = ['test("SPEC 4.1: health", () => {});', "// by DESIGN §5", '/** STYLE, "Words". */'];
	for (const text of cited) assert.equal(findOutsideCitations({ path: "a.ts", text }).length, 1, text);
	const own = ["const STYLE = 1;", "DESIGNATED", "a specification"];
	for (const text of own) assert.deepEqual(findOutsideCitations({ path: "a.ts", text }), [], text);
});

test("comments and headings are read off the text", () => {
	assert.equal(commentsOf("/** One\n * two. */\nconst a = 1; // three\n").trim(), "/** One two. */ three");
	const { numbers, headings } = sectionsOf("# A\n\n## 1. One\n\n### 1.2 Two\n\n```\n# no heading\n```\n");
	assert.deepEqual([...numbers], ["1", "1.2"]);
	assert.deepEqual([...headings], ["A", "One", "Two"]);
});
