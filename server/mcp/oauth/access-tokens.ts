/**
 * Access tokens of an operator's OAuth issuer, for hosts that do not take keys (docs/AGENTS.md): a token that
 * the issuer signed for this resource stands for the key that one of its scopes is mapped to, with that key's
 * grant and limits.
 *
 * Invariants: nothing of a token is believed before its signature, issuer, audience and times are verified.
 * Tokens of strangers cost at most {@link VERIFICATIONS_PER_SECOND} signatures a second, which route.ts counts; one
 * that was verified costs a lookup until it expires.
 */

import { createHash } from "node:crypto";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { ApiError } from "../../api/errors.js";
import type { Clock } from "../../clock.js";
import { IssuerError, IssuerFetch } from "./issuer-fetch.js";

export interface IssuerOptions {
	/** As in the tokens' `iss`, and where its metadata is. */
	readonly issuer: string;
	/** Address of the tool server as clients know it; the tokens' `aud`. */
	readonly resource: string;
	/** Ids of keys by scope; of several, the first in this order counts. */
	readonly grants: ReadonlyMap<string, string>;
}

/** Signature algorithms that are accepted: asymmetric ones alone. */
const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"];
/** Tokens not seen before that a thread verifies in a second. */
const VERIFICATIONS_PER_SECOND = 50;
const VERIFIED_MAX = 1_000;
const METADATA_TIMEOUT_MS = 5_000;
/** Longest token: those of issuers with many claims have some thousand characters. */
const TOKEN_LENGTH_MAX = 8_192;

/** A signed JWT in the compact form, as a bearer token. No key has dots. */
const BEARER_JWT = /^bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i;

type Jose = typeof import("jose");

/** What a token stands for until it expires. */
export interface TokenGrant {
	/** Null: the token has no mapped scope. */
	readonly keyId: string | null;
	readonly untilMs: number;
}

export class AccessTokens {
	/** Loaded only where there is an issuer: most servers have none, and start faster. */
	private readonly jose = import("jose");
	private readonly verified = new Map<string, TokenGrant>();
	private keys: Promise<JWTVerifyGetKey> | null = null;
	private readonly issuerFetch: IssuerFetch;
	private second = 0;
	private verifications = 0;

	constructor(
		readonly options: IssuerOptions,
		private readonly clock: Clock,
	) {
		this.issuerFetch = new IssuerFetch(clock);
	}

	/** The token of a header; null for one that is none. */
	tokenOf(authorization: string | null): string | null {
		if (authorization === null || authorization.length > TOKEN_LENGTH_MAX) return null;
		return BEARER_JWT.exec(authorization)?.[1] ?? null;
	}

	/** What a token stands for if it was verified before and is still valid, else null. */
	known(token: string): TokenGrant | null {
		const known = this.verified.get(nameOf(token));
		return known === undefined || this.clock.now() >= known.untilMs ? null : known;
	}

	/** Counts a verification; false if this second has had as many as it may. */
	takeVerification(): boolean {
		const second = Math.floor(this.clock.now() / 1_000);
		if (second !== this.second) this.verifications = 0;
		this.second = second;
		return ++this.verifications <= VERIFICATIONS_PER_SECOND;
	}

	/**
	 * What a token stands for; null for a token that is not valid. Rejects with ApiError `unavailable` where it cannot be
	 * verified now.
	 * REQUIRES: {@link takeVerification}.
	 */
	async verify(token: string): Promise<TokenGrant | null> {
		const nowMs = this.clock.now();
		const { errors } = await this.jose;
		let payload: JWTPayload;
		try {
			payload = await this.verifiedPayload(token, nowMs);
		} catch (error) {
			if (isUnreachable(error, errors)) throw new ApiError("unavailable", UNREACHABLE);
			return null;
		}
		const verified = {
			keyId: this.keyOfScopes(payload.scope ?? payload.scp),
			untilMs: Number(payload.exp) * 1_000,
		};
		// One without a mapped scope too, or it would take a verification with every request.
		if (this.verified.size >= VERIFIED_MAX) this.verified.clear();
		this.verified.set(nameOf(token), verified);
		return verified;
	}

	/** The claims of a token that is valid. Rejects with what is wrong with it, or with the issuer. */
	private async verifiedPayload(token: string, nowMs: number): Promise<JWTPayload> {
		const { issuer, resource } = this.options;
		const { errors, jwtVerify } = await this.jose;
		const options = {
			issuer,
			audience: resource,
			algorithms: ALGORITHMS,
			requiredClaims: ["exp"],
			currentDate: new Date(nowMs),
		};
		try {
			return (await jwtVerify(token, await this.issuerKeys(), options)).payload;
		} catch (error) {
			if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
			// The token names no key, and the issuer has several, as while it replaces one.
			let refusal: unknown = error;
			for await (const key of error) {
				const found = await jwtVerify(token, key, options).catch((reason) => {
					refusal = reason;
					return null;
				});
				if (found !== null) return found.payload;
			}
			throw refusal;
		}
	}

	private keyOfScopes(claim: unknown): string | null {
		const scopes: unknown = typeof claim === "string" ? claim.split(" ") : claim;
		if (!Array.isArray(scopes)) return null;
		for (const [scope, keyId] of this.options.grants) if (scopes.includes(scope)) return keyId;
		return null;
	}

	/** The issuer's keys, found by its metadata; looked for again after a failure. */
	private issuerKeys(): Promise<JWTVerifyGetKey> {
		this.keys ??= this.findKeys().catch((error) => {
			this.keys = null;
			throw error;
		});
		return this.keys;
	}

	private async findKeys(): Promise<JWTVerifyGetKey> {
		const { issuer } = this.options;
		const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
		let metadata: { issuer?: unknown; jwks_uri?: unknown };
		try {
			const response = await this.issuerFetch.fetch(address, {
				signal: AbortSignal.timeout(METADATA_TIMEOUT_MS),
			});
			if (!response.ok) throw new IssuerError(`${address} answered ${response.status}`);
			metadata = (await response.json()) as typeof metadata;
		} catch (error) {
			throw new IssuerError(`${address} does not answer`, { cause: error });
		}
		if (metadata.issuer !== issuer || typeof metadata.jwks_uri !== "string")
			throw new IssuerError(`${address} is not the metadata of ${issuer}`);
		const { createRemoteJWKSet, customFetch } = await this.jose;
		return createRemoteJWKSet(new URL(metadata.jwks_uri), { [customFetch]: this.issuerFetch.fetch });
	}
}

function nameOf(token: string): string {
	return createHash("sha256").update(token).digest("base64");
}

const UNREACHABLE = "access tokens cannot be verified at the moment: the issuer does not answer";

function isUnreachable(error: unknown, errors: Jose["errors"]): boolean {
	if (
		error instanceof IssuerError ||
		error instanceof errors.JWKSTimeout ||
		error instanceof errors.JWKSInvalid
	)
		return true;
	return (
		error instanceof TypeError || (error instanceof errors.JOSEError && error.code === "ERR_JOSE_GENERIC")
	);
}
