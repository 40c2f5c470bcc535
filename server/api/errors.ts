/**
 * The error type that clients see, and the mapping of its codes to HTTP.
 *
 * Invariants: a published code keeps its name, meaning and status; a message never contains a key, a path of
 * this machine or a stack.
 */

import { EngineError } from "../../engine/index.js";
import { UntracedError } from "../../formats/index.js";
import type { Status } from "../http/transport.js";
import { withoutKeys } from "../keys/key-text.js";

/** Frozen codes and the status each is sent with (docs/API.md §8.2). */
export const ERROR_STATUS = {
	/** A parameter, body or framing that breaks a stated rule. */
	invalid_parameter: 400,
	/** Key missing, invalid, revoked or expired. */
	unauthorized: 401,
	/** Key paused by the operator. */
	key_suspended: 401,
	/** Outside the key's geography or columns. */
	scope_denied: 403,
	/** Outside the key's history. */
	history_denied: 403,
	/** No such path, snapshot or row. */
	not_found: 404,
	/** A month that a cursor refers to is no longer loaded. */
	snapshot_gone: 410,
	/** The path exists, but not with this method; `Allow` lists its methods. */
	method_not_allowed: 405,
	/** A file is another than the request names. */
	precondition_failed: 412,
	/** The body is larger than the endpoint accepts. */
	payload_too_large: 413,
	/** A range of a file begins after its end. */
	range_not_satisfiable: 416,
	/** Per-minute or per-day limit. */
	rate_limited: 429,
	/** Monthly quota. */
	quota_exceeded: 429,
	/** A trial key's per-day or per-month limit. */
	trial_limit: 429,
	/** A fault of this service. */
	internal_error: 500,
	/** The month was built before what the request asks for was stored. */
	not_supported: 501,
	/** Nothing can be answered at the moment. */
	unavailable: 503,
} as const satisfies Record<string, Status>;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const ERROR_CODES = Object.keys(ERROR_STATUS) as readonly ErrorCode[];

/** An answer that is an error. Its message goes to the client as is. */
export class ApiError extends UntracedError {
	readonly code: ErrorCode;
	/** The faulty parameter, if any. */
	readonly param: string | null;
	/** Seconds after which the same request may succeed; null: unknown, or waiting does not help. */
	readonly retryAfterS: number | null;
	/** What a challenge says besides, each after a comma; null: 401 alone has one, with nothing besides. */
	readonly challenge: string | null = null;

	constructor(
		code: ErrorCode,
		message: string,
		param: string | null = null,
		retryAfterS: number | null = null,
	) {
		super(withoutKeys(message));
		this.name = "ApiError";
		this.code = code;
		this.param = param === null ? null : withoutKeys(param);
		this.retryAfterS = retryAfterS;
	}

	get status(): Status {
		return ERROR_STATUS[this.code];
	}
}

/** The refusal of a request that a limit has no room for. It counts toward nothing by then. */
export class LimitReached extends ApiError {}

/** The error that a client sees for a fault of the engine that is not a defect; null for others. */
export function clientError(error: unknown): ApiError | null {
	if (error instanceof ApiError) return error;
	if (!(error instanceof EngineError)) return null;
	if (error.code === "answer_too_large") return new AnswerTooLarge([]);
	const [param, missing] = UNINDEXED[error.code] ?? [];
	if (param === undefined) return null;
	return new ApiError("not_supported", `this snapshot was built before ${missing}`, param);
}

/** By code of an index that a month lacks: the parameter that needs it, and the message. */
const UNINDEXED: Readonly<Record<string, readonly [param: string, missing: string]>> = {
	no_name_index: ["name", "names were indexed; ask a newer one, or use last_name"],
	no_word_index: ["name", "the words of office names were indexed; ask a newer one, or use office_name"],
	no_number_index: ["license", "spellings of license numbers were indexed; ask a newer one"],
};

/** Bytes of an answer's body, uncompressed: eleven pages of 1,000 ordinary rows (docs/API.md §5.6). */
export const ANSWER_BYTES_MAX = 8 << 20;

/** What makes an answer smaller, by parameter. */
const REDUCTIONS: Readonly<Record<string, string>> = {
	limit: "fewer rows with limit",
	top: "fewer groups with top",
	license: "fewer licenses",
	fields: "fewer columns with fields",
};

/** The error for an answer that would be larger. Names what `parameters`, those that the request may have, can do about it. */
export class AnswerTooLarge extends ApiError {
	constructor(parameters: readonly string[]) {
		const reducing = Object.keys(REDUCTIONS).filter((param) => parameters.includes(param));
		const remedies = reducing.map((param) => REDUCTIONS[param]);
		if (reducing.length === 0 && parameters.includes("state")) {
			reducing.push("state");
			remedies.push("one state with state");
		}
		const remedy = remedies.length === 0 ? "" : `; ask for ${remedies.join(", or for ")}`;
		const message = `the answer would take more than ${ANSWER_BYTES_MAX >> 20} MiB${remedy}`;
		super("invalid_parameter", message, reducing[0] ?? null);
	}
}

/** What a request that may have these parameters is told of `error`: of an answer that is too large, what to do. */
export function errorFor(parameters: readonly string[], error: unknown): unknown {
	const isTooLarge =
		error instanceof AnswerTooLarge || (error instanceof EngineError && error.code === "answer_too_large");
	return isTooLarge ? new AnswerTooLarge(parameters) : error;
}

/** A 400 that names the parameter. */
export function invalidParameter(param: string, message: string): ApiError {
	return new ApiError("invalid_parameter", message, param);
}

/** The body of an error (docs/API.md §8.1). `traceId`: of the trace that the client named; null: none. */
export function errorBody(error: ApiError, traceId: string | null = null): string {
	const { code, message, param } = error;
	return JSON.stringify({
		error: {
			code,
			message,
			...(param === null ? {} : { param }),
			...(traceId === null ? {} : { trace_id: traceId }),
		},
	});
}
