/**
 * Proof of work against robots: a challenge that a browser solves in a second or two (altcha), signed
 * so that the server stores nothing for a challenge that it issues. The only file that imports altcha-lib.
 *
 * A solved challenge is accepted once: its id is stored until the challenge expires.
 */

import { createChallenge, verifySolution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Challenge, Payload } from "altcha-lib/types";

/** Longest solution that is read, in characters. */
const PAYLOAD_LENGTH_MAX = 4_096;
/** Validity of a challenge, which includes the time that a page stays open. */
const LIFETIME_MS = 30 * 60_000;
/** Iterations of one try: half a millisecond of a core, for the browser and, once, for this server. */
const ITERATIONS = 2_000;

export interface SolvedChallenge {
	/** The same for every solution of one challenge. */
	readonly id: string;
	readonly untilMs: number;
}

export class ProofOfWork {
	/** `difficulty`: hexadecimal zeros to find, on average 16^difficulty tries. */
	constructor(
		private secret: string,
		private readonly difficulty: number,
	) {}

	/** Signs and verifies with another secret from now on. */
	useSecret(secret: string): void {
		this.secret = secret;
	}

	/** A new challenge. Cost: an HMAC. */
	challenge(nowMs: number): Promise<Challenge> {
		return createChallenge({
			algorithm: "PBKDF2/SHA-256",
			cost: ITERATIONS,
			deriveKey,
			keyPrefix: "0".repeat(this.difficulty),
			hmacSignatureSecret: this.secret,
			data: { until: nowMs + LIFETIME_MS },
		});
	}

	/**
	 * The challenge that `payload` (Base64 of JSON, as the widget sends it) solves; null where it solves
	 * none of this server's that is still valid. Cost: an HMAC, and one try where the signature is right.
	 */
	async solved(payload: string, nowMs: number): Promise<SolvedChallenge | null> {
		const read = readPayload(payload);
		if (read === null) return null;
		const { challenge, solution } = read;
		const untilMs = Number(challenge.parameters.data?.until);
		if (!(untilMs > nowMs)) return null;
		try {
			const { verified } = await verifySolution({
				challenge,
				solution,
				deriveKey,
				hmacSignatureSecret: this.secret,
			});
			return verified ? { id: String(challenge.signature), untilMs } : null;
		} catch {
			// A forged challenge may name parameters that the library refuses.
			return null;
		}
	}
}

function readPayload(payload: string): Payload | null {
	if (payload.length > PAYLOAD_LENGTH_MAX) return null;
	let read: unknown;
	try {
		read = JSON.parse(Buffer.from(payload, "base64").toString("utf8"));
	} catch {
		// Not JSON: no solution.
		return null;
	}
	const { challenge, solution } = (read ?? {}) as Partial<Payload>;
	const parameters = challenge?.parameters;
	const sound =
		typeof parameters === "object" &&
		parameters !== null &&
		parameters.cost === ITERATIONS &&
		parameters.algorithm === "PBKDF2/SHA-256" &&
		typeof challenge?.signature === "string" &&
		typeof solution?.counter === "number" &&
		typeof solution.derivedKey === "string";
	return sound ? ({ challenge, solution } as Payload) : null;
}
