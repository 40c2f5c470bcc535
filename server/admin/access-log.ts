/** The access log: one line per sampled response. Query strings are omitted, since they contain people's names. */

import type { Answered, Observer } from "../api/observer.js";
import type { Log } from "../log.js";

export class AccessLog implements Observer {
	private readonly log: Log;
	private readonly share: number;
	private readonly draw: () => number;

	/** Logs `share` (0..1) of the answers. `draw` gives numbers in [0, 1). */
	constructor(log: Log, share: number, draw: () => number = Math.random) {
		this.log = log;
		this.share = share;
		this.draw = draw;
	}

	answered({ endpoint, method, status, ms, bytes, requestId, trace }: Answered): void {
		if (this.draw() >= this.share) return;
		const traced = trace === null ? {} : { trace_id: trace.traceId, parent_id: trace.spanId };
		const fields = { requestId, method, endpoint, status, ms: Number(ms.toFixed(3)), bytes, ...traced };
		this.log.info(fields, "answered");
	}

	worked(): void {}

	limited(): void {}
}
