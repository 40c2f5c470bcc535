/** Base of readers of an open file through another reader, with which the file is closed. */

import type { FileHandle } from "node:fs/promises";
import type { ByteReader, SourceOddity, WorkbookTraits } from "./byte-reader.js";

export abstract class HandleReader implements ByteReader {
	/** `source` reads the file behind `handle`. */
	constructor(
		protected readonly source: ByteReader,
		protected readonly handle: FileHandle,
	) {}

	abstract get sourceBytes(): number;

	get workbook(): WorkbookTraits | null {
		return this.source.workbook ?? null;
	}

	oddities(): readonly SourceOddity[] {
		return this.source.oddities?.() ?? [];
	}

	async read(target: Uint8Array): Promise<number> {
		const read = await this.source.read(target);
		if (read < target.length) await this.atEnd();
		return read;
	}

	async close(): Promise<void> {
		await this.source.close();
		await this.handle.close();
	}

	/** Called once the source has ended, before its last bytes are handed on. */
	protected abstract atEnd(): Promise<void>;
}
