/**
 * Proof of work against robots: a challenge that a browser solves in a second or two (altcha), signed
 * so that the server stores nothing for a challenge that it issues. The only file that imports altcha-lib.
 *
 * A solved challenge is accepted once: its id is stored until the challenge expires.
 */

import { createChallenge, verifySolution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Challenge, Payload } from "altcha-lib/types";

/** Maximum length of a solution, in characters. */
const PAYLOAD_LENGTH_MAX = 4_096;
/** Validity of a challenge, which includes the time that a page stays open. */
const LIFETIME_MS = 30 * 60_000;
/** Iterations of one try: half a millisecond of a core, for the browser and, once, for this server. */
const ITERATIONS = 2_000;

export interface SolvedChallenge {
	/** Identifies the challenge: equal for all of its solutions. */
	readonly id: string;
	readonly untilMs: number;
}

export class ProofOfWork {
	/** `difficulty`: leading hexadecimal zeros to find, on average 16^difficulty tries. */
	constructor(
		private secret: string,
		private readonly difficulty: number,
	) {}

	/** Replaces the secret that challenges are signed and verified with. */
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
	 * The challenge that `payload` (Base64 of JSON, as the widget sends it) solves; null if it does not solve a
	 * valid challenge of this server. Cost: an HMAC, and one try if the signature is valid.
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
			// A forged challenge may contain parameters that the library rejects.
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
		// Not JSON, so not a solution.
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
