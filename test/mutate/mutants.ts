/**
 * The single-point mistakes that can be made in a file: StrykerJS's mutators over the compiled JavaScript, each as
 * a replacement of one piece of text. Mutating what was compiled needs no second compilation, and a mutant is
 * applied by writing one file.
 */

import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, normalize } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";

export interface Mutant {
	/** The source file, relative to the checkout. */
	readonly source: string;
	/** Line in it, from 1. */
	readonly line: number;
	/** That line, trimmed. */
	readonly lineText: string;
	/** The compiled file, relative to the folder of compiled files. */
	readonly compiled: string;
	/** What is replaced: offsets in the compiled file's text. */
	readonly start: number;
	readonly end: number;
	readonly mutator: string;
	readonly original: string;
	readonly replacement: string;
}

/** Texts are mostly messages, whose wording tests leave open. */
const EXCLUDED_MUTATORS = ["StringLiteral"];

const SILENT = new Proxy({}, { get: () => () => false });

/** Every mutant of the compiled files `paths`, in their order; `folder` holds them, with their source maps. */
export async function mutantsOf(root: string, folder: string, paths: readonly string[]): Promise<Mutant[]> {
	const instrumenter = new Instrumenter(SILENT as ConstructorParameters<typeof Instrumenter>[0]);
	const found: Mutant[] = [];
	for (const compiled of paths) {
		const text = readFileSync(join(folder, compiled), "utf8");
		const { mutants } = await instrumenter.instrument([{ name: compiled, content: text, mutate: true }], {
			plugins: null,
			excludedMutations: EXCLUDED_MUTATORS,
			ignorers: [],
		});
		const lineStarts = startsOfLines(text);
		const sources = sourcesOf(folder, compiled);
		for (const { location, mutatorName, replacement, status } of mutants) {
			if (status === "Ignored") continue;
			const { line, column } = location.start;
			const start = lineStarts[line] + column;
			const end = lineStarts[location.end.line] + location.end.column;
			const place = sources.map.findEntry(line, column);
			if (!("originalLine" in place)) continue;
			found.push({
				source: normalize(compiled.replace(/\.js$/, ".ts")),
				line: place.originalLine + 1,
				lineText: sourceLine(root, compiled, place.originalLine),
				compiled,
				start,
				end,
				mutator: mutatorName,
				original: text.slice(start, end),
				replacement,
			});
		}
	}
	return found;
}

/** The compiled file's text with the mutant in it. */
export function apply(mutant: Mutant, text: string): string {
	return text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
}

function startsOfLines(text: string): number[] {
	const starts = [0];
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
	return starts;
}

function sourcesOf(folder: string, compiled: string): { readonly map: SourceMap } {
	return { map: new SourceMap(JSON.parse(readFileSync(join(folder, `${compiled}.map`), "utf8"))) };
}

function sourceLine(root: string, compiled: string, line: number): string {
	const text = readFileSync(join(root, compiled.replace(/\.js$/, ".ts")), "utf8");
	return text.split("\n")[line]?.trim() ?? "";
}
