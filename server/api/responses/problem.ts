/** Errors as problem details (RFC 9457), for clients whose `Accept` names that type. */

import { STATUS_LINES } from "../../http/transport.js";
import { acceptsType } from "../../http/weighted-list.js";
import type { ApiError } from "../errors.js";

export const PROBLEM_TYPE = "application/problem+json";
/** Before the error's code, in `type`. */
const PROBLEM_TYPE_PREFIX = "urn:rollcall:problem:";

/** Wildcards ask for nothing in particular. */
const PROBLEM_RANGES = [PROBLEM_TYPE];

/** Whether `accept` asks for problem details. */
export function acceptsProblem(accept: string | null): boolean {
	return acceptsType(accept, PROBLEM_RANGES);
}

/** The body of an error as problem details. `instance` is the id in `X-Request-Id`. */
export function problemBody(error: ApiError, requestId: string, traceId: string | null): string {
	const { code, status, message, param } = error;
	return JSON.stringify({
		type: PROBLEM_TYPE_PREFIX + code,
		title: STATUS_LINES[status].replace(/^\d+ /, ""),
		status,
		detail: message,
		instance: `urn:rollcall:request:${requestId}`,
		code,
		...(param === null ? {} : { param }),
		...(traceId === null ? {} : { trace_id: traceId }),
	});
}
