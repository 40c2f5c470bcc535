/**
 * Pages of walks by cursor that have more rows than an answer that is rendered at once. Ordering 100,000 rows by two columns
 * takes 30 to 100 ms, so they are found in slices, between other requests, each after the last row of the one before.
 *
 * Bounds: a page takes 400 KB. At most {@link FOUND_MAX} pages wait for the retry of the request that they were found for.
 */

import { type Page, PendingWork, type Query, type SlicedWork, type Snapshot } from "../../../engine/index.js";
import { RowLists } from "./row-lists.js";

/** Rows of a slice, which takes some milliseconds. Each slice selects the rows again, so shorter ones cost more in total. */
const SLICE_ROWS = 1 << 13;

/** Maximum pages found and not yet taken; beyond it the oldest is dropped, as of a client that disconnected. */
const FOUND_MAX = 4;

/** A page, and the list that has its rows. */
export interface WalkPage {
	readonly page: Page;
	readonly memory: Uint32Array;
}

/** Where a page begins: after a row, or at the beginning, with `passed` rows before it. */
interface Place {
	readonly snapshot: Snapshot;
	readonly after: number | null;
	readonly passed: number;
}

export class WalkPages {
	private readonly lists: RowLists;
	private readonly found = new Map<string, WalkPage>();

	/** `rows`: of the longest page. `sliceRows`: rows found before other requests are answered. */
	constructor(
		rows: number,
		private readonly sliceRows = SLICE_ROWS,
	) {
		this.lists = new RowLists(rows);
	}

	/**
	 * The page of `rows` rows, or the work after which this returns it once. Its list belongs to the caller until
	 * {@link giveBack}.
	 */
	find(place: Place, query: Query, rows: number): WalkPage | PendingWork {
		const { snapshot, after, passed } = place;
		if (rows <= this.sliceRows || !isOrdered(query)) {
			const memory = this.lists.take();
			return { page: snapshot.queryAfter(query, after, passed, memory), memory };
		}
		// Everything that determines the rows: two pages of one name would get each other's rows.
		const name = `page ${snapshot.digest} ${after} ${passed} ${JSON.stringify(query)}`;
		const found = this.found.get(name);
		if (found === undefined) return new PendingWork(name, this.work(name, place, query), true);
		this.found.delete(name);
		return found;
	}

	/** REQUIRES: nothing reads the page any more. */
	giveBack({ memory }: WalkPage): void {
		this.lists.giveBack(memory);
	}

	private *work(name: string, { snapshot, after, passed }: Place, query: Query): SlicedWork<void> {
		const memory = this.lists.take();
		let isFound = false;
		try {
			let taken = 0;
			let last = after;
			for (;;) {
				const limit = Math.min(this.sliceRows, query.limit - taken);
				const room = memory.subarray(taken);
				const page = snapshot.queryAfter({ ...query, limit }, last, passed + taken, room);
				taken += page.rows.length;
				if (!page.hasNext || taken === query.limit) {
					this.put(name, { page: { ...page, query, rows: memory.subarray(0, taken) }, memory });
					isFound = true;
					return;
				}
				last = memory[taken - 1];
				yield;
			}
		} finally {
			if (!isFound) this.lists.giveBack(memory);
		}
	}

	private put(name: string, page: WalkPage): void {
		for (const [oldest, left] of this.found) {
			if (this.found.size < FOUND_MAX) break;
			this.found.delete(oldest);
			this.giveBack(left);
		}
		this.found.set(name, page);
	}
}

/** Whether the rows of a page are ordered by columns. By id they are in order, and by best match a page costs the whole search. */
function isOrdered({ sort, filters }: Query): boolean {
	return sort.length > 0 && sort[0] !== "id" && filters.name === undefined;
}
