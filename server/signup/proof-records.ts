/** Proofs of work across hosts: the shared secret that challenges are signed with, and the solved challenges. */

import { randomBytes } from "node:crypto";
import type { Log } from "../log.js";
import type { Store } from "../store/store.js";
import type { SignupTables } from "./signup-records.js";

/** The operations of the shared store that signup needs. */
export interface SharedProofs {
	/** Reserves `id` for this host for `ttlMs`; false if another host has it. Rejects if the store does not respond. */
	reserve(id: string, ttlMs: number): Promise<boolean>;
	/** The secret `name` shared by all hosts, set to `own` if there is none. Rejects if the store does not respond. */
	secret(name: string, own: Uint8Array): Promise<Uint8Array>;
}

const SECRET_NAME = "signup-challenge";
const SECRET_BYTES = 32;

/** The secret of this data folder that challenges are signed with; created at the first start. */
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
 * The secret shared by all hosts; null while the shared store does not respond: until it does, a challenge is valid
 * only on the host that issued it.
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
