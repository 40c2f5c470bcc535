/** Random bytes that are kept in the store, so that they are the same for all processes and after restarts. */

import { randomBytes } from "node:crypto";
import { SECRET_BYTES, SECRETS } from "./records.js";

/** What this needs of the store's database of secrets. */
interface SecretDatabase {
	get(name: string): unknown;
	putSync(name: string, value: Uint8Array): unknown;
}

/** Makes the secrets that are missing. REQUIRES: no other process opens the store meanwhile. */
export function claimSecrets(secrets: SecretDatabase): void {
	for (const name of SECRETS) {
		if (secrets.get(name) === undefined) secrets.putSync(name, randomBytes(SECRET_BYTES));
	}
}
