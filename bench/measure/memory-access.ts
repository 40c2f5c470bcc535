/**
 * What this machine charges for memory: the time to read one byte of a random stored row, measured in the rounds of a
 * shape's questions. An answer reads at least one such place for each of its rows, wherever indexes and code are; so this
 * tells which part of a time no other code could save.
 *
 * The rows are mapped again for it, so that no answer has its memory in use from here, nor the other way round.
 */

import { SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { Choices } from "../shapes/choices.js";

/** Bytes of a page of memory, of which each is read once before anything is timed. */
const PAGE_BYTES = 4096;
/** Stream of choices that no shape has. */
const STREAM = 1_000_000;

export class MemoryAccess {
	/** Of all bytes read, so that the compiler does not remove the reads. */
	private sum = 0;

	private constructor(
		private readonly heaps: readonly Uint8Array[],
		private readonly choices: Choices,
	) {
		for (const heap of heaps) for (let at = 0; at < heap.length; at += PAGE_BYTES) this.sum ^= heap[at];
	}

	/** Over the stored rows of a month; null where it has none. Cost O(bytes of them). */
	static open(dataFolder: string, month: string, seed: number): MemoryAccess | null {
		const store = SnapshotFiles.open(snapshotFolder(dataFolder, month)).openRowStore();
		if (store === null) return null;
		const heaps = store.segments.map(({ heap }) => heap).filter(({ length }) => length > 0);
		return new MemoryAccess(heaps, new Choices(seed, STREAM));
	}

	/** Milliseconds of one access. */
	time(): number {
		const heap = this.choices.pick(this.heaps);
		const at = this.choices.below(heap.length);
		const begun = performance.now();
		this.sum ^= heap[at];
		return performance.now() - begun;
	}
}
