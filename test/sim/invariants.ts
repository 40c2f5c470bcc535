/** What the parts of the simulated world have in common where they check. */

export class InvariantBroken extends Error {}

/** A reading of the shared clock takes at most a second there and back, so it is off by half. */
export const CLOCK_ERROR_MS_MAX = 550;
