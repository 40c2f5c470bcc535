/**
 * Unicode normalization forms C and KD with the pinned tables: decompose, sort marks into canonical order and,
 * for form C, compose.
 *
 * Lone surrogates are code points that neither decompose nor compose, as in String.prototype.normalize.
 */

import { pairKey, type UnicodeTables, unicodeTables } from "./tables.js";

/** Hangul syllables are composed by arithmetic. */
const HANGUL = {
	syllable: 0xac00,
	lead: 0x1100,
	vowel: 0x1161,
	/** One before the first trailing consonant. */
	trail: 0x11a7,
	leads: 19,
	vowels: 21,
	trails: 28,
} as const;
const SYLLABLES = HANGUL.leads * HANGUL.vowels * HANGUL.trails;

/** Code points of the normalization form C of `text`. Cost O(length). */
export function composed(text: string): number[] {
	return compose(decompose(text, unicodeTables, false), unicodeTables);
}

/** Code points of the normalization form KD of `text`. Cost O(length). */
export function compatibilityDecomposed(text: string): number[] {
	return decompose(text, unicodeTables, true);
}

/** The fully decomposed code points of `text`, marks in canonical order. */
function decompose(text: string, tables: UnicodeTables, isCompatibility: boolean): number[] {
	const { canonical, combiningRanks } = tables;
	const compatibility = isCompatibility ? tables.compatibility : null;
	const points: number[] = [];
	for (const character of text) {
		const point = character.codePointAt(0) as number;
		const syllable = point - HANGUL.syllable;
		if (syllable >= 0 && syllable < SYLLABLES) {
			pushSyllable(points, syllable);
			continue;
		}
		const decomposed = compatibility?.get(point) ?? canonical.get(point);
		if (decomposed === undefined) points.push(point);
		else points.push(...decomposed);
	}
	orderMarks(points, combiningRanks);
	return points;
}

function pushSyllable(points: number[], syllable: number): void {
	const trail = syllable % HANGUL.trails;
	const leadAndVowel = (syllable - trail) / HANGUL.trails;
	points.push(HANGUL.lead + Math.floor(leadAndVowel / HANGUL.vowels));
	points.push(HANGUL.vowel + (leadAndVowel % HANGUL.vowels));
	if (trail > 0) points.push(HANGUL.trail + trail);
}

/** Sorts each sequence of marks by rank, stably. Real text has short ones; a long one costs O(n log n). */
function orderMarks(points: number[], ranks: ReadonlyMap<number, number>): void {
	for (let from = 0; from < points.length; from++) {
		if (!ranks.has(points[from])) continue;
		let to = from + 1;
		while (to < points.length && ranks.has(points[to])) to++;
		if (to - from > 1) {
			const run = points.slice(from, to);
			run.sort((a, b) => (ranks.get(a) as number) - (ranks.get(b) as number));
			for (let i = from; i < to; i++) points[i] = run[i - from];
		}
		from = to;
	}
}

/** Composes every mark or letter that is not blocked with the last starter before it. */
function compose(points: readonly number[], tables: UnicodeTables): number[] {
	const { combiningRanks, composites } = tables;
	const out: number[] = [];
	let starter = -1;
	/** Rank of the previous code point, 0 for a starter. */
	let before = 0;
	for (const point of points) {
		const rank = combiningRanks.get(point) ?? 0;
		const adjacent = starter === out.length - 1;
		if (starter >= 0 && (adjacent || (before !== 0 && before < rank))) {
			const composite = compositeOf(out[starter], point, composites);
			if (composite !== -1) {
				out[starter] = composite;
				continue;
			}
		}
		if (rank === 0) starter = out.length;
		before = rank;
		out.push(point);
	}
	return out;
}

/** The primary composite of two code points, or -1. */
function compositeOf(first: number, last: number, composites: ReadonlyMap<number, number>): number {
	const lead = first - HANGUL.lead;
	const vowel = last - HANGUL.vowel;
	if (lead >= 0 && lead < HANGUL.leads && vowel >= 0 && vowel < HANGUL.vowels)
		return HANGUL.syllable + (lead * HANGUL.vowels + vowel) * HANGUL.trails;
	const syllable = first - HANGUL.syllable;
	const trail = last - HANGUL.trail;
	if (
		syllable >= 0 &&
		syllable < SYLLABLES &&
		syllable % HANGUL.trails === 0 &&
		trail > 0 &&
		trail < HANGUL.trails
	)
		return first + trail;
	return composites.get(pairKey(first, last)) ?? -1;
}
