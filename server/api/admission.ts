/**
 * Admission of requests: authenticates the key and counts the request against its limits, or against those of
 * the client's address if there is no valid key (docs/API.md §1.8).
 *
 * Invariant: every response describes a limit: the key's once the key is known, else the address's
 * (response.ts).
 */

import type { RequestHead } from "../http/request-head.js";
import type { Authenticator, Key } from "../keys/key.js";
import { type CountedUnit, largestText } from "../limits/counted-units.js";
import { SharedStatePending } from "../limits/lease-line.js";
import type { Decision, Limits } from "../limits/limits.js";
import type { Endpoint } from "../limits/usage-codes.js";
import type { RequestPending } from "../request-pending.js";
import type { ClientLimits } from "./client-limits.js";
import { ApiError, LimitReached } from "./errors.js";
import { carriesKey, KEY_IN_QUERY_MESSAGE } from "./parameters/request-query.js";
import { headerBlock, type Response } from "./responses/response.js";
import { GrantCache } from "./scope/grant-cache.js";
import type { StreamLimit } from "./stream-limit.js";

/** Delay before a client may retry a long answer that exceeded the number in progress. */
const STREAM_RETRY_SECONDS = 1;

export interface AdmissionOptions {
	readonly authenticator: Authenticator;
	readonly limits: Limits;
	readonly clientLimits: ClientLimits;
	/** Long answers in progress. */
	readonly streams: StreamLimit;
	/** Resolves when keys are current again; null: they are, as always on a single host. */
	readonly keysBehind?: (nowMs: number) => Promise<void> | null;
}

/** A request of a key, which its limits have room for. */
export interface AdmittedRequest {
	readonly key: Key;
	/** What it is counted as. */
	readonly endpoint: Endpoint;
	/** Describes the limits. */
	readonly response: Response;
	readonly nowMs: number;
}

export class Admission {
	readonly grants = new GrantCache();
	private readonly authenticator: Authenticator;
	private readonly limits: Limits;
	private readonly clientLimits: ClientLimits;
	private readonly streams: StreamLimit;
	private readonly keysBehind: (nowMs: number) => Promise<void> | null;

	constructor({ authenticator, limits, clientLimits, streams, keysBehind }: AdmissionOptions) {
		this.keysBehind = keysBehind ?? (() => null);
		this.authenticator = authenticator;
		this.limits = limits;
		this.clientLimits = clientLimits;
		this.streams = streams;
	}

	/**
	 * The key of a request, without counting it. Throws ApiError for a missing or invalid key,
	 * SharedStatePending while the key may have been revoked on another host.
	 */
	identify(request: RequestHead, response: Response, nowMs: number): Key {
		this.requireCurrentKeys(nowMs);
		return this.identifyEarly(request, response, nowMs);
	}

	/**
	 * As {@link identify}, without waiting: for a request whose key is identified again once its body has been
	 * received.
	 */
	identifyEarly(request: RequestHead, response: Response, nowMs: number): Key {
		const found = this.authenticator.authenticate(
			{ authorization: request.authorization, xApiKey: request.apiKey },
			nowMs,
		);
		if (found.key !== null) response.keySlot = found.key.slot;
		if (found.ok) return found.key;
		const missing = request.apiKey === null && request.authorization === null;
		if (found.code === "unavailable") throw new ApiError(found.code, found.message);
		if (found.key !== null) this.describeLimits(found.key, response, nowMs);
		else if (missing) this.admitKeyless(request, response);
		else this.countFailedKey(request, response);
		if (missing && carriesKey(request.query)) throw new ApiError("unauthorized", KEY_IN_QUERY_MESSAGE);
		throw new ApiError(found.code, found.message);
	}

	/** As {@link identify}, by the id of a key that an access token stands for. */
	identifyById(id: string, response: Response, nowMs: number): Key {
		this.requireCurrentKeys(nowMs);
		return this.identifyByIdEarly(id, response, nowMs);
	}

	/** As {@link identifyEarly}, by the id of a key that an access token stands for. */
	identifyByIdEarly(id: string, response: Response, nowMs: number): Key {
		const found = this.authenticator.authenticateId(id, nowMs);
		if (found.key !== null) response.keySlot = found.key.slot;
		if (found.ok) return found.key;
		if (found.key !== null) this.describeLimits(found.key, response, nowMs);
		throw new ApiError(found.code, found.message);
	}

	/** Throws SharedStatePending while keys may have been changed on another host. */
	private requireCurrentKeys(nowMs: number): void {
		const behind = this.keysBehind(nowMs);
		if (behind !== null) throw new SharedStatePending(behind);
	}

	/** Counts a request without a key. Throws `rate_limited` beyond the address's limit. */
	admitKeyless(request: RequestHead, response: Response): void {
		const seconds = this.clientLimits.take("keyless", response.peerAddress, request);
		if (seconds === 0) return;
		response.limits =
			this.clientLimits.headers("keyless", response.peerAddress, request) + retryAfter(seconds);
		throw new ApiError(
			"rate_limited",
			`Too many requests without an API key came from this address; retry in ${seconds} s, or send a key.`,
		);
	}

	/** Address of the request's client. */
	clientAddress({ forwardedFor }: RequestHead, response: Response): string {
		return this.clientLimits.addressOf(response.peerAddress, forwardedFor);
	}

	/** Counts an invalid key. Throws `rate_limited` beyond the address's limit. */
	countFailedKey(request: RequestHead, response: Response): void {
		const seconds = this.clientLimits.take("failedKeys", response.peerAddress, request);
		this.refuseFailedKey(seconds, request, response);
	}

	/**
	 * Throws `rate_limited` if the address has sent as many invalid keys as it may; counts nothing. For what costs
	 * more to check than a key.
	 */
	checkFailedKeys(request: RequestHead, response: Response): void {
		const seconds = this.clientLimits.wait("failedKeys", response.peerAddress, request);
		if (seconds > 0) this.refuseFailedKey(seconds, request, response);
	}

	/** Describes the window of invalid keys, and throws `rate_limited` if `seconds` of it must be waited for. */
	private refuseFailedKey(seconds: number, request: RequestHead, response: Response): void {
		response.limits = this.clientLimits.headers("failedKeys", response.peerAddress, request);
		if (seconds === 0) return;
		response.limits += retryAfter(seconds);
		throw new ApiError(
			"rate_limited",
			`The API key is not valid, and this address has sent too many invalid keys; retry in ${seconds} s. Valid keys are served.`,
		);
	}

	/** Throws ApiError if a limit of `key` is reached. Counts nothing. */
	check(key: Key, response: Response, nowMs: number): void {
		const decision = this.limits.check(key, nowMs);
		response.limits = decision.headers;
		if (!decision.allowed) throw limitReached(decision);
	}

	/**
	 * Counts `requests` for one, all or none. Throws ApiError if a limit is reached, and SharedStatePending if the request must
	 * be started over. `unit`: what they are counted by; null: one by one.
	 */
	count(
		{ key, endpoint, response, nowMs }: AdmittedRequest,
		requests = 1,
		unit: CountedUnit | null = null,
	): void {
		const decision = this.limits.take(key, endpoint, nowMs, requests);
		response.limits = decision.headers;
		if (!decision.allowed) throw limitReached(decision, unit);
	}

	/**
	 * Changes the count of a request from `counted` to `requests`, or to none if a limit is reached, and then throws
	 * ApiError.
	 */
	recount(request: AdmittedRequest, requests: number, unit: CountedUnit | null, counted = 1): void {
		this.restore(request, counted);
		try {
			this.count(request, requests, unit);
		} catch (error) {
			throw error instanceof SharedStatePending ? new SharedStatePending(error.settled, false) : error;
		}
	}

	/**
	 * Begins a long answer; returns a function that ends it. Throws ApiError if too many are in progress; the request, which is
	 * counted as one, then counts toward nothing.
	 */
	beginStream(request: AdmittedRequest): () => void {
		const { key, response, nowMs } = request;
		try {
			return this.streams.begin(key.id);
		} catch (error) {
			this.restore(request);
			this.describeLimits(key, response, nowMs);
			response.limits += retryAfter(STREAM_RETRY_SECONDS);
			throw error;
		}
	}

	/**
	 * {@link restore}s a request that is tried again once `pending` has settled, and has it counted if its client disconnects
	 * before, unless a limit is reached then.
	 */
	postpone(request: AdmittedRequest, pending: RequestPending, counted = 1): void {
		const { key, endpoint } = request;
		this.restore(request, counted);
		pending.countAbandoned = (nowMs) => {
			this.limits.take(key, endpoint, nowMs, 1);
		};
	}

	/** Takes back the requests that were counted, since the one is started over or cannot be answered at the moment. */
	restore({ key, endpoint, nowMs }: AdmittedRequest, counted = 1): void {
		this.limits.giveBack(key, endpoint, nowMs, counted);
	}

	/** Describes the limits of `key` in the response, without counting. */
	describeLimits(key: Key, response: Response, nowMs: number): void {
		response.limits = this.limits.peek(key, nowMs).headers;
	}

	/** {@link identify}, then {@link count}. */
	admit(request: RequestHead, endpoint: Endpoint, response: Response, nowMs: number): AdmittedRequest {
		const key = this.identify(request, response, nowMs);
		const admitted = { key, endpoint, response, nowMs };
		this.count(admitted);
		return admitted;
	}
}

/** The error for a request that was not admitted. */
function limitReached(
	decision: Exclude<Decision, { allowed: true }>,
	unit: CountedUnit | null = null,
): LimitReached | SharedStatePending {
	if (decision.code === "pending") return new SharedStatePending(decision.settled);
	const isNever = decision.code !== "unavailable" && decision.most !== null;
	const most = isNever && unit !== null ? largestText(decision.most ?? 0, unit) : "";
	return new LimitReached(decision.code, `${decision.message}${most}`, null, decision.retryAfterS);
}

function retryAfter(seconds: number): string {
	return headerBlock(["Retry-After", String(seconds)]);
}
