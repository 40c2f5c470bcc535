/** ARCHITECTURE.md: its walks lead along the imports, its glossary and its table of folders are complete. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { importsOf, LAYERS, readSources, type Source } from "../source-rules.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const DOCUMENT = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
const WALKS = ["From a query parameter to response bytes", "From a CSV cell to its section"];
const WORDS = [
	"snapshot",
	"fold",
	"code",
	"dictionary",
	"permutation",
	"posting list",
	"cumulative bitmap",
	"selection",
	"run",
	"cut",
	"bucket",
	"grant",
];

/** The text between the heading and the next of its level. */
function sectionOf(heading: string): string {
	const [, rest] = DOCUMENT.split(`\n## ${heading}\n`);
	assert.ok(rest !== undefined, `ARCHITECTURE.md has the section "${heading}"`);
	return rest.split("\n## ")[0];
}

/** The files of a walk, in order: what each numbered line begins with. */
function walkOf(heading: string): string[] {
	return [...sectionOf(heading).matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path]) => path);
}

/** By path, the sources that it imports; an index file stands for what it exports. */
function importGraph(sources: readonly Source[]): Map<string, Set<string>> {
	const direct = new Map(
		sources.map((s) => [
			s.path,
			importsOf(s)
				.filter((i) => i.ours)
				.map((i) => i.to),
		]),
	);
	const throughIndex = (path: string): string[] =>
		path.endsWith("/index.ts") ? (direct.get(path) ?? []).flatMap(throughIndex) : [path];
	return new Map([...direct].map(([path, imported]) => [path, new Set(imported.flatMap(throughIndex))]));
}

/** Files of `walk` that do not exist, or that no file before them imports. */
function brokenSteps(walk: readonly string[], graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
	return walk.flatMap((path, i) => {
		if (!graph.has(path)) return [`${path} does not exist`];
		if (i === 0 || walk.slice(0, i).some((before) => graph.get(before)?.has(path))) return [];
		return [`${path} is imported by none of the files before it`];
	});
}

test("each walk names files that exist, each imported by one before it", () => {
	const graph = importGraph(readSources(ROOT));
	for (const heading of WALKS) {
		const walk = walkOf(heading);
		assert.ok(walk.length >= 15, `${heading}: ${walk.length} files`);
		assert.deepEqual(brokenSteps(walk, graph), [], heading);
	}
});

test("a step that leads nowhere is found", () => {
	const source = (path: string, text: string) => ({ path, text: `${text}\n` });
	const graph = importGraph([
		source("a/a.ts", 'import { b } from "../b/index.js";'),
		source("b/index.ts", 'export * from "./b.js";'),
		source("b/b.ts", ""),
		source("b/c.ts", ""),
	]);
	assert.deepEqual(brokenSteps(["a/a.ts", "b/b.ts"], graph), []);
	assert.match(brokenSteps(["a/a.ts", "b/c.ts"], graph).join(), /imported by none/);
	assert.match(brokenSteps(["a/a.ts", "b/d.ts"], graph).join(), /does not exist/);
});

test("the glossary defines every word once", () => {
	const defined = [...sectionOf("Glossary").matchAll(/^\| ([a-z ]+) \| (.+) \|$/gm)].map(([, word]) => word);
	assert.equal(new Set(defined).size, defined.length);
	for (const word of WORDS) assert.ok(defined.includes(word), word);
});

test("the table of folders says what each layer imports", () => {
	const rows = [...sectionOf("Folders").matchAll(/^\| `(\w+)\/` \| .+ \| (.+) \|$/gm)];
	const listed = new Map(rows.map(([, folder, imports]) => [folder, imports]));
	for (const [layer, allowed] of Object.entries(LAYERS)) {
		const others = allowed.filter((name) => name !== layer);
		const said = listed.get(layer);
		if (layer === "bench" || layer === "test") assert.equal(said, "anything");
		else if (others.length === 0) assert.equal(said, "none of ours");
		else assert.deepEqual(said?.match(/\w+/g)?.sort(), others.sort(), layer);
	}
});

test("what a change takes is in files that exist", () => {
	const text = sectionOf("What a change takes");
	const paths = [...text.matchAll(/`(\w[\w/.-]*\/[\w.-]*\.(?:ts|md))`|\b(docs\/\w+\.md)/g)].map(
		([, quoted, document]) => quoted ?? document,
	);
	assert.ok(paths.length >= 15, paths.join(", "));
	assert.deepEqual(
		paths.filter((path) => !existsSync(join(ROOT, path))),
		[],
	);
});

test("every folder of a layer is described in the layer's section", () => {
	const sources = readSources(ROOT);
	for (const layer of ["formats", "engine", "builder", "server"]) {
		const section = sectionOf(layer);
		const folders = new Set(sources.flatMap(({ path }) => path.match(`^${layer}/([^/]+)/`)?.[1] ?? []));
		assert.ok(folders.size > 5, layer);
		const missing = [...folders].filter((name) => !section.includes(`\`${name}/\``));
		assert.deepEqual(missing, [], layer);
	}
});

test("the front page links every document", () => {
	const page = readFileSync(join(ROOT, "README.md"), "utf8");
	const documents = readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`);
	assert.deepEqual(
		documents.filter((path) => !page.includes(`](${path})`)),
		[],
	);
});
