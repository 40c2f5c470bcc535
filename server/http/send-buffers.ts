/**
 * Buffers that responses are assembled in before the kernel takes them. They are reused: allocating a
 * fresh one for each response costs more than everything else about sending it, since memory outside
 * the JavaScript heap drives garbage collection.
 *
 * Invariant: a buffer is given back only once nothing reads it any more: the kernel has taken its bytes,
 * or the handle of the socket that was sending it is closed.
 */

const SMALLEST_BYTES = 16 * 1024;
/** Larger responses get a buffer of their own, which is not kept. */
const LARGEST_BYTES = 4 * 1024 * 1024;
/** Bytes of free buffers that a thread keeps. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;

export class SendBuffers {
	/** Free buffers by size class: 16 KiB, 32 KiB, … */
	private readonly free: Buffer[][] = [];
	private keptBytes = 0;

	/** A buffer of at least `bytes`. Its content is arbitrary. */
	take(bytes: number): Buffer {
		if (bytes > LARGEST_BYTES) return Buffer.allocUnsafeSlow(bytes);
		const sizeClass = classOf(bytes);
		const found = this.free[sizeClass]?.pop();
		if (found === undefined) return Buffer.allocUnsafeSlow(SMALLEST_BYTES << sizeClass);
		this.keptBytes -= found.length;
		return found;
	}

	/** Takes back a buffer of {@link take}. */
	give(buffer: Buffer): void {
		if (buffer.length > LARGEST_BYTES || this.keptBytes + buffer.length > KEPT_BYTES_MAX) return;
		this.keptBytes += buffer.length;
		const sizeClass = classOf(buffer.length);
		this.free[sizeClass] ??= [];
		this.free[sizeClass].push(buffer);
	}
}

function classOf(bytes: number): number {
	return bytes <= SMALLEST_BYTES ? 0 : 32 - Math.clz32((bytes - 1) >> 14);
}
