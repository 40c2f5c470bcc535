/**
 * Memory for the rows of streamed pages, 400 KB each, which the next streams use again: V8 counts what is allocated
 * outside its heap toward its next full collection. Pages of a walk alone would cause one every second, and whoever
 * asks meanwhile waits for it.
 *
 * Invariant: a list belongs to one stream until it is given back. One that never is, since its stream did not begin, is
 * collected.
 */

/** Lists kept for later streams; more streams at a time allocate theirs. */
const KEPT_MAX = 4;

export class RowLists {
	private readonly kept: Uint32Array[] = [];

	/** `rows`: of the longest page. */
	constructor(private readonly rows: number) {}

	/** Memory for the longest page, and one row more, which tells whether there are further ones. */
	take(): Uint32Array {
		return this.kept.pop() ?? new Uint32Array(this.rows + 1);
	}

	/** REQUIRES: nothing reads `list` any more. */
	giveBack(list: Uint32Array): void {
		if (this.kept.length < KEPT_MAX) this.kept.push(list);
	}
}
