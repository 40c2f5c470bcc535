/**
 * Parses messages that differ from an earlier one in whole numbers alone, as those of a client often do: in ids of
 * requests and rows. Comparing bytes takes a fifth of the time of parsing them.
 *
 * A *form* is an earlier message: its bytes between whole numbers, and where in its value the numbers are. They are
 * found by parsing the message once more with numbers that occur nowhere else.
 *
 * Invariants:
 * - The value is that of JSON.parse: a body matches a form byte for byte but for its numbers, and those are spelled
 *   as JSON has them.
 * - Memory: {@link SLOTS} forms of at most {@link BODY_BYTES_MAX} bytes. A form is kept the second time that it is
 *   seen in a row among those of its slot.
 */

import { finishHash, HASH_BASIS, hashStep, isDigit } from "../../formats/index.js";

/** A power of two. */
const SLOTS = 64;
const BODY_BYTES_MAX = 512;
/** Whole numbers of up to as many digits are exact. */
const DIGITS_MAX = 15;
const NUMBERS_MAX = 16;
/** Numbers that stand for those of a form, from this one on. */
const STAND_IN = 999_999_999_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;

/** A place in a value. */
interface Place {
	readonly holder: Record<string | number, unknown>;
	readonly key: string | number;
}

interface Form {
	readonly hash: number;
	/** Bytes before, between and after the numbers. */
	readonly parts: readonly Uint8Array[];
	/** Of each number in `value`. */
	readonly places: readonly Place[];
	readonly value: unknown;
}

export class MessageForms {
	private readonly forms: (Form | null)[] = new Array(SLOTS).fill(null);
	private readonly seen = new Int32Array(SLOTS);
	/** Hash of the body looked up last. */
	private hash = 0;
	private readonly numbers = new Float64Array(NUMBERS_MAX);

	/**
	 * The value of `body`; undefined where no form matches. It is overwritten by a later call, so it is to be used at
	 * once. Cost O(bytes).
	 */
	find(body: Uint8Array): unknown {
		this.hash = body.length > BODY_BYTES_MAX ? 0 : hashOf(body);
		const form = this.forms[this.hash & (SLOTS - 1)];
		if (form === null || form.hash !== this.hash || !this.matches(body, form)) return undefined;
		for (let i = 0; i < form.places.length; i++) {
			const { holder, key } = form.places[i];
			holder[key] = this.numbers[i];
		}
		return form.value;
	}

	/** Keeps the form of `body` if it was seen before. REQUIRES: valid JSON, and find(body) was the last call. */
	offer(body: Uint8Array): void {
		const { hash } = this;
		const slot = hash & (SLOTS - 1);
		if (hash === 0 || this.forms[slot]?.hash === hash) return;
		if (this.seen[slot] === hash) this.forms[slot] = formOf(body, hash);
		this.seen[slot] = hash;
	}

	/** Whether `body` is of the form; reads its numbers. */
	private matches(body: Uint8Array, { parts }: Form): boolean {
		let at = 0;
		for (let i = 0; i < parts.length; i++) {
			const part = parts[i];
			if (i > 0) {
				const start = at;
				let number = 0;
				while (at < body.length && isDigit(body[at])) number = number * 10 + body[at++] - ZERO;
				const digits = at - start;
				if (digits === 0 || digits > DIGITS_MAX || (digits > 1 && body[start] === ZERO)) return false;
				this.numbers[i - 1] = number;
			}
			for (let k = 0; k < part.length; k++) if (part[k] !== body[at++]) return false;
		}
		return at === body.length;
	}
}

/** The form of a valid message; null where it has none: other numbers than small whole ones, or escapes. */
function formOf(body: Uint8Array, hash: number): Form | null {
	const parts = partsOf(body);
	if (parts === null) return null;
	const texts = parts.map((part) => Buffer.from(part).toString("latin1"));
	const text = texts.reduce((before, part, i) => `${before}${STAND_IN + i - 1}${part}`);
	const value: unknown = JSON.parse(text);
	const places: Place[] = [];
	collectPlaces(value, places);
	// A number is missing where a name is repeated, whose last value counts.
	for (let i = 0; i < parts.length - 1; i++) if (places[i] === undefined) return null;
	return { hash, parts, places, value };
}

/** The bytes between the whole numbers outside strings. */
function partsOf(body: Uint8Array): Uint8Array[] | null {
	const parts: Uint8Array[] = [];
	let from = 0;
	let quoted = false;
	for (let at = 0; at < body.length; at++) {
		const byte = body[at];
		if (byte >= 0x80 || byte === BACKSLASH) return null;
		if (byte === QUOTE) quoted = !quoted;
		if (quoted || !isDigit(byte)) continue;
		let end = at;
		while (end < body.length && isDigit(body[end])) end++;
		const around = String.fromCharCode(body[at - 1] ?? ZERO, body[end] ?? ZERO);
		if (end - at > DIGITS_MAX || !/^[[:,\s][\],}\s]$/.test(around) || parts.length === NUMBERS_MAX)
			return null;
		parts.push(Uint8Array.from(body.subarray(from, at)));
		from = end;
		at = end - 1;
	}
	parts.push(Uint8Array.from(body.subarray(from)));
	return parts;
}

/** Puts the places of stand-ins into `places`, by number. */
function collectPlaces(value: unknown, places: Place[]): void {
	if (typeof value !== "object" || value === null) return;
	const holder = value as Record<string, unknown>;
	for (const key of Object.keys(holder)) {
		const member = holder[key];
		if (typeof member !== "number") collectPlaces(member, places);
		else places[member - STAND_IN] = { holder, key };
	}
}

/** A hash of all bytes but digits; not 0. */
function hashOf(body: Uint8Array): number {
	let state = HASH_BASIS;
	for (let i = 0; i < body.length; i++) {
		const byte = body[i];
		if (!isDigit(byte)) state = hashStep(state, byte);
	}
	const hash = finishHash(state);
	return hash === 0 ? 1 : hash;
}
