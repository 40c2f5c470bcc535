/**
 * Bounds the structure of a JSON text before it is parsed: parsing allocates an object for every few
 * bytes of `[[[[…` or `{},{},…`, far more than the bytes received.
 */

/** Deepest nesting of arrays and objects; a tool call has about five levels. */
const NESTING_MAX = 32;
/** Maximum members and items: the largest tool call, 500 inputs of four members each, has 2,500. */
const ITEMS_MAX = 8_192;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Why `text` may not be parsed; null: it may. Counts brackets and commas outside strings, so it is
 * exact for valid JSON; invalid JSON is left to the parser. Cost: O(bytes), one nanosecond each.
 */
export function shapeFault(text: Uint8Array): string | null {
	let depth = 0;
	let items = 0;
	for (let i = 0; i < text.length; i++) {
		switch (text[i]) {
			case QUOTE:
				i = stringEnd(text, i);
				break;
			case OPEN_ARRAY:
			case OPEN_OBJECT:
				items++;
				if (++depth > NESTING_MAX) return `the message is nested deeper than ${NESTING_MAX} levels`;
				break;
			case CLOSE_ARRAY:
			case CLOSE_OBJECT:
				depth--;
				break;
			case COMMA:
				items++;
		}
	}
	return items > ITEMS_MAX ? `the message has more than ${ITEMS_MAX} members and items` : null;
}

/** Index of the quote that ends the string begun at `start`; the length of `text` if none does. */
function stringEnd(text: Uint8Array, start: number): number {
	let i = start + 1;
	while (i < text.length && text[i] !== QUOTE) i += text[i] === BACKSLASH ? 2 : 1;
	return i;
}
