/**
 * Memory that queries work in, allocated once for the largest snapshot and used again by every
 * query: a query leaves no garbage that grows with its rows.
 *
 * Not reentrant: one query at a time, which holds since a query never awaits.
 */

import { bitmapWords, type Range } from "../formats/index.js";
import { BitmapMemory } from "./kernels/simd.js";
import { Trace } from "./trace.js";

/** How much a query has read, for those who ask why it is fast or slow. Counted by loop, not by element. */
export class Work {
	/** Elements of codes, postings, orders and bitmap words read. */
	elements = 0;

	add(elements: number): void {
		this.elements += elements;
	}

	reset(): void {
		this.elements = 0;
	}
}

/** Bitmaps in a memory where they are counted fast: two of the selection, and of groups as deep as most sorts are. */
const BITMAPS = 6;

export class Scratch {
	/** What queries have read since it was last reset. */
	readonly work = new Work();
	/** What the order step did, where somebody asks. */
	readonly trace = new Trace();
	/** Rows a scratch list or bitmap can hold. */
	rows = 0;
	/** The selection, as a bitmap. Written through {@link beginSelection}, so that it is zero outside of it. */
	selected: Uint32Array = new Uint32Array(0);
	private written: Range = { from: 0, to: 0 };
	/** A predicate's bitmap before it is combined. */
	predicate: Uint32Array = new Uint32Array(0);
	/** Rows of the selection, as a list. */
	list = new Uint32Array(0);
	/** Lists that selecting a page splits off. */
	readonly arena = new RowArena();
	/** The page's rows. */
	readonly page = new Uint32Array(PAGE_ROWS_MAX);
	private peerBitmaps: Uint32Array[] = [];
	private memory: BitmapMemory | null = null;

	/** `allocate` gives the memory that bitmaps are counted fast in; null where there is none. */
	constructor(private readonly allocate: typeof BitmapMemory.allocate = BitmapMemory.allocate) {}

	/** Makes room for snapshots of `rows` rows. */
	fit(rows: number): void {
		if (rows <= this.rows) return;
		this.rows = rows;
		this.memory = this.allocate(bitmapWords(rows), BITMAPS);
		this.selected = this.newBitmap();
		this.predicate = this.newBitmap();
		this.list = new Uint32Array(rows);
		this.peerBitmaps = [];
		this.written = { from: 0, to: 0 };
	}

	/**
	 * Declares that a range of words of `selected` is about to be overwritten. Clears what an earlier
	 * selection left outside of it, since an index scan tests rows anywhere.
	 */
	beginSelection({ from, to }: Range): void {
		const { written } = this;
		this.selected.fill(0, written.from, Math.min(written.to, from));
		this.selected.fill(0, Math.max(written.from, to), written.to);
		this.written = { from, to };
	}

	/** The bitmap that a sort of `depth` columns narrows to, one a depth. */
	peerBitmap(depth: number): Uint32Array {
		this.peerBitmaps[depth] ??= this.newBitmap();
		return this.peerBitmaps[depth];
	}

	private newBitmap(): Uint32Array {
		return this.memory?.take() ?? new Uint32Array(bitmapWords(this.rows));
	}
}

/** Most rows of one page; the API allows 1,000. */
export const PAGE_ROWS_MAX = 65_536;

/** A stack of row lists: lists are taken in order and given back in reverse. */
export class RowArena {
	private words = new Uint32Array(1 << 16);
	private used = 0;

	/** A list of `length` words, valid until `release(mark)` of a mark taken before. */
	take(length: number): Uint32Array {
		if (this.used + length > this.words.length) {
			// Lists already taken keep the old memory alive until they are released.
			this.words = new Uint32Array(Math.max(this.words.length * 2, length * 2));
			this.used = 0;
		}
		const list = this.words.subarray(this.used, this.used + length);
		this.used += length;
		return list;
	}

	mark(): number {
		return this.used;
	}

	release(mark: number): void {
		this.used = mark;
	}
}
