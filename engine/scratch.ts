/**
 * Working memory of queries, allocated once for the largest snapshot and reused by every query: a query
 * leaves no garbage proportional to its rows.
 *
 * Not reentrant: one query at a time, which holds since a query never awaits.
 */

import { bitmapWords, type Range } from "../formats/index.js";
import { BitmapMemory } from "./kernels/simd.js";
import { Trace } from "./trace.js";

/** How much queries have read. Counted per kernel call, not per element. */
export class Work {
	/** Elements of codes, postings, indexes and bitmap words read. */
	elements = 0;

	add(elements: number): void {
		this.elements += elements;
	}

	reset(): void {
		this.elements = 0;
	}
}

/** Bitmaps in WebAssembly memory: two for the selection, and one for each of the first four sort columns. */
const BITMAPS = 6;

export class Scratch {
	/** What queries have read since the last reset. */
	readonly work = new Work();
	/** What the order step did, while tracing is on. */
	readonly trace = new Trace();
	/** Rows a scratch list or bitmap can hold. */
	rows = 0;
	/** The selection as a bitmap. Written after {@link beginSelection}, so that it is zero elsewhere. */
	selected: Uint32Array = new Uint32Array(0);
	private written: Range = { from: 0, to: 0 };
	/** A predicate's bitmap before it is combined. */
	predicate: Uint32Array = new Uint32Array(0);
	/** Rows of the selection, as a list. */
	list = new Uint32Array(0);
	/** Lists that top-N selection partitions off. */
	readonly arena = new RowArena();
	/** The page's rows. */
	readonly page = new Uint32Array(PAGE_ROWS_MAX);
	/** A set of codes as a bitmap. A column has at most as many codes as the snapshot has rows, and that of null. */
	codeSet = new Uint32Array(0);
	private peerBitmaps: Uint32Array[] = [];
	private memory: BitmapMemory | null = null;

	/** `allocate` returns memory in which bitmaps are counted with SIMD, or null. */
	constructor(private readonly allocate: typeof BitmapMemory.allocate = BitmapMemory.allocate) {}

	/** Makes room for snapshots of `rows` rows. */
	fit(rows: number): void {
		if (rows <= this.rows) return;
		this.rows = rows;
		this.memory = this.allocate(bitmapWords(rows), BITMAPS);
		this.selected = this.newBitmap();
		this.predicate = this.newBitmap();
		this.list = new Uint32Array(rows);
		this.codeSet = new Uint32Array(bitmapWords(rows + 1));
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

	/** The bitmap of the peers of sort column `depth`. */
	peerBitmap(depth: number): Uint32Array {
		this.peerBitmaps[depth] ??= this.newBitmap();
		return this.peerBitmaps[depth];
	}

	private newBitmap(): Uint32Array {
		return this.memory?.take() ?? new Uint32Array(bitmapWords(this.rows));
	}
}

/** Rows of the largest page; the API allows 1,000, and 100,000 by a cursor. */
export const PAGE_ROWS_MAX = 100_000;

/** A stack of row lists, released in reverse order. */
export class RowArena {
	private words = new Uint32Array(1 << 16);
	private used = 0;

	/** A list of `length` rows, valid until `release` of a mark taken before it. */
	take(length: number): Uint32Array {
		if (this.used + length > this.words.length) {
			// Lists taken before keep the old memory alive until they are released.
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
