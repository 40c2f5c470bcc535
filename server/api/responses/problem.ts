/** Errors as problem details (RFC 9457), for clients whose `Accept` names that type. */

import { STATUS_LINES } from "../../http/transport.js";
import type { ApiError } from "../errors.js";

export const PROBLEM_TYPE = "application/problem+json";
/** Before the error's code, in `type`. */
const PROBLEM_TYPE_PREFIX = "urn:rollcall:problem:";

const ACCEPTED = /(?:^|,)\s*application\/problem\+json\s*(?:;\s*q=([\d.]+)\s*)?(?:,|$)/i;

/** Whether `accept` asks for problem details. Wildcards ask for nothing in particular. */
export function acceptsProblem(accept: string | null): boolean {
	if (accept === null) return false;
	const found = ACCEPTED.exec(accept);
	return found !== null && (found[1] === undefined || Number(found[1]) > 0);
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
