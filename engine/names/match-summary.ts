/**
 * Summary of how each word of the query matched over the rows of a page: by which words of their names, in
 * which way, in how many rows. Cost O(words in the query × words of the rows' names).
 */

import { type Dictionary, nameCompounds, nameWords } from "../../formats/index.js";
import {
	type AskedCompound,
	type AskedName,
	type AskedWord,
	matchWord,
	type NameMatch,
} from "./asked-name.js";
import { haveOwnWords, OWN_WORDS_MAX } from "./own-words.js";

/** A word of names that matched a word of the query. */
export interface WordMatch {
	/** Under the loose fold. */
	readonly to: string;
	readonly by: NameMatch;
	/** Rows of the page. */
	readonly rows: number;
}

export interface AskedWordMatches {
	/** The query's word under the loose fold; the parts of a compound that matched as one word are joined. */
	readonly word: string;
	/** By descending rows, then by word; at most {@link MATCHES_MAX}. */
	readonly matches: readonly WordMatch[];
}

/** Maximum words reported for one word of the query. */
const MATCHES_MAX = 10;

interface Best {
	readonly asked: AskedWord;
	readonly to: string;
	readonly by: NameMatch;
	readonly cost: number;
}

export interface MatchSummary {
	readonly words: readonly AskedWordMatches[];
	/** Rows in which different words of the query share a word of the name, and which come after all others. */
	readonly sharingRows: number;
}

/** The matches of `name` in rows with the full names `codes`, each of which must match. */
export function summariseMatches(name: AskedName, codes: readonly number[], names: Dictionary): MatchSummary {
	const tallies = new Map<string, Map<string, { by: NameMatch; rows: number }>>();
	const rowsOfCode = new Map<number, number>();
	for (const code of codes) rowsOfCode.set(code, (rowsOfCode.get(code) ?? 0) + 1);
	let sharingRows = 0;
	for (const [code, rows] of rowsOfCode) {
		const words = nameWords(nameCompounds(names.value(code) ?? ""));
		const best = name.compounds.flatMap((compound) => bestOf(compound, words));
		if (isSharing(best, words)) sharingRows += rows;
		for (const { asked, to, by } of best) {
			const tally = tallies.get(asked.text) ?? new Map<string, { by: NameMatch; rows: number }>();
			tallies.set(asked.text, tally);
			const found = tally.get(to) ?? { by, rows: 0 };
			found.rows += rows;
			tally.set(to, found);
		}
	}
	const matches = [...tallies].map(([word, tally]) => ({ word, matches: mostFirst(tally) }));
	return { words: matches, sharingRows };
}

/** Whether different words of the query can't each have one of `words` to itself. */
function isSharing(best: readonly Best[], words: ReadonlySet<string>): boolean {
	if (words.size > OWN_WORDS_MAX || new Set(best.map(({ to }) => to)).size === best.length) return false;
	const matched = new Map<string, number>();
	for (const { asked } of best) {
		let bits = matched.get(asked.text) ?? 0;
		let bit = 1;
		for (const word of words) {
			if (matchWord(asked, word) !== null) bits |= bit;
			bit <<= 1;
		}
		matched.set(asked.text, bits);
	}
	return !haveOwnWords(Uint32Array.from(matched.values()), matched.size);
}

/** How a compound matches at the lower cost: by its parts, or as one word. */
function bestOf({ parts, whole }: AskedCompound, words: ReadonlySet<string>): readonly Best[] {
	const byParts = parts.map((part) => bestMatch(part, words)).filter((best) => best !== null);
	const byWhole = whole === null ? null : bestMatch(whole, words);
	if (byWhole === null) return byParts;
	const partsCost = byParts.reduce((sum, { cost }) => sum + cost, 0);
	return byParts.length === parts.length && partsCost <= byWhole.cost ? byParts : [byWhole];
}

function bestMatch(asked: AskedWord, words: ReadonlySet<string>): Best | null {
	let best: Best | null = null;
	for (const to of words) {
		const match = matchWord(asked, to);
		if (match !== null && (best === null || match.cost < best.cost)) best = { asked, to, ...match };
	}
	return best;
}

function mostFirst(
	tally: ReadonlyMap<string, { readonly by: NameMatch; readonly rows: number }>,
): WordMatch[] {
	return [...tally]
		.map(([to, { by, rows }]) => ({ to, by, rows }))
		.sort((a, b) => b.rows - a.rows || (a.to < b.to ? -1 : 1))
		.slice(0, MATCHES_MAX);
}
