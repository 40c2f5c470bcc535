/**
 * A process that signs mailboxes up, sends their mails and claims their keys until it is killed. Not a
 * test; mail-queue.test.ts starts it. Arguments: data folder, mail server, a number for its mailboxes.
 */

import { SYSTEM_CLOCK } from "../../server/clock.js";
import { MailQueue } from "../../server/signup/mail-queue.js";
import { mailText } from "../../server/signup/mail-text.js";
import { signupTables } from "../../server/signup/signup-records.js";
import { Signups } from "../../server/signup/signups.js";
import { smtpSender } from "../../server/signup/smtp.js";
import { Store } from "../../server/store/store.js";

const [, , dataFolder, smtp, run] = process.argv;
const store = Store.open({ dataFolder, create: true });
const tables = signupTables(store);
const signups = new Signups(store, tables, {
	mailboxPerDay: 50,
	networkPerDay: 100_000,
	perDay: 100_000,
	againAfterMs: 0,
});
const send = smtpSender({ url: smtp, from: "keys@example.com", dkim: null });
let token = "";
const queue = new MailQueue({
	store,
	tables,
	clock: SYSTEM_CLOCK,
	deliver(id, mail) {
		token = mail.token ?? token;
		return send(
			id,
			mail.to,
			mailText({ kind: mail.kind, pagesUrl: "http://x", linkPath: `/${mail.token}`, endsOn: null }),
		);
	},
	onTrouble: () => undefined,
});

for (let i = 0; ; i++) {
	const address = `m${run}-${i % 3}@example.com`;
	const nowMs = Date.now();
	const proof = { id: `${run}-${i}`, untilMs: nowMs + 60_000 };
	await signups.request({ address, name: address, domain: "example.com" }, "192.0.2.0/24", proof, nowMs);
	await queue.run();
	await signups.claim(token, Date.now());
	process.stdout.write(".");
}
