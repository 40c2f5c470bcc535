/**
 * The rules that the project's sources keep, as pure functions from sources to violations: who may
 * import whom, foreign code behind one file, no cycles, names, opening comments, file length,
 * mirrored codecs. Imports are read off the text, which Biome keeps in one shape: a static import
 * begins a line.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

export interface Source {
	/** From the repository's root, with forward slashes: `formats/fold.ts`. */
	readonly path: string;
	readonly text: string;
}

/** Folders and what of ours each may import. `bench` and `test` may import anything. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
	formats: ["formats"],
	engine: ["engine", "formats"],
	builder: ["builder", "engine", "formats"],
	server: ["server", "engine", "formats"],
	bench: ["bench", "builder", "engine", "formats", "server", "test"],
	cli: ["cli", "bench", "builder", "server"],
	test: ["test", "bench", "builder", "cli", "engine", "formats", "server"],
};

/**
 * The rooms of the engine from the lowest to the highest; a name stands for a file or a folder of
 * `engine/`. A file imports, type-only imports included, from its own room and lower ones alone. Rooms of
 * one entry stand side by side and do not import each other.
 */
export const ENGINE_ROOMS: readonly (readonly string[])[] = [
	["errors", "result-cache", "query", "sliced-work", "trace", "tuning"],
	["kernels"],
	["scratch"],
	["columns"],
	["names"],
	["plan"],
	["select"],
	["order"],
	["aggregate", "explain-analyze", "license-check", "render"],
	["pages", "statistics", "suggestions"],
	["snapshot"],
	["changes", "prepared-months"],
	["library"],
	["index"],
];

/** Foreign code that one file alone may name; null: whichever file it is. */
const WRAPPED_PACKAGES: Readonly<Record<string, string | null>> = {
	"uWebSockets.js": null,
	lmdb: null,
	// The folder of the addon that maps files.
	native: "formats/files/addon.ts",
	nodemailer: "server/signup/smtp.ts",
	ioredis: "server/shared-state/redis.ts",
};

const MAX_LINES = 350;

/** Files that may be longer than {@link MAX_LINES}, with the reason. */
const LONG_FILES: Readonly<Record<string, string>> = {};

const VAGUE_NAME = /(^|-)(utils?|helpers?|misc)$|^commons?$/;
const GENERATED = /\/generated\//;

/** The TypeScript sources of the project below `root`. */
export function readSources(root: string): Source[] {
	const layers = Object.keys(LAYERS).filter((layer) => existsSync(join(root, layer)));
	return layers.flatMap((layer) =>
		readdirSync(join(root, layer), { recursive: true, encoding: "utf8" })
			.filter((path) => path.endsWith(".ts") && !path.includes("node_modules"))
			.map((path) => posix.join(layer, path.replaceAll("\\", "/")))
			.sort()
			.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
	);
}

interface Import {
	readonly from: string;
	/** Path of one of our sources, or the name of a package. */
	readonly to: string;
	readonly ours: boolean;
}

const IMPORT_FORMS = [
	/^(?:import|export)\s+(?:type\s)?[^;"']*?\bfrom\s+["'](?<to>[^"']+)["']/gm,
	/^import\s+["'](?<to>[^"']+)["']/gm,
	/\bimport\(\s*["'](?<to>[^"']+)["']\s*\)/g,
];

/** Every import of `source`. A package's own name, `rollcall/engine`, counts as the folder's index. */
export function importsOf(source: Source): Import[] {
	return IMPORT_FORMS.flatMap((form) => [...source.text.matchAll(form)]).map((match) => {
		const specifier = (match.groups as { to: string }).to.replace(/^rollcall\/(\w+)$/, "#$1");
		const relative = specifier.startsWith(".");
		const target = relative
			? posix.join(posix.dirname(source.path), specifier)
			: specifier.replace(/^#(.+)$/, "$1/index.js");
		return {
			from: source.path,
			to: relative || specifier.startsWith("#") ? target.replace(/\.js$/, ".ts") : specifier,
			ours: relative || specifier.startsWith("#"),
		};
	});
}

/** Every violation of every rule, one line each. */
export function findViolations(
	sources: readonly Source[],
	longFiles: Readonly<Record<string, string>> = LONG_FILES,
): string[] {
	const imports = sources.flatMap(importsOf);
	return [
		...layerViolations(imports),
		...roomViolations(imports),
		...wrapViolations(sources),
		...cycleViolations(imports),
		...sources.flatMap(nameViolations),
		...sources.filter((s) => !GENERATED.test(s.path)).flatMap(openingViolations),
		...lengthViolations(sources, longFiles),
		...mirrorViolations(sources),
		...sources.flatMap(linkViolations),
		...exportViolations(sources),
	];
}

function layerViolations(imports: readonly Import[]): string[] {
	return imports
		.filter((i) => i.ours)
		.filter((i) => !(LAYERS[layerOf(i.from)] ?? []).includes(layerOf(i.to)))
		.map((i) => `${i.from} imports ${i.to}: ${layerOf(i.from)} may not import ${layerOf(i.to)}`);
}

/** Imports within the engine that run upward, or sideways between rooms of one rank; and files in no room. */
function roomViolations(imports: readonly Import[]): string[] {
	return imports
		.filter((i) => i.ours && layerOf(i.from) === "engine" && layerOf(i.to) === "engine")
		.flatMap(({ from, to }) => {
			const rooms = [from, to].map((path) => path.split("/")[1].replace(/\.ts$/, ""));
			const [rank, targetRank] = rooms.map((room) => ENGINE_ROOMS.findIndex((row) => row.includes(room)));
			const homeless = rooms.filter((_, i) => [rank, targetRank][i] === -1);
			if (homeless.length > 0) return homeless.map((room) => `engine/${room} is not in ENGINE_ROOMS`);
			if (targetRank < rank || rooms[0] === rooms[1]) return [];
			return [`${from} imports ${to}: ${rooms[1]} is not below ${rooms[0]}`];
		});
}

function layerOf(path: string): string {
	return path.split("/", 1)[0];
}

/** Also finds `require`d packages: any mention as a string literal counts. */
function wrapViolations(sources: readonly Source[]): string[] {
	const product = sources.filter((s) => layerOf(s.path) !== "test");
	return Object.entries(WRAPPED_PACKAGES).flatMap(([name, owner]) => {
		const users = product.filter((s) => s.text.includes(`"${name}"`)).map((s) => s.path);
		const [first, ...others] = owner === null ? users : [owner, ...users.filter((u) => u !== owner)];
		return others.map((other) => `${other} touches ${name}, which is ${first}'s alone`);
	});
}

function cycleViolations(imports: readonly Import[]): string[] {
	const files = new Map<string, Set<string>>();
	const folders = new Map<string, Set<string>>();
	for (const { from, to, ours } of imports) {
		if (!ours) continue;
		addEdge(files, from, to);
		const siblings = siblingFolders(from, to);
		if (siblings !== null) addEdge(folders, siblings.from, siblings.to);
	}
	return [
		...findCycles(files).map((cycle) => `files import in a circle: ${cycle.join(" > ")}`),
		...findCycles(folders).map((cycle) => `folders import in a circle: ${cycle.join(" > ")}`),
	];
}

/** The folders, side by side in one parent, that an import goes between; null where a file lies in the parent itself. */
function siblingFolders(from: string, to: string): { from: string; to: string } | null {
	const a = dirname(from).split("/");
	const b = dirname(to).split("/");
	let depth = 0;
	while (depth < a.length && depth < b.length && a[depth] === b[depth]) depth++;
	if (depth === a.length || depth === b.length) return null;
	return { from: a.slice(0, depth + 1).join("/"), to: b.slice(0, depth + 1).join("/") };
}

function addEdge(graph: Map<string, Set<string>>, from: string, to: string): void {
	const targets = graph.get(from) ?? new Set();
	graph.set(from, targets.add(to));
}

/** One cycle for each node that closes one, as paths that end where they begin. */
function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
	const cycles: string[][] = [];
	const done = new Set<string>();
	const walk = (node: string, path: readonly string[]): void => {
		const seen = path.indexOf(node);
		if (seen >= 0) cycles.push([...path.slice(seen), node]);
		if (seen >= 0 || done.has(node)) return;
		for (const next of graph.get(node) ?? []) walk(next, [...path, node]);
		done.add(node);
	};
	for (const node of graph.keys()) walk(node, []);
	return cycles;
}

function nameViolations(source: Source): string[] {
	return source.path
		.split("/")
		.map((part) => part.replace(/(\.test)?\.ts$/, ""))
		.filter((part) => VAGUE_NAME.test(part))
		.map((part) => `${source.path}: "${part}" tells nobody what it owns`);
}

function openingViolations(source: Source): string[] {
	const opening = source.text.replace(/^#!.*\n/, "");
	return opening.startsWith("/**") ? [] : [`${source.path}: does not open with a block comment`];
}

function lengthViolations(sources: readonly Source[], longFiles: Readonly<Record<string, string>>): string[] {
	const long = new Map(
		sources
			.filter((s) => !GENERATED.test(s.path))
			.map((s) => [s.path, s.text.split("\n").length - 1] as const)
			.filter(([, lines]) => lines > MAX_LINES),
	);
	return [
		...[...long]
			.filter(([path]) => longFiles[path] === undefined)
			.map(([path, lines]) => `${path}: ${lines} lines, at most ${MAX_LINES}`),
		...Object.keys(longFiles)
			.filter((path) => !long.has(path))
			.map((path) => `${path}: allowed to be long and is not`),
	];
}

/** Every formats/encode/x.ts has its formats/decode/x.ts. What only reads, decode/snapshot.ts, needs no twin. */
function mirrorViolations(sources: readonly Source[]): string[] {
	const paths = new Set(sources.map((s) => s.path));
	return [...paths]
		.filter((path) => path.startsWith("formats/encode/"))
		.filter((path) => !paths.has(path.replace("/encode/", "/decode/")))
		.map((path) => `${path}: has no twin in formats/decode`);
}

/** A link of a comment to a name that its file neither declares nor imports leads nowhere in an editor. */
function linkViolations({ path, text }: Source): string[] {
	const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
	const names = new Set(code.match(/[\w$]+/g));
	return [...text.matchAll(/\{@link\s+(?<name>[A-Za-z_]\w*)[^}]*\}/g)]
		.map((match) => (match.groups as { name: string }).name)
		.filter((name) => !names.has(name))
		.map((name) => `${path}: {@link ${name}} names nothing in this file`);
}

/** What a file exports besides types, by name. */
const EXPORTED_VALUE = /^export (?:async )?(?:function\*?|const|let|(?:abstract )?class) (?<name>[\w$]+)/gm;

/** A value that is exported and that no other file names is its file's own. */
function exportViolations(sources: readonly Source[]): string[] {
	const files = new Map<string, number>();
	for (const { text } of sources)
		for (const name of new Set(text.match(/[\w$]+/g))) files.set(name, (files.get(name) ?? 0) + 1);
	return sources
		.filter(({ path }) => !GENERATED.test(path))
		.flatMap(({ path, text }) =>
			[...text.matchAll(EXPORTED_VALUE)]
				.map((match) => (match.groups as { name: string }).name)
				.filter((name) => files.get(name) === 1)
				.map((name) => `${path}: exports ${name}, which no other file names`),
		);
}
