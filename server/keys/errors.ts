/**
 * The one error type of key management.
 *
 * Invariant: a code, once published, keeps its name and meaning. Callers switch on `code`.
 */

/** Frozen codes of {@link KeyError}; documented in docs/OPERATING.md, "Error codes". */
export const KEY_ERROR_CODES = [
	/** No key has the id. */
	"unknown_key",
	/** The key was revoked; revoked keys stay revoked. */
	"key_revoked",
	/** A name, duration, limit, geography, column or history grant that can't be granted. */
	"invalid_grant",
	/** The key expired: no text of it works, unless a trial is converted. */
	"key_expired",
] as const;

export type KeyErrorCode = (typeof KEY_ERROR_CODES)[number];

/** Thrown by the operations on keys for invalid requests of their caller. */
export class KeyError extends Error {
	readonly code: KeyErrorCode;

	constructor(code: KeyErrorCode, message: string) {
		super(message);
		this.name = "KeyError";
		this.code = code;
	}
}
