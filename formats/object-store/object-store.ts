/**
 * The interface of an object store: reads of small documents, streams of large objects from any offset, and
 * conditional writes. Names are paths relative to the store's prefix.
 *
 * Invariant: every method fails with an `ObjectStoreError`, after retries of transient failures. One whose signal
 * is aborted fails at once, with `store_unreachable`.
 */

export interface StoredDocument {
	readonly bytes: Uint8Array;
	readonly etag: string;
}

export interface ListedObject {
	readonly name: string;
	readonly bytes: number;
	readonly modifiedMs: number;
}

/** The condition of a write: the object has this version, or is absent. */
export type WriteCondition = { readonly etag: string } | "absent" | null;

/** `unsupported`: the store does not evaluate conditions; nothing was written. */
export type WriteOutcome = "written" | "conflict" | "unsupported";

export interface ReadOptions {
	/** The version that the caller has. */
	readonly etag?: string | undefined;
	readonly signal?: AbortSignal | undefined;
}

export interface ObjectStore {
	/** For messages; without credentials. */
	readonly url: string;

	/**
	 * A document of at most `bytesMax` bytes; null if it does not exist, `unchanged` if it still has the version
	 * `etag`.
	 */
	read(name: string, bytesMax: number, options?: ReadOptions): Promise<StoredDocument | "unchanged" | null>;

	/**
	 * The bytes of an object from offset `from` on, which `signal` ends too. Fails with `missing_object` if it does not
	 * exist.
	 */
	open(name: string, from: number, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;

	/** Size of an object in bytes; null if it does not exist. */
	size(name: string, signal?: AbortSignal): Promise<number | null>;

	/** Writes an object. `sha256`: of `body`, in hexadecimal. */
	write(
		name: string,
		body: Blob,
		sha256: string,
		condition: WriteCondition,
		signal?: AbortSignal,
	): Promise<WriteOutcome>;

	/** All objects whose names begin with `prefix`. */
	list(prefix: string): AsyncIterable<ListedObject>;

	/** Removes an object if it exists. */
	remove(name: string): Promise<void>;
}
