/**
 * A response body that is produced as the client takes it, so that a long one never lies in memory as a
 * whole: transports ask for a piece when the socket has taken the one before.
 *
 * Contract of a transport: `next` is called with one call pending at most, never after it gave null or threw,
 * and the event loop turns between two pieces. What the socket has not taken of a piece is counted in Load
 * and sent before the next is asked for. If `next` throws, the connection is closed without an end of the
 * body, so that the client can tell it from a whole one. `close` is called once, in every case.
 */

/** A client that takes nothing of a body for this long is disconnected. */
export const STUCK_MS = 10_000;

export interface BodyStream {
	/** Bytes of the whole body; null where they are not known: it is sent in chunks. */
	readonly bytes: number | null;
	/**
	 * Whether each piece is sent whole as soon as there is one, for clients that wait for it; such pieces are
	 * short, and a client that does not take one is disconnected. REQUIRES: {@link bytes} is null.
	 */
	readonly immediate?: boolean;
	/** The next piece, never empty, or null after the last. A view that is valid until the next call. */
	next(): Uint8Array | null | Promise<Uint8Array | null>;
	/** The body has been sent (`complete`), or will not be. */
	close(complete: boolean): void;
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
