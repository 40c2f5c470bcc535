/**
 * Order of text by code point and the fold of docs/API.md §1.5, each implemented directly from its
 * definition.
 */

/** Negative, 0 or positive as `a` is below, equal to or above `b`, code point by code point. */
export function compareCodePoints(a: string, b: string): number {
	for (let i = 0; ; ) {
		const left = a.codePointAt(i);
		const right = b.codePointAt(i);
		if (left === undefined || right === undefined) return a.length - b.length;
		if (left !== right) return left - right;
		i += String.fromCodePoint(left).length;
	}
}

/** Unicode NFC, then the default lower-case mapping. */
export function naiveFold(text: string): string {
	return text.normalize("NFC").toLowerCase();
}
