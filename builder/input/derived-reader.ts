/** Base of readers that convert another reader's bytes, a piece at a time. */

import type { ByteReader, SourceOddity, WorkbookTraits } from "./byte-reader.js";
import { PieceFiller } from "./piece-filler.js";

export abstract class DerivedReader implements ByteReader {
	private readonly filler = new PieceFiller(() => this.next());

	constructor(protected readonly source: ByteReader) {}

	get sourceBytes(): number {
		return this.source.sourceBytes;
	}

	get workbook(): WorkbookTraits | null {
		return this.source.workbook ?? null;
	}

	oddities(): readonly SourceOddity[] {
		return this.source.oddities?.() ?? [];
	}

	read(target: Uint8Array): Promise<number> {
		return this.filler.fill(target);
	}

	close(): Promise<void> {
		return this.source.close();
	}

	/** The next converted bytes, valid until the following call; null at the end. */
	protected abstract next(): Promise<Uint8Array | null>;
}
