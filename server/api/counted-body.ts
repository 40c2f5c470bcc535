/**
 * The body of an answer, computed after the limits are checked. A refused request counts toward nothing and can be repeated
 * without end, so it must be cheap: the limit of concurrent long answers is checked, and the requests are counted, before the
 * work wherever their number is known by then.
 */

import { ROWS_COUNTED } from "../limits/counted-units.js";
import { RequestPending } from "../request-pending.js";
import type { Admission, AdmittedRequest } from "./admission.js";
import type { Answer, Body } from "./operation.js";
import { requireAnswerSize } from "./responses/answer-size.js";

export interface CountedBody {
	readonly body: Body;
	/** Ends it as a long answer in progress; null: it is not one. */
	readonly end: (() => void) | null;
}

/**
 * The body that `work` makes of an answer to `request`, which is counted as one until then. One whose work fails counts as one.
 * Throws ApiError beyond a limit, and what `work` throws.
 */
export function countedBody(
	answer: Answer,
	admission: Admission,
	request: AdmittedRequest,
	isHead: boolean,
	work: () => Body,
): CountedBody {
	const isOfRows = answer.unit === ROWS_COUNTED;
	const full = answer.requests?.() ?? 1;
	// HEAD has no rows to count, but takes the same work: without places, those of one key would keep the works of all others waiting.
	const requests = isOfRows && isHead ? 1 : full;
	let end = isOfRows && full > 1 ? admission.beginStream(request) : null;
	let counted = 1;
	const recount = (wanted: number, unit = answer.unit ?? null) => {
		if (wanted === counted) return;
		const before = counted;
		counted = wanted;
		admission.recount(request, wanted, unit, before);
	};
	try {
		recount(requests);
		const body = bodyOrOne(work, recount);
		if (body.next !== undefined && !isHead) {
			end ??= admission.beginStream(request);
			recount(body.requests ?? 1, ROWS_COUNTED);
			return { body, end };
		}
		end?.();
		return { body, end: null };
	} catch (error) {
		// A request that waits for work stays in progress until it is retried, or any number of them could have work done.
		if (error instanceof RequestPending) error.settled.then(() => end?.());
		else end?.();
		throw error;
	}
}

/** What `work` returns, of a size that is sent; where that fails, the request counts as one. */
function bodyOrOne(work: () => Body, recount: (wanted: number) => void): Body {
	try {
		const body = work();
		if (body.next === undefined) requireAnswerSize(body.bytes);
		return body;
	} catch (error) {
		recount(1);
		throw error;
	}
}
