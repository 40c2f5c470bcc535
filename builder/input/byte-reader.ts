/** What every reader of a source's bytes offers, whatever the source and its compression. */

export interface ByteReader {
	/** Bytes read so far as the source lies on disk: before decompression and recoding. */
	readonly sourceBytes: number;
	/**
	 * Fills `target` as far as the source goes; fewer bytes than asked for mean its end. Throws
	 * BuildError `unreadable_file`, `corrupt_compression` or `limit_exceeded`.
	 */
	read(target: Uint8Array): Promise<number>;
	close(): Promise<void>;
}
