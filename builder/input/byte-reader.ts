/** The interface of readers of a source's bytes, independent of source and compression. */

/** A peculiarity of a source that only its reader detects. */
export interface SourceOddity {
	readonly kind: "unread_sheet" | "formula_error";
	/** The column or sheet concerned; null: none. */
	readonly column: string | null;
	readonly count: number;
}

export interface ByteReader {
	/** Bytes read so far, before decompression and recoding. */
	readonly sourceBytes: number;
	/**
	 * Fills `target` completely unless the source ends. Throws BuildError `unreadable_file`,
	 * `corrupt_compression` or `limit_exceeded`.
	 */
	read(target: Uint8Array): Promise<number>;
	/** Whether the bytes are UTF-8 whatever the map says: a workbook specifies the encoding of its parts itself. */
	readonly isUtf8?: boolean;
	/** Complete once everything is read. */
	oddities?(): readonly SourceOddity[];
	close(): Promise<void>;
}
