/**
 * Who may come in: the key of a request, its grant, and whether its limits have room. What every
 * keyed path does first, however it goes on (DESIGN §5: key ▸ status ▸ limits).
 *
 * Invariant: once a key is known, the response tells its limits, whatever else it says.
 */

import { type ClientAddresses, isLoopback, networkOf } from "../http/client-address.js";
import type { RequestHead } from "../http/request-head.js";
import type { FailedKeys } from "../keys/failed-keys.js";
import type { Authenticator, Key } from "../keys/key.js";
import type { Endpoint } from "../limits/endpoints.js";
import type { Limits } from "../limits/limits.js";
import { ApiError } from "./errors.js";
import { carriesKey, KEY_IN_QUERY_MESSAGE } from "./parameters/query-string.js";
import { headerBlock, type Response } from "./responses/response.js";
import { GrantCache } from "./scope/grant-cache.js";

export interface AdmissionOptions {
	readonly authenticator: Authenticator;
	readonly limits: Limits;
	readonly failedKeys: FailedKeys;
	readonly addresses: ClientAddresses;
}

export class Admission {
	readonly grants = new GrantCache();
	private readonly authenticator: Authenticator;
	private readonly limits: Limits;
	private readonly failedKeys: FailedKeys;
	private readonly addresses: ClientAddresses;

	constructor({ authenticator, limits, failedKeys, addresses }: AdmissionOptions) {
		this.authenticator = authenticator;
		this.limits = limits;
		this.failedKeys = failedKeys;
		this.addresses = addresses;
	}

	/** The key of a request. Counts nothing. Throws ApiError for a key that is missing or wrong. */
	identify(request: RequestHead, response: Response, nowMs: number): Key {
		const found = this.authenticator.authenticate(
			{ authorization: request.authorization, xApiKey: request.apiKey },
			nowMs,
		);
		if (found.ok) return found.key;
		if (found.key !== null) this.tell(found.key, response, nowMs);
		const missing = request.apiKey === null && request.authorization === null;
		if (missing && carriesKey(request.query)) throw new ApiError("unauthorized", KEY_IN_QUERY_MESSAGE);
		if (found.key === null && !missing) this.throttle(request, response, nowMs);
		throw new ApiError(found.code, found.message);
	}

	/** Counts a wrong key. Throws ApiError (429) where too many come from its address. */
	private throttle(request: RequestHead, response: Response, nowMs: number): void {
		const address = this.clientAddress(request, response);
		// Whoever is on this machine, or behind a proxy on it that is not told of, is many at one address.
		if (isLoopback(address)) {
			this.failedKeys.count();
			return;
		}
		const seconds = this.failedKeys.waitAfter(networkOf(address), nowMs);
		if (seconds === 0) return;
		response.limits = headerBlock(["Retry-After", String(seconds)]);
		throw new ApiError(
			"rate_limited",
			`The API key is not valid, and too many that are not came from this address; retry in ${seconds} s. Valid keys are served.`,
		);
	}

	/** Address of the request's client. */
	clientAddress({ forwardedFor }: RequestHead, response: Response): string {
		return this.addresses.client(response.peerAddress, forwardedFor);
	}

	/** Counts one request of `key` to `endpoint`. Throws ApiError where a limit is reached. */
	count(key: Key, endpoint: Endpoint, response: Response, nowMs: number): void {
		const decision = this.limits.take(key, endpoint, nowMs);
		response.limits = decision.headers;
		if (!decision.allowed) throw new ApiError(decision.code, decision.message);
	}

	/** Has the response tell the limits of `key` as they stand. */
	tell(key: Key, response: Response, nowMs: number): void {
		response.limits = this.limits.peek(key, nowMs).headers;
	}

	/** {@link identify}, then {@link count}. */
	admit(request: RequestHead, endpoint: Endpoint, response: Response, nowMs: number): Key {
		const key = this.identify(request, response, nowMs);
		this.count(key, endpoint, response, nowMs);
		return key;
	}
}
