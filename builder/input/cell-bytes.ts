/** The bound on values of drops. */

/**
 * Maximum bytes of a trimmed cell, or of a constant; a longer cell rejects its row. Responses have up to 1,000 rows, so a
 * bound on cells bounds responses.
 */
export const CELL_BYTES_MAX = 4096;
