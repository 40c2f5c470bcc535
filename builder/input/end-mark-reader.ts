/**
 * Another reader's bytes without an end-of-file mark of CP/M and DOS, Ctrl-Z, after which there are only line ends and
 * more of them. Elsewhere it is a character like any other. Nothing is copied but the few bytes that are read ahead where
 * a buffer ends with a mark.
 */

import type { ByteReader } from "./byte-reader.js";

const CTRL_Z = 0x1a;
const LF = 0x0a;
const CR = 0x0d;
/** Bytes read ahead: more than may follow a mark. */
const AHEAD_BYTES = 16;

export class EndMarkReader {
	/** Whether the source ended with a mark; known at its end. */
	found = false;
	private ahead = new Uint8Array(0);

	constructor(private readonly source: Pick<ByteReader, "read">) {}

	/** Fills `target` completely unless the source ends. Throws as the source's `read` does. */
	async read(target: Uint8Array): Promise<number> {
		const carried = Math.min(this.ahead.length, target.length);
		target.set(this.ahead.subarray(0, carried));
		this.ahead = this.ahead.slice(carried);
		const filled = carried + (await this.source.read(target.subarray(carried)));
		const end = endBeforeMark(target, filled);
		if (end === filled) return filled;
		if (filled === target.length && !(await this.endsAfter())) return filled;
		this.found = true;
		return end;
	}

	/** Whether nothing but line ends and marks follows, which are then dropped. */
	private async endsAfter(): Promise<boolean> {
		const ahead = new Uint8Array(AHEAD_BYTES);
		ahead.set(this.ahead);
		const held = this.ahead.length + (await this.source.read(ahead.subarray(this.ahead.length)));
		const isEnd = held < AHEAD_BYTES && ahead.subarray(0, held).every(isEndByte);
		this.ahead = ahead.slice(0, isEnd ? 0 : held);
		return isEnd;
	}
}

function isEndByte(byte: number): boolean {
	return byte === CTRL_Z || byte === LF || byte === CR;
}

/** Where the marks and line ends that end bytes[0, end) begin with a mark; `end` if there is none. */
function endBeforeMark(bytes: Uint8Array, end: number): number {
	let before = end;
	for (let at = end; at > 0 && isEndByte(bytes[at - 1]); at--) if (bytes[at - 1] === CTRL_Z) before = at - 1;
	return before;
}
