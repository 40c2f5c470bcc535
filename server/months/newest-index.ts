/** Which of two indexes of months a host goes by: it never takes one that is older than another it has seen. */

/** The revision to go by, of the one in force and one just read. */
export function newestRevision(inForce: number, read: number): number {
	return Math.max(inForce, read);
}
