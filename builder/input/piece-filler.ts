/** Fills buffers of any length from a sequence of blocks of other lengths. */

export class PieceFiller {
	private rest: Uint8Array = new Uint8Array(0);

	/** `next` returns the next block, valid until the following call; null at the end. */
	constructor(private readonly next: () => Promise<Uint8Array | null>) {}

	/** Fills `target` as far as there are bytes; returns how many. */
	async fill(target: Uint8Array): Promise<number> {
		let filled = 0;
		while (filled < target.length) {
			if (this.rest.length === 0) {
				const piece = await this.next();
				if (piece === null) break;
				this.rest = piece;
			}
			const length = Math.min(this.rest.length, target.length - filled);
			target.set(this.rest.subarray(0, length), filled);
			this.rest = this.rest.subarray(length);
			filled += length;
		}
		return filled;
	}
}
