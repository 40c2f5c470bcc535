/**
 * The error type of the state that hosts share.
 *
 * Invariants: a code keeps its name and meaning; a message never contains a password.
 */

/** Frozen codes of {@link SharedStoreError}. */
export const SHARED_STORE_ERROR_CODES = [
	/** No connection, or no reply within the timeout. */
	"unreachable",
	/** It replies but refuses writes: a replica, or out of memory or disk. */
	"read_only",
	/** Wrong user or password, or the user lacks a permission. */
	"denied",
	/** The stored data was written by a newer program. */
	"unsupported_version",
	/** Any other error that a command returned. */
	"failed",
] as const;

export type SharedStoreErrorCode = (typeof SHARED_STORE_ERROR_CODES)[number];

export class SharedStoreError extends Error {
	readonly code: SharedStoreErrorCode;

	constructor(code: SharedStoreErrorCode, message: string, cause?: unknown) {
		super(message, cause === undefined ? undefined : { cause });
		this.name = "SharedStoreError";
		this.code = code;
	}
}
