/**
 * The error type of object stores.
 *
 * Invariant: a code keeps its name and meaning. A message names the store and the object, never a
 * credential.
 */

/** Frozen codes of {@link ObjectStoreError}; documented in docs/OPERATING.md, "Error codes". */
export const OBJECT_STORE_ERROR_CODES = [
	/** The address is not a store's. */
	"bad_store_url",
	"missing_credentials",
	/** No connection, a timeout or a server error, after retries. */
	"store_unreachable",
	/** The store refused these credentials. */
	"store_denied",
	/** The store has no such object or bucket. */
	"missing_object",
	/** An object does not match its digest, schema or size. */
	"corrupt_object",
	/** The store does not accept writes. */
	"read_only_store",
	/** The file system has no room for a month. */
	"no_room",
	/** Every attempt to change the index met a concurrent change. */
	"index_contended",
] as const;

export type ObjectStoreErrorCode = (typeof OBJECT_STORE_ERROR_CODES)[number];

/** What mends an object that a manifest names: a push does not send one again that the store has in its size. */
export const RESEND = "delete this object from the store and push the month again";

export class ObjectStoreError extends Error {
	readonly code: ObjectStoreErrorCode;

	constructor(code: ObjectStoreErrorCode, message: string) {
		super(message);
		this.name = "ObjectStoreError";
		this.code = code;
	}
}
