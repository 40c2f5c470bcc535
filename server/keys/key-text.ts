/**
 * The text of a key: what its owner sends.
 *
 * ```
 * rollcall_ <27 random> <6 checksum>        alphabet 0-9 A-Z a-z
 * ```
 *
 * The random part carries 160 bits. The checksum is CRC-32 of all before it, so that a mistyped or
 * made-up text is refused without any lookup; it proves nothing else. A text is never stored: only
 * SHA-256 of it, which needs no salt and no stretching over 160 random bits.
 */

import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

const KEY_PREFIX = "rollcall_";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 27;
const CHECKSUM_LENGTH = 6;
const BODY_LENGTH = KEY_PREFIX.length + RANDOM_LENGTH;

/** Characters of a key's text. */
export const KEY_TEXT_LENGTH = BODY_LENGTH + CHECKSUM_LENGTH;

/** A new text, from the operating system's random source. */
export function createKeyText(): string {
	let body = KEY_PREFIX;
	for (let i = 0; i < RANDOM_LENGTH; i++) body += ALPHABET[randomInt(ALPHABET.length)];
	return body + checksum(body);
}

/** Whether `text` can be a key's: prefix, length and checksum. Cost: well under a microsecond. */
export function isKeyText(text: string): boolean {
	if (text.length !== KEY_TEXT_LENGTH || !text.startsWith(KEY_PREFIX)) return false;
	return checksum(text.slice(0, BODY_LENGTH)) === text.slice(BODY_LENGTH);
}

/** A key's text, or the beginning of one in a text that was truncated. */
const KEY_TEXTS = /rollcall_[0-9A-Za-z]{8,}/g;

/** `text` with an ellipsis in the place of keys: for messages, which clients log, of requests with a key in the wrong place. */
export function withoutKeys(text: string): string {
	return text.includes(KEY_PREFIX) ? text.replace(KEY_TEXTS, `${KEY_PREFIX}…`) : text;
}

/** SHA-256 of a key's text, lower-case hex: what is stored and looked up. */
export function hashKeyText(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

/** Whether two hashes are equal, in time that does not depend on where they differ. */
export function hashesEqual(a: string, b: string): boolean {
	return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** CRC-32 of `body` in base 62, most significant digit first, padded to {@link CHECKSUM_LENGTH}. */
function checksum(body: string): string {
	let rest = crc32(body);
	let digits = "";
	for (let i = 0; i < CHECKSUM_LENGTH; i++) {
		digits = ALPHABET[rest % ALPHABET.length] + digits;
		rest = Math.floor(rest / ALPHABET.length);
	}
	return digits;
}
