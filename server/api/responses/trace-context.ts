/**
 * The trace that a request belongs to, by the header `traceparent` of W3C Trace Context: version, trace id,
 * id of the caller's span, flags. What is not valid counts as absent, as the recommendation asks.
 */

/** Version 00 has exactly these fields; later ones may add more after another dash. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);

export interface TraceContext {
	/** 32 hexadecimal digits. */
	readonly traceId: string;
	/** The caller's span: 16 hexadecimal digits. */
	readonly spanId: string;
	/** The bits of the last field; 1: the caller records the trace. */
	readonly flags: number;
}

/** The context in a header's value; null: absent or invalid. */
export function traceContextOf(traceparent: string | null): TraceContext | null {
	if (traceparent === null) return null;
	const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
	if (traceId === undefined || traceId === NO_TRACE || spanId === NO_SPAN) return null;
	if (version === "00" && more !== undefined) return null;
	return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
