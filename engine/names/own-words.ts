/**
 * Whether the words of a query can each have a word of a name to themselves: a bipartite matching of all words of the
 * query. `S Smith` matches SAMANTHA SMITH so, and AMANDA SMITH by one word alone.
 */

/** Words of a name that are told apart. Names with more are taken to have enough. */
export const OWN_WORDS_MAX = 32;

/** Words of the name that were tried for the word of the query at hand. */
let tried = 0;
/** By word of the name, the word of the query that has it plus one; 0: none. */
const ownerOf = new Uint8Array(OWN_WORDS_MAX);

/**
 * Whether each of the first `count` words of the query, at most 255, can have a word of its own. Bit i of `matches[w]`: whether
 * word w matches word i of the name. Cost O(count² × words of the name) at most (augmenting paths), and O(count) in most names.
 */
export function haveOwnWords(matches: Uint32Array, count: number): boolean {
	ownerOf.fill(0);
	for (let word = 0; word < count; word++) {
		tried = 0;
		if (!findOwn(matches, word)) return false;
	}
	return true;
}

/** Gives `word` a word of the name: one that is free, else one whose owner can have another. */
function findOwn(matches: Uint32Array, word: number): boolean {
	for (let left = matches[word] & ~tried; left !== 0; left = matches[word] & ~tried) {
		const at = 31 - Math.clz32(left & -left);
		tried |= 1 << at;
		const owner = ownerOf[at];
		if (owner !== 0 && !findOwn(matches, owner - 1)) continue;
		ownerOf[at] = word + 1;
		return true;
	}
	return false;
}
