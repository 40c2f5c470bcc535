/**
 * Canonical, length-limited Huffman codes (RFC 1951 §3.2.2).
 *
 * Invariant: every symbol has a code, so any input can be written whatever the frequencies came from.
 */

/**
 * Code lengths of symbols with the given frequencies, each 1 to `lengthMax`. Symbols that never occurred
 * count as rare ones. Where a code would be too long, frequencies are halved until none is: a few
 * thousandths longer than the optimum that package-merge finds. Cost O(n log n) a try.
 */
export function codeLengths(frequencies: readonly number[], lengthMax: number): Uint8Array {
	let weights = frequencies.map((frequency) => Math.max(1, frequency));
	for (;;) {
		const lengths = unlimitedLengths(weights);
		if (lengths.every((length) => length <= lengthMax)) return lengths;
		weights = weights.map((weight) => (weight + 1) >>> 1);
	}
}

/** Huffman's algorithm over two queues: leaves by weight, and the inner nodes in the order they are made. */
function unlimitedLengths(weights: readonly number[]): Uint8Array {
	const count = weights.length;
	const leaves = Array.from(weights, (_, symbol) => symbol).sort((a, b) => weights[a] - weights[b] || a - b);
	const weightOf = [...weights];
	const parent = new Array<number>(2 * count - 1).fill(-1);
	let leaf = 0;
	let inner = count;
	const lightest = (): number => {
		const takesLeaf =
			leaf < count && (inner === weightOf.length || weightOf[leaves[leaf]] <= weightOf[inner]);
		return takesLeaf ? leaves[leaf++] : inner++;
	};
	while (weightOf.length < 2 * count - 1) {
		const [a, b] = [lightest(), lightest()];
		parent[a] = weightOf.length;
		parent[b] = weightOf.length;
		weightOf.push(weightOf[a] + weightOf[b]);
	}
	const depths = new Uint8Array(2 * count - 1);
	for (let node = 2 * count - 3; node >= 0; node--) depths[node] = depths[parent[node]] + 1;
	return depths.slice(0, count);
}

/** The codes of the given lengths, their bits in the order DEFLATE sends them: the first bit lowest. */
export function canonicalCodes(lengths: Uint8Array): Uint32Array {
	const perLength = new Uint32Array(17);
	for (const length of lengths) if (length > 0) perLength[length]++;
	const next = new Uint32Array(17);
	for (let length = 1; length <= 16; length++) next[length] = (next[length - 1] + perLength[length - 1]) << 1;
	return Uint32Array.from(lengths, (length) => (length === 0 ? 0 : reversed(next[length]++, length)));
}

function reversed(code: number, bits: number): number {
	let result = 0;
	for (let i = 0; i < bits; i++) result |= ((code >>> i) & 1) << (bits - 1 - i);
	return result;
}
