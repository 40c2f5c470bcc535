/**
 * The server's time source, passed in everywhere, so that windows, expiry and refreshes are tested without
 * sleeping.
 */

export interface Clock {
	/** Milliseconds since 1970-01-01T00:00:00Z. May go backwards when the machine's clock is set. */
	now(): number;
}

/** The machine's clock. */
export const SYSTEM_CLOCK: Clock = { now: () => Date.now() };
