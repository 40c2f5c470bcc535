/**
 * Patterns that split one cell into parts, as map files write them: part names in capitals with the
 * text that stands between them, such as `LAST, FIRST MIDDLE` or `CITY, STATE ZIP`.
 *
 * Text other than blanks between two parts divides a cell into segments, where it is first found; text between blanks
 * only where it is found between blanks. Within a segment, blanks divide it into words. Of the parts of a segment, each
 * takes one word, and one takes what is left over: in a name that is `MIDDLE`, else `FIRST`, else `LAST`; in any other segment the first part. A state takes its whole name.
 */

import { BuildError } from "../errors.js";

/** Parts that make a segment a person's name, which has particles and suffixes. */
const NAME_PARTS = ["LAST", "FIRST", "MIDDLE", "SUFFIX", "PREFIX"];

/** Segment of a pattern: its parts in order, and the separator before it (empty for the first). */
export interface PatternSegment {
	readonly separator: string;
	/** Whether the pattern has the separator between blanks, ` - `, as cells must then have it, too. */
	readonly isSpaced: boolean;
	readonly parts: readonly string[];
	/** Whether it is a person's name or a part of one. */
	readonly isName: boolean;
}

/** Reads a pattern. Throws {@link BuildError} `bad_map`. `file` is the map file. */
export function parseSplitPattern(pattern: string, file: string | null): readonly PatternSegment[] {
	const refuse = (rule: string): never => {
		throw new BuildError("bad_map", `split pattern "${pattern}" ${rule}`, { file });
	};
	const tokens = [...pattern.matchAll(/[A-Z][A-Z0-9_]*/g)];
	if (tokens.length < 2) refuse('needs at least two part names in capitals, such as "LAST, FIRST MIDDLE"');
	if (tokens[0].index !== 0 || tokens.at(-1)?.[0] !== pattern.slice(tokens.at(-1)?.index))
		refuse("must begin and end with a part name in capitals");
	const names = tokens.map(([name]) => name);
	const repeated = names.find((name, i) => names.indexOf(name) !== i);
	if (repeated !== undefined) refuse(`names ${repeated} twice`);
	const segments = [{ separator: "", isSpaced: false, parts: [names[0]] }];
	for (let i = 1; i < tokens.length; i++) {
		const between = pattern.slice((tokens[i - 1].index ?? 0) + names[i - 1].length, tokens[i].index);
		const separator = between.trim();
		if (/[a-z]/i.test(separator)) refuse(`has letters between its parts: "${separator}"`);
		if (separator === "") segments[segments.length - 1].parts.push(names[i]);
		else segments.push({ separator, isSpaced: /^\s.*\s$/.test(between), parts: [names[i]] });
	}
	for (const { parts } of segments)
		if (parts.includes("PREFIX") && (parts[0] !== "PREFIX" || parts.length === 1))
			refuse('must have PREFIX directly before a name, such as "PREFIX FIRST LAST" or "LAST, PREFIX FIRST"');
	return segments.map((segment) => ({
		...segment,
		isName: segment.parts.every((part) => NAME_PARTS.includes(part)),
	}));
}
