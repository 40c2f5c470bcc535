/**
 * Bodies of many rows, rendered in pieces as the client receives them: other requests are answered between two
 * pieces, and a body takes the memory of one piece.
 */

import { type ByteSink, EngineError } from "../../../engine/index.js";
import { invariant } from "../../../formats/index.js";
import type { BodyStream } from "../../http/body-stream.js";
import type { HeaderBlock } from "../../http/transport.js";
import { ROWS_COUNTED, requestsFor } from "../../limits/counted-units.js";
import { ANSWER_BYTES_MAX } from "../errors.js";
import type { Body } from "../operation.js";
import type { Arrivals } from "./arrivals.js";

/** Most rows of a piece: about 100 KB of full rows as CSV, half a millisecond to render. */
const PIECE_ROWS = 512;

/** Fewest rows of a piece: what rows are read ahead by (engine/tuning.ts). */
const SHORT_PIECE_ROWS = 128;

/** Bytes of a piece that long rows make it shorter for, which the processor's cache keeps until they are sent. */
const PIECE_BYTES = 192 << 10;

/** Short pieces after a request by another client, which waits for one: some 20 ms of them. */
const SHORT_PIECES = 128;

/** Most rows of a body that is rendered at once. */
export const WHOLE_ROWS_MAX = ROWS_COUNTED.perRequest;

export interface StreamedRows {
	readonly rows: number;
	readonly headers: HeaderBlock;
	readonly sink: ByteSink;
	readonly arrivals: Arrivals;
	/** Whether they are of a walk by cursor, which may take more bytes than an answer that is held whole. */
	readonly isWalk: boolean;
	/** Appends what precedes the rows. */
	begin(): void;
	/** Appends rows [first, end). */
	write(first: number, end: number): void;
}

/**
 * The body of rows: complete if they fit in one or two pieces, else in pieces. Throws EngineError for too many bytes,
 * unless the rows are of a walk.
 */
export function streamed(body: StreamedRows): Body {
	const { rows, headers, sink, arrivals, begin, write } = body;
	if (rows <= WHOLE_ROWS_MAX && writesWhole(body)) return { bytes: sink.view(), headers, rows };
	const requests = requestsFor(rows, ROWS_COUNTED);
	sink.reset();
	begin();
	const size = new PieceSize(arrivals);
	let at = writeFitting(sink, 0, Math.min(rows, SHORT_PIECE_ROWS), write);
	const next = () => {
		if (at >= rows) return null;
		const first = at;
		sink.reset();
		at = writeFitting(sink, first, Math.min(rows, first + size.rows()), write);
		size.written(at - first, sink.length);
		return sink.view();
	};
	return { bytes: sink.view(), headers, rows, requests, next };
}

/**
 * Writes all rows. False: those of a walk take more bytes than an answer that is held whole. They are rendered again in
 * pieces then, since few rows are as long as that.
 */
function writesWhole({ rows, sink, isWalk, begin, write }: StreamedRows): boolean {
	sink.reset();
	begin();
	try {
		write(0, rows);
		return !isWalk || sink.length <= ANSWER_BYTES_MAX;
	} catch (error) {
		if (isWalk && isTooLarge(error)) return false;
		throw error;
	}
}

function isTooLarge(error: unknown): boolean {
	return error instanceof EngineError && error.code === "answer_too_large";
}

/** How many rows the next piece has: fewer while others ask for something, who wait for it, and where rows are long. */
export class PieceSize {
	private seen: number;
	private short = 0;
	private fitting = PIECE_ROWS;

	constructor(private readonly arrivals: Arrivals) {
		this.seen = arrivals.count;
	}

	/** Rows of the next piece, a multiple of {@link SHORT_PIECE_ROWS}. */
	rows(): number {
		const { count } = this.arrivals;
		if (count !== this.seen) this.short = SHORT_PIECES;
		this.seen = count;
		if (this.short === 0) return this.fitting;
		this.short--;
		return SHORT_PIECE_ROWS;
	}

	/** A piece of `rows` rows took `bytes`. */
	written(rows: number, bytes: number): void {
		const blocks = Math.floor((PIECE_BYTES * rows) / (Math.max(1, bytes) * SHORT_PIECE_ROWS));
		this.fitting = Math.min(PIECE_ROWS, Math.max(1, blocks) * SHORT_PIECE_ROWS);
	}
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
			if (!isTooLarge(error) || last - first <= 1) throw error;
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
	private closed = false;

	/** `first` may be a view; `rest` as {@link Body.next}; `ended` is called when the body is closed. */
	constructor(
		first: Uint8Array,
		private readonly rest: () => Uint8Array | null,
		private readonly ended: () => void,
	) {
		this.first = Buffer.from(first);
	}

	next(): Uint8Array | null {
		// What the pieces are rendered from is another stream's by now.
		invariant(!this.closed, "no piece of a closed body is taken");
		const { first } = this;
		this.first = null;
		return first ?? this.rest();
	}

	close(): void {
		this.closed = true;
		this.ended();
	}
}
