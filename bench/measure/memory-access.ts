/**
 * Latency of this machine's memory: the time to read one byte of a random stored row, measured in the same rounds as a
 * shape's questions. An answer makes at least one such access for each row that it renders from the row store, so a time
 * near this one is bounded by memory.
 *
 * The memory is that which the engine reads: mapped, or in huge pages.
 */

import { SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { Choices } from "../shapes/choices.js";

/** Bytes of a page of memory. Each page is read once before anything is timed, so that no access faults. */
const PAGE_BYTES = 4096;
/** Stream of choices that no shape has. */
const STREAM = 1_000_000;

export class MemoryAccess {
	/** Depends on every byte read, so that the compiler does not remove the reads. */
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
