/** The `Range` of a request (RFC 9110 §14.2) over a representation of known length. */

import type { Range } from "../../../formats/index.js";

const BYTES = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/**
 * The bytes that a `Range` value asks for; null where it is to be ignored: no value, another unit, several
 * ranges, or not well-formed. `unsatisfiable` where it lies past the end.
 */
export function byteRange(value: string | null, bytes: number): Range | "unsatisfiable" | null {
	const match = value === null ? null : BYTES.exec(value.trim());
	if (match === null) return null;
	const [, first, last, suffix] = match;
	if (suffix !== undefined) {
		const length = Math.min(Number(suffix), bytes);
		return length === 0 ? "unsatisfiable" : { from: bytes - length, to: bytes };
	}
	const from = Number(first);
	const to = last === "" ? bytes : Math.min(Number(last) + 1, bytes);
	// An end before the beginning is not well-formed.
	if (last !== "" && Number(last) < from) return null;
	return from >= bytes ? "unsatisfiable" : { from, to };
}
