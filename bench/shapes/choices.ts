/** A seeded stream of random choices: the same seed and stream give the same choices. */

import { type Bits, draw, keyOfSeed, subkey } from "../../builder/synth/random.js";

export class Choices {
	private readonly key: Bits;
	private made = 0;

	constructor(seed: number, stream: number) {
		this.key = subkey(keyOfSeed(seed), stream);
	}

	/** A whole number in [0, end). */
	below(end: number): number {
		return Math.floor(((draw(this.key, this.made++) >>> 0) / 2 ** 32) * end);
	}

	/** True once in `times`. */
	oneIn(times: number): boolean {
		return this.below(times) === 0;
	}

	/** One of `items`, which must not be empty. */
	pick<T>(items: readonly T[]): T {
		return items[this.below(items.length)];
	}
}
