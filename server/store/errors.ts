/**
 * The error type of the store.
 *
 * Invariant: a published code keeps its name and meaning. Callers switch on `code`.
 */

/** Frozen codes of {@link StoreError}; documented in docs/OPERATING.md, "Error codes". */
export const STORE_ERROR_CODES = [
	/** The folder of keys does not exist, and the caller did not ask to create it. */
	"not_found",
	/** The folder or its files can't be opened: permissions, not a database, no space. */
	"unopenable",
	/** Written with another version of the record layout. */
	"unsupported_version",
	/** A record does not have the shape that this version writes. */
	"corrupt_record",
	/** A read failed. */
	"read_failed",
	/** A transaction could not be committed; none of it is stored. */
	"write_failed",
	/** More keys than there are slots for counters. */
	"limit_exceeded",
	/** What was to be replaced exists, or is in use. */
	"in_use",
] as const;

export type StoreErrorCode = (typeof STORE_ERROR_CODES)[number];

/** Thrown by every operation of the store. */
export class StoreError extends Error {
	readonly code: StoreErrorCode;
	/** Folder of the database. */
	readonly path: string;
	/** The message without the path. */
	readonly reason: string;

	constructor(code: StoreErrorCode, path: string, message: string, cause?: unknown) {
		super(`${path}: ${message}`, cause === undefined ? undefined : { cause });
		this.name = "StoreError";
		this.code = code;
		this.path = path;
		this.reason = message;
	}
}

/** Whether one record is unreadable, rather than the store. */
export function isCorruptRecord(error: unknown): error is StoreError {
	return error instanceof StoreError && error.code === "corrupt_record";
}

/** The result of `read`; undefined for a corrupt record, which goes to `onCorrupt`. Without it, throws. */
export function skipCorrupt<T>(read: () => T, onCorrupt?: (error: StoreError) => void): T | undefined {
	try {
		return read();
	} catch (error) {
		if (onCorrupt === undefined || !isCorruptRecord(error)) throw error;
		onCorrupt(error);
		return undefined;
	}
}
