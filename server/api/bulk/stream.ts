/**
 * Bodies of many rows, rendered in pieces as the client receives them: other requests are answered between two
 * pieces, and a body takes the memory of one piece.
 */

import { type ByteSink, EngineError } from "../../../engine/index.js";
import type { BodyStream } from "../../http/body-stream.js";
import type { HeaderBlock } from "../../http/transport.js";
import type { Body } from "../operation.js";

/** Rows of a piece: about 200 KB of full rows as CSV, a millisecond to render. */
const PIECE_ROWS = 512;

/** Rows that count as one request. */
const ROWS_PER_REQUEST = 1_000;

export interface StreamedRows {
	readonly rows: number;
	readonly headers: HeaderBlock;
	readonly sink: ByteSink;
	/** Appends what precedes the rows. */
	begin(): void;
	/** Appends rows [first, end). */
	write(first: number, end: number): void;
}

/** The body of rows: complete if they fit in one or two pieces, else in pieces. */
export function streamed({ rows, headers, sink, begin, write }: StreamedRows): Body {
	const requests = Math.max(1, Math.ceil(rows / ROWS_PER_REQUEST));
	sink.reset();
	begin();
	if (rows <= ROWS_PER_REQUEST) {
		write(0, rows);
		return { bytes: sink.view(), headers, rows };
	}
	let at = writeFitting(sink, 0, Math.min(rows, PIECE_ROWS), write);
	const next = () => {
		if (at >= rows) return null;
		sink.reset();
		at = writeFitting(sink, at, Math.min(rows, at + PIECE_ROWS), write);
		return sink.view();
	};
	return { bytes: sink.view(), headers, rows, requests, next };
}

/**
 * Appends rows from `first` on, up to `end` or as many as fit into the sink, and returns where it ended: a
 * piece of very long rows has fewer rows. Throws EngineError if a single row does not fit.
 */
function writeFitting(sink: ByteSink, first: number, end: number, write: StreamedRows["write"]): number {
	const start = sink.length;
	for (let last = end; ; last = first + Math.ceil((last - first) / 2)) {
		try {
			write(first, last);
			return last;
		} catch (error) {
			const isTooLarge = error instanceof EngineError && error.code === "answer_too_large";
			if (!isTooLarge || last - first <= 1) throw error;
			sink.length = start;
		}
	}
}

/**
 * A body whose first piece is rendered; each further piece is rendered once the client has received the one
 * before.
 */
export class PieceStream implements BodyStream {
	/** Unknown until the last row is rendered. */
	readonly bytes = null;
	private first: Uint8Array | null;

	/** `first` may be a view; `next` as in {@link Body}; `ended` is called when the body is closed. */
	constructor(
		first: Uint8Array,
		private readonly rest: () => Uint8Array | null,
		private readonly ended: () => void,
	) {
		this.first = Buffer.from(first);
	}

	next(): Uint8Array | null {
		const { first } = this;
		this.first = null;
		return first ?? this.rest();
	}

	close(): void {
		this.ended();
	}
}
