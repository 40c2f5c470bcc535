/** `signups …` as scripts use it: what is changed, by which options, on which stream and with which exit code. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createKey } from "../../server/keys/lifecycle.js";
import { signupTables } from "../../server/signup/signup-records.js";
import { announceServer } from "../../server/store/presence.js";
import { Store } from "../../server/store/store.js";
import { type Ended, runCommandLine } from "../command-line.js";
import { scratchFolder } from "../keys/scratch.js";

const ADDRESS = "jo@example.com";

/** A data folder with a mailbox and its trial key, the id of that key, and `signups ARGS` on them. */
async function signedUp(t: TestContext) {
	const data = scratchFolder(t);
	const store = Store.open({ dataFolder: data, create: true });
	const scope = { geography: null, columns: null, history: { mode: "latest" } } as const;
	const trial = { tier: "trial", name: "trial", scope, rate_limits: {} } as const;
	const { record } = await createKey(store, trial, { by: "signup", nowMs: Date.now() });
	await store.transaction(() =>
		signupTables(store).mailboxes.put(ADDRESS, {
			address: ADDRESS,
			first_ms: 0,
			last_ms: 0,
			key_id: record.id,
			link: null,
			mails: { day: 0, count: 1 },
			reminded: null,
		}),
	);
	await store.close();
	const signups = (...args: string[]): Promise<Ended> =>
		runCommandLine("server", ["signups", ...args, "--data", data]);
	return { data, id: record.id, folder: store.path, signups };
}

test("a server that does not act on a change of a trial key is named, beside what was done", async (t) => {
	const { id, folder, signups } = await signedUp(t);
	// A server that runs and confirms nothing: this process.
	const leave = announceServer(folder);
	const name = `process ${process.pid}`;
	const warning = `warning: the change is stored, but not confirmed within 1 s by ${name}\n`;
	const converted = await signups("convert", id);
	assert.deepEqual(converted, { code: 0, stdout: `${id} is a production key\n`, stderr: warning });
	const forgotten = await signups("forget", ADDRESS, "--json");
	assert.deepEqual([forgotten.code, forgotten.stderr], [0, warning]);
	assert.deepEqual(JSON.parse(forgotten.stdout), {
		mailbox: ADDRESS,
		forgotten: true,
		unconfirmed: [{ name, last_heard_at: null }],
	});
	leave();
	const again = await signups("forget", ADDRESS);
	assert.deepEqual(again, { code: 0, stdout: "nothing is stored of the mailbox\n", stderr: "" });
});

test("a trial key is converted to the tier that is asked for", async (t) => {
	const { id, signups } = await signedUp(t);
	const converted = await signups("convert", id, "--tier", "enterprise", "--json");
	assert.deepEqual([converted.code, converted.stderr], [0, ""]);
	const { tier, ...document } = JSON.parse(converted.stdout);
	assert.deepEqual([tier, document.id, document.expires_at], ["enterprise", id, null]);
});

test("what cannot be done is refused in one line on stderr, and changes nothing", async (t) => {
	const { data, signups } = await signedUp(t);
	const before = await signups("list", "--json");
	for (const [code, message, args] of [
		[2, /^error: "jo" is not an e-mail address\n$/, ["forget", "jo"]],
		[2, /^error: [^\n]*--tier[^\n]*'gold'[^\n]*\n$/, ["convert", "key_none", "--tier", "gold"]],
		[1, /^error: no key has the id "key_none"\n$/, ["convert", "key_none"]],
	] as const) {
		const refused = await signups(...args);
		assert.deepEqual([refused.code, refused.stdout], [code, ""], refused.stderr);
		assert.match(refused.stderr, message);
	}
	assert.deepEqual(await signups("list", "--json"), before);
	const nowhere = await runCommandLine("server", ["signups", "list", "--data", join(data, "nowhere")]);
	assert.deepEqual([nowhere.code, nowhere.stdout], [1, ""]);
	assert.match(nowhere.stderr, /^error: [^\n]*no such data folder[^\n]*\n$/);
});
