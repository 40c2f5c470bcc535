/** Selects the index of months that a host follows: never an older one than it has seen before. */

/** The higher revision of the index in force and the one just read. */
export function newestRevision(inForce: number, read: number): number {
	return Math.max(inForce, read);
}
