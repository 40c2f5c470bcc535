/**
 * Divides a source into chunks of equal size, each with a look-ahead into the bytes that follow, so that a
 * record that begins in a chunk can be completed from its buffer.
 *
 * A buffer contains the chunk's own bytes, then up to {@link LOOKAHEAD_BYTES} of the next chunk. Buffers are
 * shared memory, reused once released. Chunks remain readable until released, so a look-ahead can be lengthened
 * ({@link ChunkReader.lengthen}).
 */

import { invariant } from "../../formats/errors.js";
import type { ByteReader } from "./byte-reader.js";

const LOOKAHEAD_BYTES = 1 << 16;

export interface Chunk {
	/** Position of the chunk's first byte in the source, after decoding. */
	readonly offset: number;
	/** Own bytes; the look-ahead follows them. */
	readonly bytes: number;
	/** Bytes in the buffer, including the look-ahead. */
	readonly held: number;
	/** Whether the source ends with these bytes. */
	readonly final: boolean;
	readonly buffer: SharedArrayBuffer;
}

/** Reusable buffers of one size. */
export class ChunkBuffers {
	private readonly free: SharedArrayBuffer[] = [];
	readonly lookahead: number;

	/** `chunkBytes` ≥ 1: own bytes of every chunk except a source's last. */
	constructor(readonly chunkBytes: number) {
		this.lookahead = Math.min(LOOKAHEAD_BYTES, chunkBytes);
	}

	take(): SharedArrayBuffer {
		return this.free.pop() ?? new SharedArrayBuffer(this.chunkBytes + this.lookahead);
	}

	giveBack(buffer: SharedArrayBuffer): void {
		this.free.push(buffer);
	}
}

export class ChunkReader {
	/** Chunks read and not released, by offset. */
	private readonly window: Chunk[] = [];
	/** How many of `window` were returned by {@link next}. */
	private given = 0;
	private ended = false;
	/** Position after the own bytes of the last chunk read. */
	private readEnd = 0;
	/** The last chunk's look-ahead, which begins the next chunk. */
	private carried = new Uint8Array(0);

	constructor(
		private readonly source: Pick<ByteReader, "read">,
		private readonly buffers: ChunkBuffers,
	) {}

	/** The next chunk; null after the last. An empty source has none. */
	async next(): Promise<Chunk | null> {
		if (this.given === this.window.length) await this.readChunk();
		return this.given < this.window.length ? this.window[this.given++] : null;
	}

	/** The same chunk in another buffer of at least twice the bytes, reading more of the source if necessary. */
	async lengthen(chunk: Chunk): Promise<Chunk> {
		const first = this.window.findIndex((other) => other.offset === chunk.offset);
		invariant(first >= 0, "a chunk is lengthened before its release");
		const buffer = new SharedArrayBuffer(2 * chunk.held);
		const target = new Uint8Array(buffer);
		let held = 0;
		let last = first;
		while (held < 2 * chunk.held) {
			if (last === this.window.length) await this.readChunk();
			if (last === this.window.length) break;
			const piece = this.window[last++];
			const length = Math.min(piece.bytes, 2 * chunk.held - held);
			target.set(new Uint8Array(piece.buffer, 0, length), held);
			held += length;
		}
		const final = this.ended && held === this.heldFrom(first);
		return { offset: chunk.offset, bytes: chunk.bytes, held, final, buffer };
	}

	/** Releases the oldest chunk, which must be `chunk` as returned by {@link next}. */
	release(chunk: Chunk): void {
		invariant(this.window[0]?.offset === chunk.offset && this.given > 0, "chunks are released in order");
		this.buffers.giveBack(this.window[0].buffer);
		this.window.shift();
		this.given--;
	}

	/** Bytes from the chunk at `index` of the window to the last byte read. */
	private heldFrom(index: number): number {
		const last = this.window[this.window.length - 1];
		return last.offset + last.held - this.window[index].offset;
	}

	private async readChunk(): Promise<void> {
		const { chunkBytes, lookahead } = this.buffers;
		const buffer = this.buffers.take();
		const target = new Uint8Array(buffer, 0, chunkBytes + lookahead);
		target.set(this.carried);
		const carried = this.carried.length;
		const held = this.ended ? carried : carried + (await this.source.read(target.subarray(carried)));
		this.ended = held < target.length;
		if (held === 0) return this.buffers.giveBack(buffer);
		const bytes = Math.min(held, chunkBytes);
		this.carried = target.slice(bytes, held);
		this.window.push({ offset: this.readEnd, bytes, held, final: this.ended, buffer });
		this.readEnd += bytes;
	}
}
