/**
 * WebAssembly memory in which kernels/sort-strings.wat sorts byte strings, 29 bytes each beside their own. A worker keeps
 * it for the next column: memory that the system gives anew costs more than sorting in it.
 */

import { randomInt } from "node:crypto";
import { isMainThread } from "node:worker_threads";
import { MemoryLayout, openKernel } from "../kernel-memory.js";
import { SORT_STRINGS_MODULE } from "./kernels/generated/sort-strings.js";

/** Bytes of the module's counts, and those past the heap's end that it reads. */
const COUNT_BYTES = 8192;
const READ_PAST_BYTES = 16;

interface Exports {
	/** sort-strings.wat says what it does. */
	readonly sort: (...addressesSeedAndCount: number[]) => void;
}

interface Instance {
	readonly memory: ArrayBuffer;
	readonly exports: Exports;
}

/** The memory that this worker keeps. */
let kept: Instance | null = null;

export class SortMemory {
	/** Strings to sort, to be written by the caller: string i occupies heap[offsets[i], offsets[i + 1]). */
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
	/** By position, once sorted: the index of the string, and 1 if it equals the one before it. */
	readonly order: Uint32Array;
	readonly same: Uint8Array;
	private readonly addresses: readonly number[];

	private constructor(
		private readonly instance: Instance,
		private readonly count: number,
		layout: Layout,
	) {
		const { memory } = instance;
		this.offsets = new Uint32Array(memory, layout.offsets, count + 1);
		this.heap = new Uint8Array(memory, layout.heap, layout.bytes - layout.heap);
		this.order = new Uint32Array(memory, layout.order, count);
		this.same = new Uint8Array(memory, layout.same, count);
		const { offsets, heap, order, keys, spareOrder, spareKeys, same, counts } = layout;
		this.addresses = [offsets, heap, order, keys, spareOrder, spareKeys, same, counts];
	}

	/**
	 * Memory for `count` > 0 strings of `bytes` bytes in all, valid until the next call; null where this process cannot
	 * run the module or allocate it.
	 */
	static of(count: number, bytes: number): SortMemory | null {
		const layout = layoutOf(count, bytes);
		const isKept = kept !== null && kept.memory.byteLength >= layout.bytes;
		const instance = isKept ? kept : openKernel<Exports>(SORT_STRINGS_MODULE, layout.bytes);
		if (instance === null) return null;
		if (!isMainThread) kept = instance;
		return new SortMemory(instance, count, layout);
	}

	/** Sorts the strings by their bytes, equal ones in any order. Cost about O(total bytes). */
	sort(): void {
		this.same.fill(0);
		this.instance.exports.sort(...this.addresses, randomInt(2 ** 31), this.count);
	}
}

type Layout = ReturnType<typeof layoutOf>;

function layoutOf(count: number, bytes: number) {
	const layout = new MemoryLayout();
	const counts = layout.place(COUNT_BYTES);
	const offsets = layout.place(4 * (count + 1));
	const [order, spareOrder] = [layout.place(4 * count), layout.place(4 * count)];
	const [keys, spareKeys] = [layout.place(8 * count), layout.place(8 * count)];
	const same = layout.place(count);
	const heap = layout.place(bytes + READ_PAST_BYTES);
	return { counts, offsets, order, spareOrder, keys, spareKeys, same, heap, bytes: layout.bytes };
}
