/**
 * WebAssembly memory in which kernels/sort-strings.wat sorts byte strings, 29 bytes each beside their own. A worker keeps
 * it for the next column: memory that the system gives anew costs more than sorting in it.
 */

import { randomInt } from "node:crypto";
import { isMainThread } from "node:worker_threads";
import { SORT_STRINGS_MODULE } from "./kernels/generated/sort-strings.js";

const PAGE_BYTES = 65_536;
/** The most that a module can address. */
const MEMORY_BYTES_MAX = 2 ** 32;
/** Bytes of the module's counts, and those past the heap's end that it reads. */
const COUNT_BYTES = 8192;
const READ_PAST_BYTES = 16;
const ALIGNMENT = 16;

/** The part of WebAssembly's interface that is used here; the language's types do not declare it. */
declare const WebAssembly: {
	readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (module: object, imports: object) => { readonly exports: Exports };
};

interface Exports {
	/** sort-strings.wat says what it does. */
	readonly sort: (...addressesSeedAndCount: number[]) => void;
}

interface Room {
	readonly buffer: ArrayBuffer;
	readonly exports: Exports;
}

/** The memory that this worker keeps. */
let kept: Room | null = null;
/** Whether this thread cannot run the module or allocate its memory; it is not tried again, which may take a second. */
let isRefused = false;

export class SortMemory {
	/** Strings to sort, to be written by the caller: string i occupies heap[offsets[i], offsets[i + 1]). */
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
	/** By position, once sorted: the index of the string, and 1 if it equals the one before it. */
	readonly order: Uint32Array;
	readonly same: Uint8Array;
	private readonly addresses: readonly number[];

	private constructor(
		private readonly room: Room,
		private readonly count: number,
		layout: Layout,
	) {
		const { buffer } = room;
		this.offsets = new Uint32Array(buffer, layout.offsets, count + 1);
		this.heap = new Uint8Array(buffer, layout.heap, layout.end - layout.heap);
		this.order = new Uint32Array(buffer, layout.order, count);
		this.same = new Uint8Array(buffer, layout.same, count);
		const { offsets, heap, order, keys, spareOrder, spareKeys, same, counts } = layout;
		this.addresses = [offsets, heap, order, keys, spareOrder, spareKeys, same, counts];
	}

	/**
	 * Memory for `count` > 0 strings of `bytes` bytes in all, valid until the next call; null where this process cannot
	 * run the module or allocate it.
	 */
	static of(count: number, bytes: number): SortMemory | null {
		const layout = layoutOf(count, bytes);
		const isKept = kept !== null && kept.buffer.byteLength >= layout.end;
		const room = isKept ? kept : allocate(layout.end);
		if (room === null) return null;
		if (!isMainThread) kept = room;
		return new SortMemory(room, count, layout);
	}

	/** Sorts the strings by their bytes, equal ones in any order. Cost about O(total bytes). */
	sort(): void {
		this.same.fill(0);
		this.room.exports.sort(...this.addresses, randomInt(2 ** 31), this.count);
	}
}

type Layout = ReturnType<typeof layoutOf>;

function layoutOf(count: number, bytes: number) {
	let end = 0;
	const place = (size: number) => {
		const at = end;
		end = Math.ceil((at + size) / ALIGNMENT) * ALIGNMENT;
		return at;
	};
	const counts = place(COUNT_BYTES);
	const offsets = place(4 * (count + 1));
	const [order, spareOrder] = [place(4 * count), place(4 * count)];
	const [keys, spareKeys] = [place(8 * count), place(8 * count)];
	const same = place(count);
	const heap = place(bytes + READ_PAST_BYTES);
	return { counts, offsets, order, spareOrder, keys, spareKeys, same, heap, end };
}

function allocate(bytes: number): Room | null {
	if (isRefused || bytes > MEMORY_BYTES_MAX) return null;
	try {
		const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
		const module = new WebAssembly.Module(Buffer.from(SORT_STRINGS_MODULE, "base64"));
		const { exports } = new WebAssembly.Instance(module, { host: { memory } });
		return { buffer: memory.buffer, exports };
	} catch (error) {
		// Node may run without a compiler for it, on a processor without SIMD, or with a limit on address space.
		isRefused = ["RangeError", "ReferenceError", "CompileError"].includes((error as Error).name);
		if (isRefused) return null;
		throw error;
	}
}
