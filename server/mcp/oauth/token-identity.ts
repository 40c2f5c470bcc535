/** Identification of requests by an access token in place of a key. */

import type { Admission } from "../../api/admission.js";
import { ApiError } from "../../api/errors.js";
import type { Response } from "../../api/responses/response.js";
import type { RequestHead } from "../../http/request-head.js";
import type { Key } from "../../keys/key.js";
import type { AccessTokens } from "./access-tokens.js";
import { metadataAddress } from "./resource-metadata.js";

/** What the challenge to a token that is not valid says besides (RFC 6750 §3.1). */
const INVALID_TOKEN = ', error="invalid_token"';

/** An access token that is valid, but has none of the scopes that are mapped to keys. */
class InsufficientScope extends ApiError {
	/** By which a client learns what scope to ask the issuer for (RFC 6750 §3.1). */
	override readonly challenge: string;

	constructor(scopes: readonly string[]) {
		super("scope_denied", `the access token has none of the scopes ${scopes.join(", ")}`);
		this.challenge = `, error="insufficient_scope", scope="${scopes.join(" ")}"`;
	}
}

/** An access token that was valid when its request began. */
class ExpiredToken extends ApiError {
	override readonly challenge = INVALID_TOKEN;

	constructor() {
		super("unauthorized", "The access token expired.");
	}
}

/**
 * The key of a request at a moment. Throws ApiError where it has none, or no longer, and SharedStatePending while that is
 * not known.
 */
export type Identify = (nowMs: number) => Key;

/** As {@link Admission.identify} and {@link Admission.identifyEarly}, of a request with an access token. */
export interface TokenIdentity {
	readonly identify: Identify;
	readonly identifyEarly: Identify;
}

/** Has a 401 say where the resource is described, for clients that look for its issuer. */
export function nameResource(tokens: AccessTokens | null, response: Response): void {
	if (tokens !== null) response.challenge += `, resource_metadata="${metadataAddress(tokens.options)}"`;
}

/**
 * How to identify the key of a token, once it is verified. Throws ApiError where too many tokens are verified, and rejects
 * with one where the token stands for no key.
 */
export function identifyByToken(
	admission: Admission,
	tokens: AccessTokens,
	token: string,
	request: RequestHead,
	response: Response,
): Promise<TokenIdentity> {
	const known = tokens.known(token);
	if (known === null) takeVerification(admission, tokens, request, response);
	const grant = known === null ? tokens.verify(token) : Promise.resolve(known);
	return grant.then((found) => {
		if (found === null) return identityOfInvalid(admission, request, response);
		const { keyId, untilMs } = found;
		if (keyId === null) throw refusalOfUnmapped(admission, tokens, known !== null, request, response);
		// It may expire before the body has come, or while a stream lasts.
		const unexpired = (identify: Identify) => (nowMs: number) => {
			if (nowMs < untilMs) return identify(nowMs);
			throw new ExpiredToken();
		};
		return {
			identify: unexpired((atMs) => admission.identifyById(keyId, response, atMs)),
			identifyEarly: unexpired((atMs) => admission.identifyByIdEarly(keyId, response, atMs)),
		};
	});
}

/** A token that is not valid is refused, and counted, as a key that is not. */
function identityOfInvalid(admission: Admission, request: RequestHead, response: Response): TokenIdentity {
	response.challenge += INVALID_TOKEN;
	const refuse = (atMs: number) => admission.identifyEarly(request, response, atMs);
	return { identify: refuse, identifyEarly: refuse };
}

/**
 * A token without a mapped scope stands for no key, so its request is counted as one without a key; the first one as one
 * with an invalid key, since it took a verification: every user of the issuer could use up those of others.
 */
function refusalOfUnmapped(
	admission: Admission,
	{ options }: AccessTokens,
	isKnown: boolean,
	request: RequestHead,
	response: Response,
): ApiError {
	if (isKnown) admission.admitKeyless(request, response);
	else admission.countFailedKey(request, response);
	return new InsufficientScope([...options.grants.keys()]);
}

/** Counts the verification of a token. Throws ApiError if its address, or all addresses together, have too many. */
function takeVerification(
	admission: Admission,
	tokens: AccessTokens,
	request: RequestHead,
	response: Response,
): void {
	admission.checkFailedKeys(request, response);
	if (tokens.takeVerification()) return;
	// Counted, so that an address that floods takes its share of verifications in the first second of a minute only.
	admission.countFailedKey(request, response);
	throw new ApiError("unavailable", "too many new access tokens at once; retry in a second", null, 1);
}
