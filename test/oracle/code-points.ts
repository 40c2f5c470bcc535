/** Order of text by code point and the fold of DESIGN §4, each written straight from its definition. */

/** Negative, 0 or positive as `a` is below, equal to or above `b`, code point by code point. */
export function compareCodePoints(a: string, b: string): number {
	const left = Array.from(a, (c) => c.codePointAt(0) ?? 0);
	const right = Array.from(b, (c) => c.codePointAt(0) ?? 0);
	for (let i = 0; i < left.length && i < right.length; i++) {
		if (left[i] !== right[i]) return left[i] - right[i];
	}
	return left.length - right.length;
}

/** Unicode NFC, then the default lower-case mapping. */
export function naiveFold(text: string): string {
	return text.normalize("NFC").toLowerCase();
}
