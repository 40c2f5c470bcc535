/**
 * What is asked of an object store: whole small documents, large objects from any byte on, and writes
 * that can depend on what is there. Names are paths below the store's prefix.
 *
 * Invariant: every method fails with a {@link ObjectStoreError}, after retries where another attempt may help.
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

/** What must be there for a write to happen: this version of the object, or none. */
export type WriteCondition = { readonly etag: string } | "absent" | null;

/** `unsupported`: the store does not judge conditions; nothing was written. */
export type WriteOutcome = "written" | "conflict" | "unsupported";

export interface ObjectStore {
	/** For messages: no credentials. */
	readonly url: string;

	/**
	 * A document of at most `bytesMax` bytes; null where there is none, `unchanged` where it is still the
	 * version `etag`.
	 */
	read(name: string, bytesMax: number, etag?: string): Promise<StoredDocument | "unchanged" | null>;

	/** The bytes of an object from offset `from` on. Fails with `missing_object` where there is none. */
	open(name: string, from: number): Promise<AsyncIterable<Uint8Array>>;

	/** Bytes of an object; null where there is none. */
	size(name: string): Promise<number | null>;

	/** Writes an object. `sha256`: hexadecimal, of `body`. */
	write(name: string, body: Blob, sha256: string, condition: WriteCondition): Promise<WriteOutcome>;

	/** All objects whose names begin with `prefix`. */
	list(prefix: string): AsyncIterable<ListedObject>;

	/** Removes an object, if there is one. */
	remove(name: string): Promise<void>;
}
