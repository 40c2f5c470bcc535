/** Tuning constants of the engine. Changing one changes which way a query takes, never its answer. */

/** States merged at most: each row of a page compares the next row of every state. */
export const MERGED_STATES_MAX = 16;
