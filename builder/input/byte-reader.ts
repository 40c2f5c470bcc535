/** The interface of readers of a source's bytes, independent of source and compression. */

/** What is odd in a source that only its reader sees. */
export interface SourceOddity {
	readonly kind: "unread_sheet" | "formula_error";
	/** A name that the oddity is about; null: none. */
	readonly column: string | null;
	readonly count: number;
}

export interface ByteReader {
	/** Bytes read so far, before decompression and recoding. */
	readonly sourceBytes: number;
	/**
	 * Fills `target` as far as the source goes; fewer bytes than asked for mean its end. Throws
	 * BuildError `unreadable_file`, `corrupt_compression` or `limit_exceeded`.
	 */
	read(target: Uint8Array): Promise<number>;
	/** Complete once all is read. */
	oddities?(): readonly SourceOddity[];
	close(): Promise<void>;
}
