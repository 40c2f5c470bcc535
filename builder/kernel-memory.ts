/**
 * Memory of the builder's WebAssembly modules, whose parts are placed one after the other. A thread that was refused memory
 * once does not ask for as much again, which may take a second.
 */

import { openModule } from "../engine/kernels/open-module.js";

const ALIGNMENT = 64;

/** Fewest bytes that this thread was refused, if it was not the module that it cannot run. */
let refusedBytes = Number.POSITIVE_INFINITY;

/** Where the parts of a memory are. */
export class MemoryLayout {
	/** Bytes of all parts. */
	bytes = 0;

	/** Address of the next part, of `size` bytes. */
	place(size: number): number {
		const at = this.bytes;
		this.bytes = Math.ceil((at + size) / ALIGNMENT) * ALIGNMENT;
		return at;
	}
}

/** As openModule. */
export function openKernel<Exports>(base64: string, bytes: number) {
	if (bytes >= refusedBytes) return null;
	const opened = openModule<Exports>(base64, bytes);
	if (opened === null) refusedBytes = bytes;
	return opened;
}
