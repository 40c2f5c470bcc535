/**
 * A process that fills the store until no more fits, continues counting, and prints the outcome as JSON.
 * Not a test; durability.test.ts starts it where files cannot grow. Argument: data folder.
 */

import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_CLOCK } from "../../server/clock.js";
import { openAccess } from "../../server/open-access.js";
import { StoreError } from "../../server/store/errors.js";
import { Store } from "../../server/store/store.js";
import { addKey } from "../keys/scratch.js";

const [dataFolder] = process.argv.slice(2);
const failures: string[] = [];
const note = (error: unknown) => failures.push(error instanceof StoreError ? error.code : String(error));
const access = openAccess({ dataFolder, clock: SYSTEM_CLOCK, onError: note });
const store = Store.open({ dataFolder, create: false });
const texts: string[] = [];
while (failures.length < 5) {
	try {
		texts.push((await addKey(store, { name: "x".repeat(100) }, Date.now())).text);
	} catch (error) {
		note(error);
	}
	// Ends the read transaction of this turn of the event loop, so that its pages are reused.
	await delay(1);
}
await access.settle().catch(note);
const until = Date.now() + 5_000;
let allowed = true;
// Until two flushes have failed: the first leaves all counts to the second.
while (failures.length < 7 && Date.now() < until) {
	for (const text of texts) {
		const authentication = access.authenticator.authenticate(
			{ authorization: null, xApiKey: text },
			Date.now(),
		);
		allowed &&= authentication.ok && access.limits.take(authentication.key, "/mcp", Date.now()).allowed;
	}
	await delay(100);
}
await access.close().catch(note);
const listed = store.keys().length;
await store.close().catch(note);
process.stdout.write(JSON.stringify({ created: texts.length, listed, allowed, failures }));
