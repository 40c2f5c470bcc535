/**
 * The one error type of the state that hosts share.
 *
 * Invariants: a code keeps its name and meaning; a message never holds a password.
 */

/** Frozen codes of {@link SharedStoreError}. */
export const SHARED_STORE_ERROR_CODES = [
	/** No connection, or no reply in time. */
	"unreachable",
	/** It answers, and takes no writes: a replica, or one out of memory or disk. */
	"read_only",
	/** The user or the password is wrong, or the user may not do this. */
	"denied",
	/** A newer program made what is stored. */
	"unsupported_version",
	/** Any other error of a command. */
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
