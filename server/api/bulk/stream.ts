/**
 * Bodies of many rows, rendered a piece at a time: other requests are answered between two pieces. What the
 * client has not taken yet is held and accounted for by the transport, like any response.
 */

import type { ByteSink } from "../../../engine/index.js";
import type { HeaderBlock } from "../../http/transport.js";
import type { Body } from "../operation.js";

/** Rows of a piece: about 200 KB of full rows as CSV, a millisecond to render. */
const PIECE_ROWS = 512;

/** Rows that count as one request. */
export const ROWS_PER_REQUEST = 1_000;

export interface StreamedRows {
	readonly rows: number;
	readonly headers: HeaderBlock;
	readonly sink: ByteSink;
	/** Appends what comes before the rows. */
	begin(): void;
	/** Appends rows [first, end). */
	write(first: number, end: number): void;
}

/** The body of rows: whole where they fit one piece or two, else in pieces. */
export function streamed({ rows, headers, sink, begin, write }: StreamedRows): Body {
	const requests = Math.max(1, Math.ceil(rows / ROWS_PER_REQUEST));
	sink.reset();
	begin();
	if (rows <= ROWS_PER_REQUEST) {
		write(0, rows);
		return { bytes: sink.view(), headers, rows };
	}
	let at = Math.min(rows, PIECE_ROWS);
	write(0, at);
	const next = () => {
		if (at >= rows) return null;
		const end = Math.min(rows, at + PIECE_ROWS);
		sink.reset();
		write(at, end);
		at = end;
		return sink.view();
	};
	return { bytes: sink.view(), headers, rows, requests, next };
}

/** The whole body of `first` and the pieces after it; lets the event loop turn between them. */
export async function collectPieces(
	first: Uint8Array | string,
	next: () => Uint8Array | null,
): Promise<Uint8Array> {
	const pieces = [Buffer.from(first as Uint8Array)];
	for (;;) {
		await new Promise((resolve) => setImmediate(resolve));
		const piece = next();
		if (piece === null) return Buffer.concat(pieces);
		pieces.push(Buffer.from(piece));
	}
}
