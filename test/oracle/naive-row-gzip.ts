/** What the kernel deflate-rows.wat writes, by its description and one byte at a time. */

import { crc32 } from "node:zlib";
import type { RowFormat } from "../../engine/index.js";
import type { DeflateCode } from "../../engine/render/gzip/deflate-code.js";

const LENGTH_TABLE = 256;
const DISTANCE_TABLE = 516;
const MATCH_MIN = 4;
const DISTANCE_MAX = 32_768;
const FIELDS_MAX = 4059;
const SLOTS = 4096;

/** The gzip member of a body. Cost: some hundred nanoseconds a byte. */
export function naiveRowGzip(body: Buffer, format: RowFormat, code: DeflateCode): Buffer {
	const bits = new Bits();
	for (const byte of code.header) bits.put(byte, 8);
	bits.put(Number(code.pending), code.pendingBits);
	const put = (entry: number) => bits.put(entry & 0xffffff, entry >>> 24);
	const putMatch = (length: number, distance: number) => {
		const exponent = 31 - Math.clz32(distance - 1);
		const extraBits = exponent - 1;
		const symbol = 2 * exponent + (((distance - 1) >>> extraBits) & 1);
		for (let left = length; left > 0; ) {
			// What follows a match of 258 bytes is another, of four bytes at least.
			const take = left <= 258 ? left : left < 262 ? 255 : 258;
			put(code.tables[LENGTH_TABLE + take]);
			put(code.tables[DISTANCE_TABLE + symbol]);
			bits.put((distance - 1) & ((1 << extraBits) - 1), extraBits);
			left -= take;
		}
	};
	const slots = new Int32Array(SLOTS).fill(-1);
	let before: readonly number[] = [];
	for (let at = 0; at < body.length; ) {
		const fields = fieldsOf(body, at, format);
		const rowEnd = fields[fields.length - 1];
		for (let field = 0; at < rowEnd; ) {
			const match = (candidate: number | undefined, limit: number): number => {
				if (candidate === undefined || candidate < 0) return 0;
				const distance = at - candidate;
				const length = common(body, at, candidate, limit);
				if (length < MATCH_MIN || distance > DISTANCE_MAX || distance < MATCH_MIN) return 0;
				putMatch(length, distance);
				return length;
			};
			// The last element is no field but the end of the row.
			at += match(field < before.length - 1 ? before[field] : undefined, rowEnd);
			do field++;
			while (fields[field] < at);
			const fieldEnd = fields[field];
			if (fieldEnd - at >= MATCH_MIN) {
				const slot = Math.imul(body.readInt32LE(at), 0x9e3779b1) >>> 20;
				const candidate = slots[slot];
				slots[slot] = at;
				at += match(candidate, fieldEnd);
			}
			for (; at < fieldEnd; at++) put(code.tables[body[at]]);
		}
		before = fields;
	}
	put(code.endOfBlock);
	const trailer = Buffer.alloc(8);
	trailer.writeUInt32LE(crc32(body));
	trailer.writeUInt32LE(body.length, 4);
	return Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3), bits.end(), trailer]);
}

/** Where the fields of the row at `from` start, and where it ends. */
function fieldsOf(body: Buffer, from: number, format: RowFormat): number[] {
	const isCsv = format === "csv";
	const isComma = (at: number) => body[at] === 0x2c;
	const isField = (at: number) => isComma(at) && (isCsv || body[at + 1] === 0x22);
	const isEnd = (at: number) =>
		isCsv ? body[at] === 0x0a : (isComma(at) || body[at] === 0x0a) && body[at + 1] === 0x7b;
	const fields = [from];
	let at = from + 1;
	for (; at < body.length && !isEnd(at); at++) if (isField(at) && fields.length < FIELDS_MAX) fields.push(at);
	fields.push(at);
	return fields;
}

function common(body: Buffer, a: number, b: number, limit: number): number {
	let length = 0;
	while (a + length < limit && body[a + length] === body[b + length]) length++;
	return length;
}

/** Bits from the least significant on. */
class Bits {
	private readonly bytes: number[] = [];
	private used = 0;

	put(value: number, count: number): void {
		for (let i = 0; i < count; i++) {
			if (this.used === 0) this.bytes.push(0);
			if ((value >>> i) & 1) this.bytes[this.bytes.length - 1] |= 1 << this.used;
			this.used = (this.used + 1) % 8;
		}
	}

	end(): Buffer {
		return Buffer.from(this.bytes);
	}
}
