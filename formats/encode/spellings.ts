/**
 * Writes which values of a column are spellings of one name that differ in more than letter case, in groups by the keys of
 * `names/spelling-keys.ts`. A value has one key or two, so it is in at most two groups.
 *
 * Invariant: values that share a key have the same letters when their words are written together. So few values may be in
 * a group: those whose letters have the hash of another's, and only the texts of these are looked at.
 */

import { decodeUtf8 } from "../fold.js";
import { spellingKeys } from "../names/spelling-keys.js";
import type { EncodedDictionary } from "./dictionary.js";

/** Slots of the hash table for each value, at least. */
const SLOTS_MIN = 2;

export interface EncodedSpellings {
	/** Codes of values in groups, ascending; one of two groups is there twice. */
	readonly codes: Uint32Array;
	/** The group of each of these. */
	readonly groups: Uint32Array;
	/** The members of group g: members[offsets[g], offsets[g + 1]). */
	readonly offsets: Uint32Array;
	/** Codes by group, ascending in each. */
	readonly members: Uint32Array;
}

type Values = Pick<EncodedDictionary, "offsets" | "heap" | "foldRanks">;

/**
 * The groups of a dictionary's values. `hashes`: by code, a hash of the value's words written together, without a blank.
 * Cost O(values), and O(bytes) of those that may be in a group; memory, while it runs, 16 to 32 bytes a value.
 */
export function encodeSpellings(hashes: Int32Array, values: Values): EncodedSpellings {
	const groups = groupByKeys(findCandidates(hashes, values), values);
	const offsets = new Uint32Array(groups.length + 1);
	for (const [group, codes] of groups.entries()) offsets[group + 1] = offsets[group] + codes.length;
	const memberships = groups
		.flatMap((codes, group) => codes.map((code) => ({ code, group })))
		.sort((a, b) => a.code - b.code || a.group - b.group);
	return {
		codes: Uint32Array.from(memberships, ({ code }) => code),
		groups: Uint32Array.from(memberships, ({ group }) => group),
		offsets,
		members: Uint32Array.from(groups.flat()),
	};
}

/** The codes among `candidates` that share a key with one of another fold, by key, in the order in which keys are first found. */
function groupByKeys(candidates: readonly number[], { offsets, heap, foldRanks }: Values): number[][] {
	const byKey = new Map<string, number[]>();
	for (const code of candidates) {
		for (const key of spellingKeys(decodeUtf8(heap, offsets[code], offsets[code + 1]))) {
			const codes = byKey.get(key);
			if (codes === undefined) byKey.set(key, [code]);
			else codes.push(code);
		}
	}
	// Codes ascend by fold.
	return [...byKey.values()].filter(
		(codes) => rankOf(codes[0], foldRanks) !== rankOf(codes[codes.length - 1], foldRanks),
	);
}

/** The codes, ascending, of values whose hash one of another fold has too, and of those that differ from them in letter case. */
function findCandidates(hashes: Int32Array, { foldRanks }: Values): number[] {
	const distinct = hashes.length;
	const slots = 2 ** Math.ceil(Math.log2(Math.max(1, distinct) * SLOTS_MIN));
	/** The first code with a hash, plus one, by open addressing; 0: none. */
	const first = new Uint32Array(slots);
	const marks = new Uint8Array(distinct);
	for (let code = 0; code < distinct; code++) {
		let slot = hashes[code] & (slots - 1);
		while (first[slot] !== 0 && hashes[first[slot] - 1] !== hashes[code]) slot = (slot + 1) & (slots - 1);
		if (first[slot] === 0) first[slot] = code + 1;
		const rank = rankOf(code, foldRanks);
		const other = rankOf(first[slot] - 1, foldRanks);
		if (rank === other) continue;
		marks[rank] = 1;
		marks[other] = 1;
	}
	const candidates: number[] = [];
	for (let code = 0; code < distinct; code++) if (marks[rankOf(code, foldRanks)] === 1) candidates.push(code);
	return candidates;
}

function rankOf(code: number, foldRanks: Uint32Array | null): number {
	return foldRanks === null ? code : foldRanks[code];
}
