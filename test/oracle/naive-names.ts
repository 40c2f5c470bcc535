/**
 * The matching of names written straight from docs/API.md §11.11: a scan of every row's name, edit distance by
 * the textbook table, words by splitting text. Slow, and of nothing that the engine uses but the list of
 * nicknames, which is data.
 */

import { nicknamesOf } from "../../engine/names/nicknames.js";

const PARTICLES = new Set(
	"af al am av bin da dal das de del dela della den der des di do dos du el ibn la las le les lo los mac mc o san santa st ste ten ter van ver von zu zum zur".split(
		" ",
	),
);

const DROPPED = /['`´’‘‛ʹʻʼʽ′＇.․．\u00ad\u200b-\u200d\u2060\ufeff]/g;

function naiveFold(text: string): string {
	return text
		.replace(DROPPED, "")
		.replace(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, "-")
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.replaceAll("ς", "σ")
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.replace(DROPPED, "");
}

/** Compounds of a name: lists of words. */
function naiveCompounds(name: string): string[][] {
	const compounds: string[][] = [];
	for (const phrase of naiveFold(name).split(",")) {
		let joined = false;
		for (const chunk of phrase.split(/\s+/)) {
			const words =
				chunk.match(
					/(?:[a-z0-9]|(?![×÷\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u303f\u{d800}-\u{dfff}\ufffd])[\u00c0-\u{10ffff}])+/gu,
				) ?? [];
			if (words.length === 0) continue;
			if (joined) compounds[compounds.length - 1].push(...words);
			else compounds.push([...words]);
			joined = PARTICLES.has(words[words.length - 1]);
		}
	}
	return compounds;
}

/** Optimal string alignment distance, the whole table. */
export function naiveDistance(from: string, to: string): number {
	const a = [...from];
	const b = [...to];
	const table = a.map(() => [] as number[]);
	const at = (i: number, j: number): number => (i < 0 ? j + 1 : j < 0 ? i + 1 : table[i][j]);
	for (let i = 0; i < a.length; i++) {
		for (let j = 0; j < b.length; j++) {
			let least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i] === b[j] ? 0 : 1));
			if (i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j])
				least = Math.min(least, at(i - 2, j - 2) + 1);
			table[i][j] = least;
		}
	}
	return at(a.length - 1, b.length - 1);
}

/** What it costs that an asked word stands for a word of a name; Infinity where it does not. */
function wordCost(asked: string, word: string, isLast: boolean): number {
	if (asked === word) return 0;
	if (isLast && word.startsWith(asked)) return 2;
	if (nicknamesOf(asked).has(word)) return 3;
	const letters = [...asked].length;
	if (letters === 1 && word.startsWith(asked)) return 3;
	const edits = letters >= 8 ? 2 : letters >= 4 ? 1 : 0;
	const distance =
		Math.abs(letters - [...word].length) > edits ? Number.POSITIVE_INFINITY : naiveDistance(asked, word);
	return distance > edits ? Number.POSITIVE_INFINITY : [0, 4, 7][distance];
}

/** A match of a name: what it costs, and the words of the name besides those asked for. */
export interface NaiveMatch {
	readonly cost: number;
	readonly extra: number;
}

interface SplitName {
	readonly compounds: readonly (readonly string[])[];
	/** Every word of the compounds, and each compound as one word. */
	readonly words: ReadonlySet<string>;
}

/** Names that were split before: queries look at the same ones again and again. */
const splitNames = new Map<string, SplitName>();

function split(name: string): SplitName {
	let known = splitNames.get(name);
	if (known === undefined) {
		const compounds = naiveCompounds(name);
		known = {
			compounds,
			words: new Set([...compounds.flat(), ...compounds.map((parts) => parts.join(""))]),
		};
		splitNames.set(name, known);
	}
	return known;
}

/** Costs of words by the word asked for and whether it is the last one asked for. */
const wordCosts = new Map<string, Map<string, number>>();

function costsOf(asked: string, isLast: boolean): Map<string, number> {
	const key = `${asked} ${isLast}`;
	let costs = wordCosts.get(key);
	if (costs === undefined) {
		if (wordCosts.size >= 100) wordCosts.clear();
		costs = new Map();
		wordCosts.set(key, costs);
	}
	return costs;
}

function remember(costs: Map<string, number>, word: string, cost: number): number {
	costs.set(word, cost);
	return cost;
}

/** Whether each of some words can have a word of its own, none of which is `taken`: every choice is tried. */
function canEachHaveOne(
	[first, ...rest]: readonly ReadonlySet<string>[],
	taken: ReadonlySet<string>,
): boolean {
	if (first === undefined) return true;
	return [...first].some((word) => !taken.has(word) && canEachHaveOne(rest, new Set([...taken, word])));
}

/** How `name` matches what is asked; null where it does not. */
export function naiveMatch(asked: string, name: string | null): NaiveMatch | null {
	if (name === null) return null;
	const { compounds, words } = split(name);
	const wanted = split(asked).compounds;
	const least = (word: string, isLast: boolean) => {
		const known = costsOf(word, isLast);
		let cost = Number.POSITIVE_INFINITY;
		for (const w of words)
			cost = Math.min(cost, known.get(w) ?? remember(known, w, wordCost(word, w, isLast)));
		return cost;
	};
	let cost = 0;
	/** By text of an asked word, of the cheaper form of each compound: the words of the name that it may stand for. */
	const standsFor = new Map<string, Set<string>>();
	const note = (word: string, isLast: boolean) => {
		const matched = [...words].filter((w) => wordCost(word, w, isLast) < Number.POSITIVE_INFINITY);
		standsFor.set(word, new Set([...(standsFor.get(word) ?? []), ...matched]));
	};
	wanted.forEach((parts, i) => {
		const last = i === wanted.length - 1;
		const byParts = parts.reduce((sum, part, j) => sum + least(part, last && j === parts.length - 1), 0);
		const byWhole = parts.length === 1 ? Number.POSITIVE_INFINITY : least(parts.join(""), last);
		cost += Math.min(byParts, byWhole);
		if (byParts <= byWhole)
			parts.forEach((part, j) => {
				note(part, last && j === parts.length - 1);
			});
		else note(parts.join(""), last);
	});
	if (words.size === 0 || cost === Number.POSITIVE_INFINITY) return null;
	if (!canEachHaveOne([...standsFor.values()], new Set())) cost += 100;
	const extra = Math.min(countWords(compounds), 255) - countWords(wanted);
	return { cost: Math.min(cost, 255), extra: Math.min(15, Math.max(0, extra)) };
}

/** Words without suffixes. */
function countWords(compounds: readonly (readonly string[])[]): number {
	return compounds.flat().filter((word) => !["jr", "sr", "ii", "iii", "iv"].includes(word)).length;
}
