/**
 * Citations in comments and documents, as pure functions from texts to violations. A citation is a
 * file (`order-cuts.ts`, `formats/SNAPSHOT.md`), sections of a document by number
 * (`docs/API.md §5.2, §6`) or one section by its heading (`RELIABILITY.md, "Load"`). Whatever is cited
 * has to be in the repository.
 */

import { posix } from "node:path";

export interface Text {
	/** From the repository's root, with forward slashes. */
	readonly path: string;
	readonly text: string;
}

/** Documents that lie outside the repository, and how their sections used to be cited. */
const OUTSIDE = /\b(?:SPEC|DESIGN)\b|\bSTYLE(?:\.md\b|[ ,]+[§"])/;

const FILE = /(?<![\w*/.-])(?<file>(?:\.{1,2}\/)?[\w][\w/.-]*\.(?:ts|js|md|json|fbs|cfg|conf))(?![\w*])/g;
const SECTIONS = /^,? ?§(?<first>\d+(?:\.\d+)*)(?<more>(?:(?:,| and|, and| to) §\d+(?:\.\d+)*)*)/;
const HEADING = /^, "(?<heading>[^"]+)"/;
/** Placeholders, as in `formats/encode/x.ts`. */
const PLACEHOLDER = /(?:^|\/)[a-zA-Z]\.\w+$|(?:^|\/)[A-Z]{4,}\.(?:json|csv|ts)$|(?:^|\/)\d{4}-\d\d\.\w+$/;
/** Names of packages that look like files, and files that a build, a run or a user makes. */
const MADE =
	/^(?:uWebSockets|Jazzer)\.js$|^(?:dist|data|manifests|node_modules)\/|^(?:tx|claude_desktop_config|mcp|manifest|options|expected|map|drop|index|tracing)\.(?!ts|md)/;

/** The comments of TypeScript or JavaScript, one text; strings are left out as far as Biome's layout tells. */
export function commentsOf(source: string): string {
	const comments = source.match(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$/gm) ?? [];
	return comments.join("\n").replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ");
}

/** Numbers (`5.2`) and texts of a document's headings. */
export function sectionsOf(markdown: string): { numbers: Set<string>; headings: Set<string> } {
	const numbers = new Set<string>();
	const headings = new Set<string>();
	for (const [, heading] of withoutFences(markdown).matchAll(/^#{1,5} (.+)$/gm)) {
		const number = /^(\d+(?:\.\d+)*)\.? (.+)$/.exec(heading);
		if (number !== null) numbers.add(number[1]);
		headings.add(number?.[2] ?? heading);
	}
	return { numbers, headings };
}

/** What `text` cites that is not among `files`, one line each; `documents` are the Markdown files. */
export function findBrokenCitations(
	text: Text,
	files: readonly string[],
	documents: ReadonlyMap<string, string>,
): string[] {
	const isDocument = text.path.endsWith(".md");
	const body = isDocument ? withoutFences(text.text).replaceAll(/[`\n]+/g, " ") : commentsOf(text.text);
	const broken: string[] = [];
	for (const match of body.matchAll(FILE)) {
		const { file } = match.groups as { file: string };
		if (PLACEHOLDER.test(file) || MADE.test(file)) continue;
		const found = resolve(file, text.path, files);
		if (found === null) broken.push(`${text.path} cites ${file}, which is not in the repository`);
		const document = found === null ? undefined : documents.get(found);
		if (document === undefined) continue;
		const rest = body.slice(match.index + match[0].length).replace(/^ +(?=[,§])/, "");
		broken.push(...brokenSections(text.path, file, rest, document));
	}
	return isDocument ? [...broken, ...brokenLinks(text, files), ...brokenOwnSections(text)] : broken;
}

/** Lines of `text` that cite what lies outside the repository. */
export function findOutsideCitations({ path, text }: Text): string[] {
	return text
		.split("\n")
		.filter((line) => OUTSIDE.test(line))
		.map((line) => `${path} cites what is not in the repository: ${line.trim()}`);
}

function brokenSections(from: string, file: string, rest: string, document: string): string[] {
	const { numbers, headings } = sectionsOf(document);
	const heading = HEADING.exec(rest)?.groups?.heading;
	if (heading !== undefined && !headings.has(heading)) return [`${from} cites ${file}, "${heading}"`];
	const cited = SECTIONS.exec(rest)?.groups as { first: string; more: string } | undefined;
	if (cited === undefined) return [];
	return [cited.first, ...(cited.more.match(/\d+(?:\.\d+)*/g) ?? [])]
		.filter((number) => !numbers.has(number))
		.map((number) => `${from} cites ${file} §${number}, which does not exist`);
}

/** Sections that a numbered document cites of itself: `§5.2` without a file, which no RFC precedes. */
function brokenOwnSections({ path, text }: Text): string[] {
	const { numbers } = sectionsOf(text);
	if (numbers.size === 0) return [];
	return [...text.matchAll(/(?<!RFC \d+ |\.md )§(\d+(?:\.\d+)*)/g)]
		.map(([, number]) => number)
		.filter((number) => !numbers.has(number))
		.map((number) => `${path} cites its §${number}, which does not exist`);
}

function brokenLinks({ path, text }: Text, files: readonly string[]): string[] {
	return [...withoutFences(text).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)]
		.map(([, target]) => posix.join(posix.dirname(path), target))
		.filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)))
		.map((target) => `${path} links to ${target}, which is not in the repository`);
}

/** The file that `cited` means in `from`: from the root, beside `from`, or the only one whose path ends so. */
function resolve(cited: string, from: string, files: readonly string[]): string | null {
	const source = cited.replace(/\.js$/, ".ts");
	for (const name of [cited, source]) {
		if (files.includes(name)) return name;
		const beside = posix.join(posix.dirname(from), name);
		if (files.includes(beside)) return beside;
	}
	if (cited.startsWith(".")) return null;
	return files.find((file) => file.endsWith(`/${cited}`) || file.endsWith(`/${source}`)) ?? null;
}

function withoutFences(markdown: string): string {
	return markdown.replaceAll(/^```[\s\S]*?^```$/gm, "");
}
