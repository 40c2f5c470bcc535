/**
 * Opens the builder's WebAssembly modules. A thread in which an allocation failed does not try one as large again, since a
 * failure may take a second.
 */

import { openModule } from "../engine/kernels/open-module.js";

const ALIGNMENT = 64;

/** Size of the smallest allocation that failed in this thread. */
let failedBytes = Number.POSITIVE_INFINITY;

/** A bump allocator of addresses in a module's memory. */
export class MemoryLayout {
	/** Bytes allocated. */
	bytes = 0;

	/** Allocates `size` bytes; returns their address. */
	place(size: number): number {
		const at = this.bytes;
		this.bytes = Math.ceil((at + size) / ALIGNMENT) * ALIGNMENT;
		return at;
	}
}

/** The exports of the module in `base64` and its memory, of at least `bytes` bytes; null as for {@link openModule}. */
export function openKernel<Exports>(base64: string, bytes: number) {
	if (bytes >= failedBytes) return null;
	const opened = openModule<Exports>(base64, bytes);
	if (opened === null) failedBytes = bytes;
	return opened;
}
