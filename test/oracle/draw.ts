/**
 * Random choices from one 32-bit number: the same seed and stream give the same choices. Rows and
 * queries are made from such seeds, so that a counterexample is a short list of numbers.
 */

export class Draw {
	private state: number;

	/** `stream` separates choices made from one seed, such as the columns of one row. */
	constructor(seed: number, stream = 0) {
		this.state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(stream + 1, 0xc2b2ae35)) >>> 0;
		this.next();
	}

	/** A number in [0, 2^32) (Mulberry32). */
	next(): number {
		this.state = (this.state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return (mixed ^ (mixed >>> 14)) >>> 0;
	}

	/** A whole number in [0, end). */
	below(end: number): number {
		return Math.floor((this.next() / 2 ** 32) * end);
	}

	/** True once in `times`. */
	oneIn(times: number): boolean {
		return this.below(times) === 0;
	}

	/** One of `items`, which must not be empty. */
	pick<T>(items: readonly T[]): T {
		return items[this.below(items.length)];
	}

	/** Some of `items`, each once, in a random order. */
	some<T>(items: readonly T[], most: number): T[] {
		const left = [...items];
		const count = this.below(Math.min(most, items.length) + 1);
		return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0]);
	}
}
