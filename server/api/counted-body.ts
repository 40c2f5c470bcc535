/**
 * The body of an answer, and what its request counts as. A place among the long answers and all requests that are known before
 * the work are taken before it, so that one that a limit refuses costs next to nothing: it counts toward nothing, and could be
 * sent again and again.
 */

import { ROWS_COUNTED } from "../limits/counted-units.js";
import { RequestPending } from "../request-pending.js";
import type { Admission, AdmittedRequest } from "./admission.js";
import type { Answer, Body } from "./operation.js";
import { requireAnswerSize } from "./responses/answer-size.js";

export interface CountedBody {
	readonly body: Body;
	/** Frees its place among the long answers; null: it has none. */
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
	// HEAD has no rows to count.
	const requests = isOfRows && isHead ? 1 : (answer.requests?.() ?? 1);
	let end = isOfRows && requests > 1 ? admission.beginStream(request) : null;
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
		// While work is done for it, it keeps its place: it takes one again when it is tried again, which is next.
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
