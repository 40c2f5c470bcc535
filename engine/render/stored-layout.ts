/**
 * The layout of a stored row (formats/SNAPSHOT.md, "Rows"): a JSON object of all columns in table order, without
 * whitespace. Labels have known lengths, so a reader skips them and reads only values.
 */

import { COLUMNS } from "../../formats/index.js";

export const COMMA = 0x2c;
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;
/** First byte of `null`, and of no other unquoted value. */
export const NULL_START = 0x6e;
export const NULL_BYTES = 4;

/** Bytes of each column's label: brace or comma, quoted name, colon. */
export const LABEL_BYTES: Uint8Array = Uint8Array.from(COLUMNS, ({ name }) => name.length + 4);
