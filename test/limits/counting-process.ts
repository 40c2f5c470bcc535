/**
 * A process that counts until it is killed: each line it prints acknowledges requests, as
 * `COUNT MILLISECONDS`. Not a test; durability.test.ts starts it. Arguments: data folder, key's text.
 */

import { writeSync } from "node:fs";
import { SYSTEM_CLOCK } from "../../server/clock.js";
import { openAccess } from "../../server/open-access.js";

const REQUESTS_A_TURN = 20;
const TURN_MS = 2;
const STDOUT = 1;

const [dataFolder, text] = process.argv.slice(2);
const access = openAccess({
	dataFolder,
	clock: SYSTEM_CLOCK,
	onError: (error) => {
		throw error;
	},
});
const authentication = access.authenticator.authenticate({ authorization: null, xApiKey: text }, Date.now());
if (!authentication.ok) throw new RangeError(authentication.message);
let counted = 0;
const counting = setInterval(() => {
	for (let i = 0; i < REQUESTS_A_TURN; i++) {
		if (access.limits.take(authentication.key, "/v1/licenses", Date.now()).allowed) counted++;
	}
	writeSync(STDOUT, `${counted} ${Date.now()}\n`);
}, TURN_MS);

process.on("SIGTERM", () => {
	clearInterval(counting);
	access.close().then(() => {
		writeSync(STDOUT, `${counted} ${Date.now()}\n`);
		process.exit(0);
	});
});
