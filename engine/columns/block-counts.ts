/**
 * How many rows of a selection lie before each block of the month. The pages of one selection are asked for one after
 * the other: once its rows have been counted, a page in the order of rows is found in the blocks that it lies in alone.
 *
 * Memory: four bytes a block and a number of the key, of which there are {@link SELECTIONS_MAX} a snapshot and thread at
 * most; cleared when full.
 */

/** Selections whose counts are kept. */
const SELECTIONS_MAX = 1024;

/** The counts of one selection. */
export interface CountedBlocks {
	/** Words of the bitmap in each block but the last, which may have fewer. */
	readonly blockWords: number;
	/** The rows before each block, then all rows. */
	readonly before: Uint32Array;
}

/** The counts of blocks from the rows in each: `rows[block + 1]` has those of a block, and is overwritten. */
export function sumBlocks(rows: Uint32Array, blockWords: number): CountedBlocks {
	for (let block = 1; block < rows.length; block++) rows[block] += rows[block - 1];
	return { blockWords, before: rows };
}

interface Known {
	readonly key: Int32Array;
	readonly counted: CountedBlocks;
}

export class BlockCounts {
	/** By hash of the key: where several keys have one hash, the last. */
	private readonly known = new Map<number, Known>();

	/** The counts of the selection that the numbers of `key` stand for; null if they are not known. */
	get(key: SelectionKey): CountedBlocks | null {
		const known = this.known.get(key.hash());
		return known !== undefined && key.equals(known.key) ? known.counted : null;
	}

	keep(key: SelectionKey, counted: CountedBlocks): void {
		if (this.known.size >= SELECTIONS_MAX) this.known.clear();
		this.known.set(key.hash(), { key: key.copy(), counted });
	}
}

/** The numbers that tell one selection from another. Reused, so that a look-up allocates nothing. */
export class SelectionKey {
	private readonly numbers: Int32Array;
	private length = 0;

	/** `numbersMax`: the numbers that fit. */
	constructor(numbersMax: number) {
		this.numbers = new Int32Array(numbersMax);
	}

	reset(): void {
		this.length = 0;
	}

	/** Appends a number; false if there is no room. */
	add(number: number): boolean {
		if (this.length === this.numbers.length) return false;
		this.numbers[this.length++] = number;
		return true;
	}

	/** FNV-1a over the numbers, whose high bits are mixed in. */
	hash(): number {
		let hash = 0x811c9dc5;
		for (let i = 0; i < this.length; i++) {
			hash = Math.imul(hash ^ this.numbers[i], 0x01000193);
			hash ^= hash >>> 15;
		}
		return hash;
	}

	equals(other: Int32Array): boolean {
		if (other.length !== this.length) return false;
		for (let i = 0; i < other.length; i++) if (other[i] !== this.numbers[i]) return false;
		return true;
	}

	copy(): Int32Array {
		return this.numbers.slice(0, this.length);
	}
}
