/**
 * A response body that is produced at the pace of the client, so that a long one is never in memory as a whole:
 * transports request a piece when the socket has accepted the one before.
 *
 * Contract of a transport: at most one call of `next` is pending, none follows after it returned null or threw,
 * and the event loop turns between two pieces. Bytes of a piece that the socket has not accepted are counted in
 * Load and sent before the next piece is requested. If `next` throws, the connection is closed before the end
 * of the body, so that the client can recognise it as incomplete. `close` is called exactly once.
 */

/** A client that accepts no bytes of a body for this long, in milliseconds, is disconnected, where a transport can tell. */
export const STUCK_MS = 10_000;

export interface BodyStream {
	/** Bytes of the whole body; null if unknown: it is sent in chunks. */
	readonly bytes: number | null;
	/**
	 * Whether each piece is sent as soon as it is available, for clients that wait for it; such pieces are
	 * short, and a client that does not accept one is disconnected. REQUIRES: {@link bytes} is null.
	 */
	readonly immediate?: boolean;
	/** The next piece, never empty, or null after the last. A view that is valid until the next call. */
	next(): Uint8Array | null | Promise<Uint8Array | null>;
	/** The body has been sent (`complete`), or will not be. */
	close(complete: boolean): void;
}

/** The body of a response to HEAD; `bytes`: of the body that GET would have, null if unknown. */
export function withoutContent(bytes: number | null): BodyStream {
	return { bytes, next: () => null, close: () => undefined };
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
