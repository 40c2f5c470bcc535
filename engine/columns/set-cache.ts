/** A cache of sets that a thread makes as they are asked for, bounded in bytes; evicts the oldest first (FIFO). */

/** A set that has been made, in the list that holds it. */
interface CachedSet {
	readonly holder: unknown[];
	readonly place: number;
	readonly bytes: number;
}

/** Approximate overhead of a set's JavaScript objects, in bytes. */
export const OBJECT_BYTES = 256;

export class SetCache {
	/** Oldest first. */
	private readonly kept: CachedSet[] = [];
	private bytes = 0;

	/** `bytesMax`: maximum bytes of all sets together. The newest set is kept whatever its size. */
	constructor(private readonly bytesMax: number) {}

	/** Puts a set of `bytes` bytes at `holder[place]`. The places of the sets that it evicts become undefined. */
	keep<T>(holder: (T | undefined)[], place: number, made: T, bytes: number): T {
		holder[place] = made;
		const all = bytes + OBJECT_BYTES;
		this.kept.push({ holder, place, bytes: all });
		this.bytes += all;
		while (this.bytes > this.bytesMax && this.kept.length > 1) {
			const oldest = this.kept.shift();
			if (oldest === undefined) break;
			oldest.holder[oldest.place] = undefined;
			this.bytes -= oldest.bytes;
		}
		return made;
	}
}
