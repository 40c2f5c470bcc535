/** What hosts share of proofs of work: the secret that challenges are signed with, and which were used. */

import { randomBytes } from "node:crypto";
import type { Log } from "../log.js";
import type { Store } from "../store/store.js";
import type { SignupTables } from "./signup-records.js";

/** The shared store, as signup uses it. */
export interface SharedProofs {
	/** Takes `id` for `ttlMs`; false: it was taken before, on any host. Rejects where the store does not answer. */
	takeOnce(id: string, ttlMs: number): Promise<boolean>;
	/** The secret `name` of all hosts: `own`, where none had one before. Rejects where the store does not answer. */
	secret(name: string, own: Uint8Array): Promise<Uint8Array>;
}

const SECRET_NAME = "signup-challenge";
const SECRET_BYTES = 32;

/** The secret of this data folder that challenges are signed with; made at the first start. */
export function ownChallengeSecret(store: Store, { secrets }: SignupTables): Promise<string> {
	return store.transaction(() => {
		const known = secrets.get("challenge");
		if (known !== undefined) return known;
		const made = randomBytes(SECRET_BYTES).toString("base64url");
		secrets.put("challenge", made);
		return made;
	});
}

/**
 * The secret of all hosts; null where the shared store does not answer: until it does, a challenge is good on
 * the host that gave it out.
 */
export async function sharedChallengeSecret(
	shared: SharedProofs,
	own: string,
	log: Log,
): Promise<string | null> {
	try {
		const used = await shared.secret(SECRET_NAME, Buffer.from(own, "base64url"));
		return Buffer.from(used).toString("base64url");
	} catch (error) {
		log.warn(
			{ err: error },
			"challenges of signup are good on this host alone: the shared store does not answer",
		);
		return null;
	}
}
