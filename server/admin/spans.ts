/**
 * OpenTelemetry spans: one server span per response, in the client's trace, for the tracer provider that the operator
 * registered in the process (docs/OPERATING.md). The only file that uses @opentelemetry/api; it is not loaded unless
 * spans are configured.
 *
 * A span is created after the response with both timestamps, so the request itself has no other cost.
 */

import { createRequire } from "node:module";
import type * as OpenTelemetry from "@opentelemetry/api";
import type { Answered, Observer } from "../api/observer.js";
import type { TraceContext } from "../api/responses/trace-context.js";

const TRACER_NAME = "rollcall";

/** Methods that spans name; others are `_OTHER`. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(
	"GET HEAD OPTIONS POST PUT DELETE PATCH TRACE CONNECT".split(" "),
);

/** Makes spans; `nowMs` gives the time of an answer, in milliseconds since 1970. Throws where the package is missing. */
export class Spans implements Observer {
	private readonly api: typeof OpenTelemetry;
	private readonly tracer: OpenTelemetry.Tracer;

	constructor(private readonly nowMs: () => number) {
		this.api = createRequire(import.meta.url)("@opentelemetry/api") as typeof OpenTelemetry;
		this.tracer = this.api.trace.getTracer(TRACER_NAME);
	}

	answered({ endpoint, method: sent, status, ms, bytes, requestId, trace }: Answered): void {
		const { SpanKind, SpanStatusCode } = this.api;
		const routed = endpoint !== "other";
		const endMs = this.nowMs();
		// As the semantic conventions have it: a client's invention would be a value of its own in every aggregate.
		const method = KNOWN_METHODS.has(sent) ? sent : "_OTHER";
		const named = method === sent ? method : "HTTP";
		const span = this.tracer.startSpan(
			routed ? `${named} ${endpoint}` : named,
			{
				kind: SpanKind.SERVER,
				startTime: endMs - ms,
				attributes: {
					"http.request.method": method,
					...(method === sent ? {} : { "http.request.method_original": sent }),
					"http.response.status_code": status,
					"http.response.body.size": bytes,
					"rollcall.request_id": requestId,
					...(routed ? { "http.route": endpoint } : {}),
				},
			},
			this.parentOf(trace),
		);
		if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
		span.end(endMs);
	}

	worked(): void {}

	limited(): void {}

	private parentOf(trace: TraceContext | null): OpenTelemetry.Context {
		const { ROOT_CONTEXT, trace: traces, TraceFlags } = this.api;
		if (trace === null) return ROOT_CONTEXT;
		const { traceId, spanId, flags } = trace;
		const traceFlags = flags & TraceFlags.SAMPLED;
		return traces.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
	}
}
