/**
 * Reads the frame headers of a zstd stream as it passes (RFC 8878 §3.1): to refuse a frame that would
 * make the decoder allocate gigabytes, which thirteen bytes can claim, and to know how many bytes the
 * frames declare, which the decoded bytes are compared with.
 *
 * Frame: magic, descriptor, window and content sizes; blocks, each with a header of three bytes; a
 * checksum, if the descriptor says so. What is no frame is left to the decoder to refuse.
 */

import { BuildError } from "../errors.js";

/** Largest window: what other decoders take by themselves. */
const WINDOW_BYTES_MAX = 2 ** 27;

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_BYTES = [0, 1, 2, 4];
const BLOCK = { runLength: 1, reserved: 3 } as const;

type Part = "magic" | "skippable" | "descriptor" | "sizes" | "block" | "unknown";
const PART_BYTES = { magic: 4, skippable: 4, descriptor: 1, sizes: 0, block: 3, unknown: 0 } as const;

export class ZstdFrames {
	/** Frames that have passed. */
	ended = 0;
	/** Decoded bytes that the headers of all frames so far declare; null: one of them does not say. */
	declaredBytes: number | null = 0;
	private part: Part = "magic";
	private needed: number = PART_BYTES.magic;
	/** Bytes of the part so far. */
	private readonly held: number[] = [];
	private skip = 0;
	private descriptor = 0;

	constructor(private readonly file: string) {}

	/** Whether the stream may end here: no frame has begun that has not ended. */
	get betweenFrames(): boolean {
		return this.part === "magic" && this.held.length === 0;
	}

	/** Reads the next bytes. Throws {@link BuildError} `limit_exceeded`. Cost O(frames and blocks in them). */
	push(bytes: Uint8Array): void {
		for (let at = 0; at < bytes.length && this.part !== "unknown"; ) {
			const skipped = Math.min(this.skip, bytes.length - at);
			this.skip -= skipped;
			at += skipped;
			while (at < bytes.length && this.held.length < this.needed) this.held.push(bytes[at++]);
			while (this.skip === 0 && this.held.length === this.needed && this.finish());
		}
	}

	private expect(part: Part, needed: number = PART_BYTES[part]): void {
		this.part = part;
		this.needed = needed;
		this.held.length = 0;
	}

	/** Evaluates the part that is complete and expects the next. False where there is none. */
	private finish(): boolean {
		const value = number(this.held);
		switch (this.part) {
			case "magic":
				if (value === MAGIC) this.expect("descriptor");
				else this.expect(value - (value % 16) === SKIPPABLE_MAGIC ? "skippable" : "unknown");
				break;
			case "skippable":
				this.skip = value;
				this.ended++;
				this.expect("magic");
				break;
			case "descriptor": {
				this.descriptor = value;
				this.expect("sizes", this.windowBytes() + DICTIONARY_BYTES[value & 3] + this.contentBytes());
				break;
			}
			case "sizes": {
				const declared = this.declaredOfFrame();
				this.checkWindow(declared);
				const sum = this.declaredBytes;
				this.declaredBytes = sum === null || declared === null ? null : sum + declared;
				this.expect("block");
				break;
			}
			case "block":
				this.block(value);
				break;
			case "unknown":
				return false;
		}
		return true;
	}

	private get singleSegment(): boolean {
		return (this.descriptor & 0x20) !== 0;
	}

	private windowBytes(): number {
		return this.singleSegment ? 0 : 1;
	}

	private contentBytes(): number {
		return [this.singleSegment ? 1 : 0, 2, 4, 8][this.descriptor >> 6];
	}

	/** Decoded bytes of the frame, where its header declares them. A field of two bytes counts from 256. */
	private declaredOfFrame(): number | null {
		const bytes = this.contentBytes();
		if (bytes === 0) return null;
		return number(this.held.slice(this.held.length - bytes)) + (bytes === 2 ? 256 : 0);
	}

	/** A frame in a single segment has its content for a window. */
	private checkWindow(declared: number | null): void {
		const { held } = this;
		const exponent = 10 + (held[0] >> 3);
		const window = this.singleSegment ? (declared ?? 0) : 2 ** exponent + (2 ** exponent / 8) * (held[0] & 7);
		if (window <= WINDOW_BYTES_MAX) return;
		const rule = `its zstd window is larger than ${WINDOW_BYTES_MAX >> 20} MiB; compress it without --long`;
		throw new BuildError("limit_exceeded", rule, { file: this.file });
	}

	private block(header: number): void {
		const isLast = (header & 1) === 1;
		const type = (header >> 1) & 3;
		if (type === BLOCK.reserved) {
			this.expect("unknown");
			return;
		}
		const hasChecksum = (this.descriptor & 4) !== 0;
		this.skip = (type === BLOCK.runLength ? 1 : header >> 3) + (isLast && hasChecksum ? 4 : 0);
		if (isLast) this.ended++;
		this.expect(isLast ? "magic" : "block");
	}
}

/** A number of up to eight bytes, the least first. */
function number(bytes: readonly number[]): number {
	return bytes.reduce((sum, byte, i) => sum + byte * 2 ** (8 * i), 0);
}
