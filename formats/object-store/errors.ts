/**
 * The error type of object stores.
 *
 * Invariant: a code keeps its name and meaning. A message names the store and the object, never a
 * credential.
 */

export const OBJECT_STORE_ERROR_CODES = [
	/** The address is not that of a store. */
	"bad_store_url",
	"missing_credentials",
	/** No connection, a timeout, or an error of the store, after several attempts. */
	"store_unreachable",
	/** The store does not let these credentials do it. */
	"store_denied",
	/** The store has no such object or bucket. */
	"missing_object",
	/** An object is not what its digest, its schema or its size says. */
	"corrupt_object",
	/** The store takes no writes. */
	"read_only_store",
	/** The index kept changing while it was to be changed. */
	"index_contended",
] as const;

export type ObjectStoreErrorCode = (typeof OBJECT_STORE_ERROR_CODES)[number];

export class ObjectStoreError extends Error {
	readonly code: ObjectStoreErrorCode;

	constructor(code: ObjectStoreErrorCode, message: string) {
		super(message);
		this.name = "ObjectStoreError";
		this.code = code;
	}
}
