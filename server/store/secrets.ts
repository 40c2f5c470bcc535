/** Random bytes stored once, so that all processes use the same ones, also after restarts. */

import { randomBytes } from "node:crypto";
import { SECRET_BYTES, SECRETS } from "./records.js";

/** The operations used of the store's database of secrets. */
interface SecretDatabase {
	get(name: string): unknown;
	putSync(name: string, value: Uint8Array): unknown;
}

/** Creates the missing secrets. REQUIRES: no other process opens the store at the same time. */
export function claimSecrets(secrets: SecretDatabase): void {
	for (const name of SECRETS) {
		if (secrets.get(name) === undefined) secrets.putSync(name, randomBytes(SECRET_BYTES));
	}
}
