/**
 * A pool of memory for the rows of streamed pages, 400 KB each: V8 counts what is allocated outside its heap toward its
 * next full collection. Without a pool, pages of a walk alone would cause one every second, during which other requests
 * wait.
 *
 * Invariant: a list belongs to one stream until it is returned to the pool. One that never is, since its stream did not
 * begin, is garbage-collected.
 */

/** Capacity of the pool, in lists; streams beyond it allocate their own. */
const POOLED_MAX = 4;

export class RowLists {
	private readonly pool: Uint32Array[] = [];

	/** `rows`: of the longest page. */
	constructor(private readonly rows: number) {}

	/** Memory for the longest page, and one row more, which tells whether there are further ones. */
	take(): Uint32Array {
		return this.pool.pop() ?? new Uint32Array(this.rows + 1);
	}

	/** REQUIRES: nothing reads `list` any more. */
	giveBack(list: Uint32Array): void {
		if (this.pool.length < POOLED_MAX) this.pool.push(list);
	}
}
