/**
 * Names the lines of the TypeScript sources in the output of a test file. Node can do so as modules are loaded
 * (`--enable-source-maps`), but then every process of every test reads its maps: a tenth of the processor time
 * of a run, which only failures have a use for.
 */

import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";

/** A compiled file of dist/ with line and column, as stack traces have it. */
const POSITION = /(?:file:\/\/)?(\/[^\s():]*\/dist\/[^\s():]*\.js):(\d+):(\d+)/g;
const maps = new Map<string, SourceMap | null>();

function mapOf(file: string): SourceMap | null {
	let map = maps.get(file);
	if (map === undefined) {
		const path = `${file}.map`;
		map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : null;
		maps.set(file, map);
	}
	return map;
}

/** `text` with each position in a compiled file replaced by that in its source; others stay. */
export function withSourceLines(text: string): string {
	return text.replace(POSITION, (position, file: string, line: string, column: string) => {
		const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
		if (entry === undefined || !("originalSource" in entry)) return position;
		const source = resolve(dirname(file), entry.originalSource);
		return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
	});
}
