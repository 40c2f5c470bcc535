/**
 * Cursors: a position in a whole result, as text that a client sends back to continue.
 *
 * ```
 * version 1 | list 1 | months × (month 2, digest 4) | grant 8 | position: words of 4 | query | MAC 16
 * version 2 | list 1 | months × (month 2, digest 4) | position: words of 4 | hash of query and grant 8 | MAC 8
 * ```
 *
 * Numbers are big-endian; the whole is base64url. The query is the text of its parameters, or, if that does not
 * fit, the first 16 bytes of its SHA-256: the client then sends the parameters again. Version 2 is short, for
 * the contexts of agents: it never contains the query.
 *
 * Invariants: at most {@link CURSOR_LENGTH_MAX} characters. The MAC is HMAC-SHA256 over all bytes before it,
 * with a secret of the store, so only this service can create cursors; they are valid on all of its hosts and
 * after restarts.
 */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { monthNumber, monthOfNumber, VALUE_LENGTH_MAX } from "../../../formats/index.js";

/** Maximum characters of a cursor: those of any parameter. A query of 700 bytes fits, such as one of all columns. */
export const CURSOR_LENGTH_MAX = VALUE_LENGTH_MAX;

const VERSION = 1;
const HEAD_BYTES = 2;
const MONTH_BYTES = 6;
const GRANT_BYTES = 8;
const WORD_BYTES = 4;
const MAC_BYTES = 16;
const QUERY_HASH_BYTES = 16;
const CURSOR_BYTES_MAX = Math.floor((CURSOR_LENGTH_MAX * 3) / 4);
const SHORT_VERSION = 2;
/** Bytes of the hash and of the MAC: forging a cursor by trial takes 2^63 requests. */
const SHORT_HASH_BYTES = 8;
const SHORT_MAC_BYTES = 8;
/** Flag in the byte of the list: the query is a hash. */
const HASHED = 0x80;

/** Lists that have cursors: the code of each, how many months it reads, and the words of a position in it. */
const CURSOR_LISTS = {
	licenses: { code: 1, months: 1, words: 2 },
	changes: { code: 2, months: 2, words: 3 },
	aggregate: { code: 3, months: 1, words: 4 },
	offices: { code: 4, months: 1, words: 4 },
} as const satisfies Record<string, { code: number; months: number; words: number }>;

export type CursorList = keyof typeof CURSOR_LISTS;

/** A snapshot that a cursor refers to. */
export interface CursorMonth {
	/** `YYYY-MM`. */
	readonly month: string;
	/** Eight hexadecimal digits. */
	readonly digest: string;
}

export interface Cursor {
	readonly list: CursorList;
	readonly months: readonly CursorMonth[];
	/** Identifies the cursor's grant; see {@link Cursors.grantOf}. */
	readonly grant: string;
	/** Numbers below 2^32 that identify a position in the list. */
	readonly position: readonly number[];
	/** Text of the query's parameters. */
	readonly query: string;
}

/** A decoded cursor. */
export interface OpenedCursor extends Omit<Cursor, "query"> {
	/** Null if the cursor contains only its hash. */
	readonly query: string | null;
	/** Whether the cursor belongs to this query. */
	isOf(query: string): boolean;
}

/** A position in a list, without the query. */
export type CursorPosition = Pick<Cursor, "list" | "months" | "position">;

export class Cursors {
	/** `secret` is called for every cursor. */
	constructor(private readonly secret: () => Uint8Array) {}

	/** Identifies a grant in cursors, given its tag. */
	grantOf(tag: string): string {
		return sha256(tag).toString("hex", 0, GRANT_BYTES);
	}

	/** The text of a cursor. Cost: one HMAC, a few microseconds. */
	write({ list, months, grant, position, query }: Cursor): string {
		const { code } = CURSOR_LISTS[list];
		const before = HEAD_BYTES + months.length * MONTH_BYTES + GRANT_BYTES + position.length * WORD_BYTES;
		const inline = Buffer.from(query);
		const isHashed = before + inline.length + MAC_BYTES > CURSOR_BYTES_MAX;
		const carried = isHashed ? sha256(query).subarray(0, QUERY_HASH_BYTES) : inline;
		const bytes = Buffer.alloc(before + carried.length);
		let at = bytes.writeUInt8(VERSION);
		at = bytes.writeUInt8(code | (isHashed ? HASHED : 0), at);
		at = writeMonths(bytes, at, months);
		at += bytes.write(grant, at, "hex");
		at = writePosition(bytes, at, position);
		bytes.set(carried, at);
		return Buffer.concat([bytes, this.mac(bytes)]).toString("base64url");
	}

	/** Decodes `text`; null unless it is a cursor of `list` returned by {@link write}. */
	read(list: CursorList, text: string): OpenedCursor | null {
		if (text.length > CURSOR_LENGTH_MAX) return null;
		const whole = Buffer.from(text, "base64url");
		// Decoding ignores characters outside the alphabet, and bits after the last byte.
		if (whole.length < HEAD_BYTES + MAC_BYTES || whole.toString("base64url") !== text) return null;
		const bytes = whole.subarray(0, -MAC_BYTES);
		if (!timingSafeEqual(this.mac(bytes), whole.subarray(-MAC_BYTES))) return null;
		const { code, months, words } = CURSOR_LISTS[list];
		if (bytes[0] !== VERSION || (bytes[1] & ~HASHED) !== code) return null;
		const grantAt = HEAD_BYTES + months * MONTH_BYTES;
		const positionAt = grantAt + GRANT_BYTES;
		const read = {
			list,
			months: readMonths(bytes, HEAD_BYTES, months),
			grant: bytes.toString("hex", grantAt, positionAt),
			position: readPosition(bytes, positionAt, words),
		};
		const carried = bytes.subarray(positionAt + words * WORD_BYTES);
		if ((bytes[1] & HASHED) === 0) {
			const query = carried.toString();
			return { ...read, query, isOf: (other) => other === query };
		}
		const isOf = (other: string) => sha256(other).subarray(0, QUERY_HASH_BYTES).equals(carried);
		return { ...read, query: null, isOf };
	}

	/**
	 * The text of a short cursor, for a query that the client sends again with it. `subject` is a text that
	 * differs between queries and between grants.
	 */
	writeShort({ list, months, position }: CursorPosition, subject: string): string {
		const before = HEAD_BYTES + months.length * MONTH_BYTES + position.length * WORD_BYTES;
		const bytes = Buffer.alloc(before + SHORT_HASH_BYTES);
		let at = bytes.writeUInt8(SHORT_VERSION);
		at = bytes.writeUInt8(CURSOR_LISTS[list].code, at);
		at = writeMonths(bytes, at, months);
		at = writePosition(bytes, at, position);
		sha256(subject).copy(bytes, at, 0, SHORT_HASH_BYTES);
		return Buffer.concat([bytes, this.mac(bytes).subarray(0, SHORT_MAC_BYTES)]).toString("base64url");
	}

	/**
	 * The position of a short cursor; `unknown` for a text that {@link writeShort} did not return, `other` for
	 * a cursor of another subject.
	 */
	readShort(list: CursorList, text: string, subject: string): CursorPosition | "unknown" | "other" {
		if (text.length > CURSOR_LENGTH_MAX) return "unknown";
		const { code, months, words } = CURSOR_LISTS[list];
		const positionAt = HEAD_BYTES + months * MONTH_BYTES;
		const hashAt = positionAt + words * WORD_BYTES;
		const whole = Buffer.from(text, "base64url");
		if (whole.length !== hashAt + SHORT_HASH_BYTES + SHORT_MAC_BYTES) return "unknown";
		if (whole.toString("base64url") !== text) return "unknown";
		const bytes = whole.subarray(0, -SHORT_MAC_BYTES);
		const mac = this.mac(bytes).subarray(0, SHORT_MAC_BYTES);
		if (!timingSafeEqual(mac, whole.subarray(-SHORT_MAC_BYTES))) return "unknown";
		if (bytes[0] !== SHORT_VERSION || bytes[1] !== code) return "unknown";
		if (!sha256(subject).subarray(0, SHORT_HASH_BYTES).equals(bytes.subarray(hashAt))) return "other";
		return {
			list,
			months: readMonths(bytes, HEAD_BYTES, months),
			position: readPosition(bytes, positionAt, words),
		};
	}

	private mac(bytes: Uint8Array): Buffer {
		return createHmac("sha256", this.secret()).update(bytes).digest().subarray(0, MAC_BYTES);
	}
}

/** Writes months at `at`; returns the end. */
function writeMonths(bytes: Buffer, at: number, months: readonly CursorMonth[]): number {
	let end = at;
	for (const { month, digest } of months) {
		end = bytes.writeUInt16BE(monthNumber(month), end);
		end = bytes.writeUInt32BE(Number.parseInt(digest, 16), end);
	}
	return end;
}

function readMonths(bytes: Buffer, at: number, count: number): CursorMonth[] {
	return Array.from({ length: count }, (_, i) => {
		const from = at + i * MONTH_BYTES;
		const digest = bytes
			.readUInt32BE(from + 2)
			.toString(16)
			.padStart(8, "0");
		return { month: monthOfNumber(bytes.readUInt16BE(from)), digest };
	});
}

/** Writes the words of a position at `at`; returns the end. */
function writePosition(bytes: Buffer, at: number, position: readonly number[]): number {
	let end = at;
	for (const word of position) end = bytes.writeUInt32BE(word, end);
	return end;
}

function readPosition(bytes: Buffer, at: number, words: number): number[] {
	return Array.from({ length: words }, (_, i) => bytes.readUInt32BE(at + i * WORD_BYTES));
}

function sha256(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}
