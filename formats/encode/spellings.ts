/**
 * Writes which values of a column are spellings of one name that differ in more than letter case, in groups by the keys of
 * `names/spelling-keys.ts`. A value has one key or two, so it is in at most two groups.
 */

/** The keys of a dictionary's values, numbered. */
export interface SpellingKeys {
	/** By code, the number of the key of its words; -1: it has none. */
	readonly own: Int32Array;
	/** By code, the number of the key of its words written as one; -1: it has none. */
	readonly joined: Int32Array;
	/** Distinct keys. */
	readonly count: number;
}

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

/** The groups of the values of a dictionary, whose fold ranks are null where each is its code. Cost O(values + keys). */
export function encodeSpellings(keys: SpellingKeys, foldRanks: Uint32Array | null): EncodedSpellings {
	const isShared = findShared(keys, foldRanks);
	const groupOfKey = new Int32Array(keys.count).fill(-1);
	const sizes: number[] = [];
	const codes: number[] = [];
	const groups: number[] = [];
	for (let code = 0; code < keys.own.length; code++) {
		const from = codes.length;
		for (const key of [keys.own[code], keys.joined[code]]) {
			if (key === -1 || isShared[key] === 0) continue;
			if (groupOfKey[key] === -1) groupOfKey[key] = sizes.push(0) - 1;
			sizes[groupOfKey[key]]++;
			codes.push(code);
			groups.push(groupOfKey[key]);
		}
		if (groups.length - from === 2 && groups[from] > groups[from + 1])
			groups.splice(from, 2, groups[from + 1], groups[from]);
	}
	const offsets = new Uint32Array(sizes.length + 1);
	for (const [group, size] of sizes.entries()) offsets[group + 1] = offsets[group] + size;
	const members = new Uint32Array(codes.length);
	const ends = offsets.slice();
	for (const [i, group] of groups.entries()) members[ends[group]++] = codes[i];
	return { codes: Uint32Array.from(codes), groups: Uint32Array.from(groups), offsets, members };
}

/** By key, 1 where values of different folds have it. */
function findShared({ own, joined, count }: SpellingKeys, foldRanks: Uint32Array | null): Uint8Array {
	const isShared = new Uint8Array(count);
	/** By key, the rank of the first value with it. */
	const firstRank = new Int32Array(count).fill(-1);
	const note = (key: number, rank: number) => {
		if (key === -1) return;
		if (firstRank[key] === -1) firstRank[key] = rank;
		else if (firstRank[key] !== rank) isShared[key] = 1;
	};
	for (let code = 0; code < own.length; code++) {
		const rank = foldRanks === null ? code : foldRanks[code];
		note(own[code], rank);
		note(joined[code], rank);
	}
	return isShared;
}
